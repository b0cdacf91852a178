package bench

import (
	"math"
	"slices"
	"time"
)

// Times sum up how long something took.
type Times struct {
	// N is how many samples there are.
	N    int           `json:"n"`
	P50  time.Duration `json:"p50_ns"`
	P99  time.Duration `json:"p99_ns"`
	Mean time.Duration `json:"mean_ns"`
}

// timesOf sums up samples, which it sorts.
func timesOf(samples []time.Duration) Times {
	if len(samples) == 0 {
		return Times{}
	}
	slices.Sort(samples)
	var sum time.Duration
	for _, sample := range samples {
		sum += sample
	}
	return Times{
		N:    len(samples),
		P50:  percentile(samples, 50),
		P99:  percentile(samples, 99),
		Mean: sum / time.Duration(len(samples)),
	}
}

// percentile returns the smallest of the sorted samples that so many percent of
// all are not above (nearest rank).
func percentile[T any](sorted []T, percent int) T {
	rank := (len(sorted)*percent + 99) / 100
	return sorted[max(rank, 1)-1]
}

// rounded rounds to so many digits behind the point.
func rounded(value float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(value*scale) / scale
}
