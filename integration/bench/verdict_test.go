package bench_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAGoalIsMissedByMoreThanNoiseUnlessTheBareRequestsMissIt(t *testing.T) {
	around := func(middle float64) []float64 {
		var runs []float64
		for i := -4; i <= 4; i++ {
			runs = append(runs, middle+float64(i)/100)
		}
		return runs
	}
	for _, tc := range []struct {
		name string
		figure
		want string
	}{
		{"no goal", figure{runs: around(2)}, ""},
		{"kept to", figure{runs: around(1), most: 1.03}, "reached"},
		{"the noise reaches to the goal", figure{runs: around(1.05), most: 1.03}, "within noise"},
		{"missed", figure{runs: around(1.2), most: 1.03}, "missed"},
		{"missed, and the bare requests keep to it", figure{runs: around(1.2), bare: around(1), most: 1.03}, "missed"},
		{"missed, as by the bare requests", figure{runs: around(1.2), bare: around(1.15), most: 1.03}, "out of reach: bare 1.150"},
		{"kept to, though the bare requests miss it", figure{runs: around(1), bare: around(1.15), most: 1.03}, "reached"},
		{"more than the least", figure{runs: around(3), least: 2.5}, "reached"},
		{"less than the least", figure{runs: around(2), least: 2.5}, "missed"},
		{"less than the least, as the bare requests", figure{runs: around(2), bare: around(2.2), least: 2.5}, "out of reach: bare 2.200"},
		{"too few runs", figure{runs: []float64{1, 1}, most: 1.03}, "missed: too few runs"},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, tc.verdict()) })
	}
}

func TestWhatTheBareRequestsExcuseIsJudgedBesideThem(t *testing.T) {
	sides := []side{
		{name: "SDK"},
		{name: "Commit", most: 1.02, mostAllocs: 1.05, bare: "bare"},
		{name: "bare"},
		{name: "Latest", least: 2, bare: "bare"},
		{name: "Update", least: 2, bare: "bare", inverse: true},
	}
	once := []sample{{time.Second, 100}}
	var got []string
	for _, r := range compared(1, sides, [][]sample{once, once, once, once, once}) {
		line := strings.TrimSpace(r.what + " " + r.goal())
		if len(r.bare) > 0 {
			line += ", unless bare misses it"
		}
		got = append(got, line)
	}
	require.Equal(t, []string{
		"Commit / SDK <= 1.02, unless bare misses it",
		"Commit / SDK, allocations <= 1.05, unless bare misses it",
		"Commit / bare <= 1.03",
		"Commit / bare, allocations <= 1.08",
		"bare / SDK",
		"Latest / SDK >= 2, unless bare misses it",
		"Latest / bare <= 1.03",
		"SDK / Update >= 2, unless bare misses it",
		"Update / bare <= 1.03",
	}, got)
}
