package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPercentilesAreTheNearestRank(t *testing.T) {
	upTo := func(n int) (samples []time.Duration) {
		for i := n; i >= 1; i-- {
			samples = append(samples, time.Duration(i))
		}
		return samples
	}
	for _, tc := range []struct {
		name    string
		samples []time.Duration
		want    Times
	}{
		{"none", nil, Times{}},
		{"one is all of them", upTo(1), Times{1, 1, 1, 1}},
		{"of two the first is the half", upTo(2), Times{2, 1, 2, 1}},
		{"1 to 100", upTo(100), Times{100, 50, 99, 50}},
		{"1 to 101", upTo(101), Times{101, 51, 100, 51}},
		{"1 to 1,000", upTo(1000), Times{1000, 500, 990, 500}},
		{"one that is slow", append(upTo(99), time.Hour), Times{100, 50, 99, time.Hour/100 + 49}},
	} {
		require.Equal(t, tc.want, timesOf(tc.samples), tc.name)
	}
}
