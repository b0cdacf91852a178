package bench_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// least is how many runs a judgement needs.
const least = 7

// A figure is one result: what the runs of a benchmark gave.
type figure struct {
	what string
	runs []float64
	// bare are the runs of no more requests by the SDK alone, if it is known.
	bare []float64
	// most and least are the goal; zero is none.
	most, least float64
	// detail is what else is worth to be read.
	detail string
}

// judged reports whether there are enough turns to judge by: a fixed number is
// for trying the benchmarks out.
func judged() bool {
	return !strings.HasSuffix(flag.Lookup("test.benchtime").Value.String(), "x")
}

// results are the figures of all benchmarks, for the table at the end.
var results struct {
	mu   sync.Mutex
	rows []row
}

const missed = "missed"

type row struct {
	benchmark, verdict string
	figure
}

// report gives a figure to the benchmark's output as a metric, and to the table.
func report(b *testing.B, metric string, f figure) {
	b.Helper()
	b.ReportMetric(median(f.runs), metric)
	verdict := f.verdict()
	if !judged() {
		verdict = ""
	}
	results.mu.Lock()
	defer results.mu.Unlock()
	// The last of several tries stands.
	results.rows = slices.DeleteFunc(results.rows, func(r row) bool { return r.benchmark == b.Name() && r.what == f.what })
	results.rows = append(results.rows, row{b.Name(), verdict, f})
}

// verdict compares the median of the runs with the goal. The median misses it by
// more than noise when its confidence interval does, too. What the bare requests
// miss as well is out of reach of whoever makes them.
func (f figure) verdict() string {
	low, high := interval(f.runs)
	switch {
	case f.most == 0 && f.least == 0:
		return ""
	case len(f.runs) < least:
		return missed + ": too few runs"
	case f.misses(low) && f.misses(high):
		if len(f.bare) > 0 && f.misses(median(f.bare)) {
			return fmt.Sprintf("out of reach: bare %.3f", median(f.bare))
		}
		return missed
	case f.misses(median(f.runs)):
		return "within noise"
	default:
		return "reached"
	}
}

// misses reports whether a value is beyond the goal.
func (f figure) misses(value float64) bool {
	return f.most != 0 && value > f.most || f.least != 0 && value < f.least
}

func (f figure) goal() string {
	switch {
	case f.most != 0:
		return fmt.Sprintf("<= %.4g", f.most)
	case f.least != 0:
		return fmt.Sprintf(">= %.4g", f.least)
	default:
		return ""
	}
}

// value is the median and the interval around it.
func (f figure) value() string {
	low, high := interval(f.runs)
	if low == high {
		return fmt.Sprintf("%.3f", low)
	}
	return fmt.Sprintf("%.3f (%.3f to %.3f)", median(f.runs), low, high)
}

// interval returns the narrowest pair of order statistics that the true median
// lies between with 95 % confidence, whatever the distribution of the runs.
func interval(runs []float64) (low, high float64) {
	sorted := slices.Sorted(slices.Values(runs))
	n, outside := len(sorted), 0.0
	k := 0
	// The median is below the k-th smallest when fewer than k runs are below it.
	for chance := math.Pow(0.5, float64(n)); k < (n-1)/2; k++ {
		if outside += 2 * chance; outside > 0.05 {
			break
		}
		chance *= float64(n-k) / float64(k+1)
	}
	k = max(k-1, 0)
	return sorted[k], sorted[n-1-k]
}

func median[T float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// figuresTable is the name of the table of all figures in README.md.
const figuresTable = "figures"

// figures returns the table of all figures, and how many goals are missed.
func figures() (all table, misses int) {
	results.mu.Lock()
	defer results.mu.Unlock()
	all = table{{"benchmark", "what", "median (95 %)", "goal", "verdict", "medians"}}
	for _, r := range results.rows {
		all = append(all, []string{strings.TrimPrefix(r.benchmark, "Benchmark"), r.what, r.value(), r.goal(), r.verdict, r.detail})
		if strings.HasPrefix(r.verdict, missed) {
			misses++
		}
	}
	return all, misses
}
