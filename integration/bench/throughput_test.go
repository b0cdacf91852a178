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
// follow one another, so no table is faster. A commit stores metadata, so creates
// with as much are a limit, too.
type throughput struct {
	reached, limit, limitWithRecord []float64
	created                         int
}

// run measures how many versions a second something makes, and the creates in a
// row, of either kind for a second before it and for a second after it.
func (t *throughput) run(b *testing.B, raw raw, reach func() float64) {
	b.Helper()
	creates := func(metadata func(n int) string) float64 {
		_, aSecond := rate(b, time.Second, 1, func(ctx context.Context) error {
			t.created++
			version := uint64(t.created)
			return raw.create(ctx, naming.Versions(bare)+naming.V2.Final(version), body(version), metadata(t.created))
		})
		return aSecond
	}
	none := func(int) string { return "" }
	recordsBefore, before := creates(record), creates(none)
	reached := reach()
	after, recordsAfter := creates(none), creates(record)
	t.reached = append(t.reached, reached)
	t.limit = append(t.limit, (before+after)/2)
	t.limitWithRecord = append(t.limitWithRecord, (recordsBefore+recordsAfter)/2)
}

// restart forgets the runs so far.
func (t *throughput) restart() { t.reached, t.limit, t.limitWithRecord = nil, nil, nil }

const inARow, withRecordInARow = "creates in a row", "creates with metadata in a row"

// report gives the shares of the limits that are reached.
func (t *throughput) report(b *testing.B, what string, least float64) {
	b.Helper()
	for _, r := range t.shares(what, least) {
		report(b, r.metric, r.figure)
	}
}

// shares are those of the limits that are reached. A goal that creates with
// metadata miss as well is out of reach.
func (t *throughput) shares(what string, least float64) []result {
	share := func(what string, of, limit []float64) figure {
		f := figure{what: what, detail: fmt.Sprintf("%.0f, %.0f a second", median(of), median(limit))}
		for i := range of {
			f.runs = append(f.runs, of[i]/limit[i])
		}
		return f
	}
	bare := share(withRecordInARow+" / "+inARow, t.limitWithRecord, t.limit)
	reached := share(what+" / "+inARow, t.reached, t.limit)
	reached.least, reached.bare = least, bare.runs
	beside := share(what+" / "+withRecordInARow, t.reached, t.limitWithRecord)
	beside.least = least
	return []result{{"of-the-limit", reached}, {"of-the-limit-with-metadata", beside}, {"limit-with-metadata", bare}}
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
	measured := throughput{
		reached: []float64{90, 300, 200, 210, 40}, limit: []float64{100, 400, 250, 300, 800},
		limitWithRecord: []float64{100, 200, 250, 150, 400},
	}
	require.Equal(t, []result{
		{"of-the-limit", figure{
			what: "Update / creates in a row", runs: []float64{0.9, 0.75, 0.8, 0.7, 0.05}, detail: "200, 300 a second",
			least: 0.9, bare: []float64{1, 0.5, 1, 0.5, 0.5},
		}},
		{"of-the-limit-with-metadata", figure{
			what: "Update / creates with metadata in a row", runs: []float64{0.9, 1.5, 0.8, 1.4, 0.1}, detail: "200, 200 a second",
			least: 0.9,
		}},
		{"limit-with-metadata", figure{
			what: "creates with metadata in a row / creates in a row", runs: []float64{1, 0.5, 1, 0.5, 0.5}, detail: "200, 300 a second",
		}},
	}, measured.shares("Update", 0.9))
}
