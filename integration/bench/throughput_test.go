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
// follow one another, so no table is faster.
type throughput struct {
	reached, limit []float64
	created        uint64
}

// run measures how many versions a second something makes, and the creates in a
// row for a second before it and for a second after it.
func (t *throughput) run(b *testing.B, raw raw, reach func() float64) {
	b.Helper()
	create := func(ctx context.Context) error {
		t.created++
		return raw.create(ctx, naming.Versions(bare)+naming.V2.Final(t.created), body(t.created), "")
	}
	_, before := rate(b, time.Second, 1, create)
	reached := reach()
	_, after := rate(b, time.Second, 1, create)
	t.reached = append(t.reached, reached)
	t.limit = append(t.limit, (before+after)/2)
}

// restart forgets the runs so far.
func (t *throughput) restart() { t.reached, t.limit = nil, nil }

// figure is the share of the limit that is reached.
func (t *throughput) figure(what string, least float64) figure {
	share := make([]float64, len(t.reached))
	for i := range share {
		share[i] = t.reached[i] / t.limit[i]
	}
	return figure{what: what, runs: share, least: least,
		detail: fmt.Sprintf("%.0f, %.0f a second", median(t.reached), median(t.limit))}
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
	measured := throughput{reached: []float64{90, 300, 200, 210, 40}, limit: []float64{100, 400, 250, 300, 800}}
	figure := measured.figure("Update / creates in a row", 0.6)
	require.Equal(t, []float64{0.9, 0.75, 0.8, 0.7, 0.05}, figure.runs)
	require.Equal(t, "200, 300 a second", figure.detail)
}
