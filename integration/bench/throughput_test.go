package bench_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/naming"
)

// A throughput is how many versions a second a table gets, run by run, beside
// creates in a row by one client with the SDK alone: the versions of a table
// follow one another, so no table is faster. The same creates as those of commits
// are a limit, too: with as much metadata, by as many goroutines of this process,
// which take turns.
type throughput struct {
	goroutines           int
	reached, limit, bare []float64

	mu      sync.Mutex // the turn
	created int
}

// run measures how many versions a second something makes, and the creates, of
// either kind for a second before it and for a second after it.
func (t *throughput) run(b *testing.B, raw raw, reach func() float64) {
	b.Helper()
	creates := func(goroutines int, metadata func(n int) string) float64 {
		_, aSecond := rate(b, time.Second, goroutines, func(ctx context.Context) error {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.created++
			version := uint64(t.created)
			return raw.create(ctx, naming.Versions(bare)+naming.V2.Final(version), body(version), metadata(t.created))
		})
		return aSecond
	}
	plain := func() float64 { return creates(1, func(int) string { return "" }) }
	same := func() float64 { return creates(t.goroutines, record) }
	sameBefore, before := same(), plain()
	reached := reach()
	after, sameAfter := plain(), same()
	t.reached = append(t.reached, reached)
	t.limit = append(t.limit, (before+after)/2)
	t.bare = append(t.bare, (sameBefore+sameAfter)/2)
}

// restart forgets the runs so far.
func (t *throughput) restart() { t.reached, t.limit, t.bare = nil, nil, nil }

const inARow = "creates in a row"

// sameCreates is what the creates are called that are those of commits.
func (t *throughput) sameCreates() string {
	if t.goroutines == 1 {
		return "creates with metadata in a row"
	}
	return fmt.Sprintf("creates with metadata by %d goroutines", t.goroutines)
}

// report gives the shares of the limits that are reached.
func (t *throughput) report(b *testing.B, what string, least float64) {
	b.Helper()
	for _, r := range t.shares(what, least) {
		report(b, r.metric, r.figure)
	}
}

// shares are those of the limits that are reached. A goal that the same creates
// miss as well is out of reach.
func (t *throughput) shares(what string, least float64) []result {
	share := func(what string, of, limit []float64) figure {
		f := figure{what: what, detail: fmt.Sprintf("%.0f, %.0f a second", median(of), median(limit))}
		for i := range of {
			f.runs = append(f.runs, of[i]/limit[i])
		}
		return f
	}
	bare := share(t.sameCreates()+" / "+inARow, t.bare, t.limit)
	reached := share(what+" / "+inARow, t.reached, t.limit)
	reached.least, reached.bare = least, bare.runs
	beside := share(what+" / "+t.sameCreates(), t.reached, t.bare)
	beside.least = least
	return []result{{"of-the-limit", reached}, {"of-the-same-creates", beside}, {"same-creates", bare}}
}

// rate has goroutines do something for a while, and returns how often it was
// done, and how often a second.
func rate(b *testing.B, stretch time.Duration, goroutines int, do func(context.Context) error) (times int64, aSecond float64) {
	b.Helper()
	var done atomic.Int64
	var working sync.WaitGroup
	began := time.Now()
	errs := make(chan error, goroutines)
	for range goroutines {
		working.Go(func() {
			for time.Since(began) < stretch {
				if err := do(context.Background()); err != nil {
					errs <- err
					return
				}
				done.Add(1)
			}
		})
	}
	working.Wait()
	took := time.Since(began)
	close(errs)
	require.NoError(b, <-errs)
	return done.Load(), float64(done.Load()) / took.Seconds()
}

func TestTheDetailOfAThroughputIsThatOfAllRuns(t *testing.T) {
	measured := &throughput{
		goroutines: 1,
		reached:    []float64{90, 300, 200, 210, 40}, limit: []float64{100, 400, 250, 300, 800},
		bare: []float64{100, 200, 250, 150, 400},
	}
	require.Equal(t, []result{
		{"of-the-limit", figure{
			what: "Update / creates in a row", runs: []float64{0.9, 0.75, 0.8, 0.7, 0.05}, detail: "200, 300 a second",
			least: 0.9, bare: []float64{1, 0.5, 1, 0.5, 0.5},
		}},
		{"of-the-same-creates", figure{
			what: "Update / creates with metadata in a row", runs: []float64{0.9, 1.5, 0.8, 1.4, 0.1}, detail: "200, 200 a second",
			least: 0.9,
		}},
		{"same-creates", figure{
			what: "creates with metadata in a row / creates in a row", runs: []float64{1, 0.5, 1, 0.5, 0.5}, detail: "200, 300 a second",
		}},
	}, measured.shares("Update", 0.9))
}
