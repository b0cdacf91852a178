package bench

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAMillionCallsCostWhatTheirRequestsCost(t *testing.T) {
	report := Report{
		Operations: Operations{
			Commit:     Operation{Requests: Requests{Put: 1}},
			LatestCold: Operation{Requests: Requests{List: 1}},
			LatestWarm: Operation{Requests: Requests{Head: 1}},
		},
		Contention: []Contention{
			{Form: HandleEach, Writers: 8, Requests: Requests{Put: 9}},
			{Form: HandleEach, Writers: 64, Requests: Requests{Put: 2, Head: 1, List: 1.5, Get: 3, Hint: 1}},
			{Form: OneHandle, Writers: 64, Requests: Requests{Put: 9}},
		},
	}
	costs := costsOf(report)
	require.Equal(t, 64, costs.ContendedWriters)
	var stores []string
	for _, cost := range costs.Stores {
		stores = append(stores, cost.Store)
		require.Equal(t, 5.0, cost.Commits, cost.Store)
		require.Equal(t, 2*5+0.4+1.5*5+3*0.4, cost.ContendedCommits, "the most writers with a handle each, without hints")
		require.Equal(t, 5.0, cost.ColdLookups, cost.Store)
		require.Equal(t, 0.4, cost.WarmLookups, cost.Store)
		require.NotEmpty(t, cost.Region)
		require.Contains(t, cost.Source, "https://")
	}
	require.Equal(t, []string{"S3", "GCS", "Azure"}, stores)
}

func TestEachKindOfRequestHasItsPrice(t *testing.T) {
	prices := Prices{Put: 1000, Head: 100, List: 10, Get: 1}
	require.Equal(t, 2345.0, prices.Of(Requests{Put: 2, Head: 3, List: 4, Get: 5, Hint: 6}))
}
