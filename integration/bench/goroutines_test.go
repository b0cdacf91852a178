package bench_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

// 64 goroutines that update one table beside creates in a row with the SDK
// alone: the versions of a table follow one another, so no table is faster.
func BenchmarkGoroutines(b *testing.B) {
	const goroutines, stretch = 64, time.Second
	eachServer(b, func(b *testing.B, at place) {
		var puts atomic.Int64
		counted := intercept.Wrap(at.store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
			if call.Method == "PUT" {
				puts.Add(1)
			}
			return do(ctx)
		})
		table := committer.NewTable(counted, root)
		var created uint64
		alone := func(ctx context.Context) error {
			created++
			return at.raw.create(ctx, naming.Versions(bare)+naming.V2.Final(created), body(created), "")
		}
		update := func(ctx context.Context) error {
			_, err := table.Update(ctx, func(_ context.Context, base committer.Version) ([]byte, error) {
				return body(base.Number + 1), nil
			})
			return err
		}
		var share, each []float64
		var limit, reached float64
		run := func() {
			_, limit = rate(b, stretch, 1, alone)
			before := puts.Load()
			var commits int64
			commits, reached = rate(b, stretch, goroutines, update)
			share = append(share, reached/limit)
			each = append(each, float64(puts.Load()-before)/float64(commits))
		}
		run() // makes the connections
		share, each = nil, nil
		for b.Loop() {
			run()
		}
		for judged() && len(share) < least {
			run()
		}
		report(b, "of-the-limit", figure{what: "Update by 64 goroutines / creates in a row", runs: share, least: 0.9,
			detail: fmt.Sprintf("%.0f, %.0f a second", reached, limit)})
		report(b, "PUTs/commit", figure{what: "PUTs a commit, 64 goroutines", runs: each, most: 1.02})
	})
}

// rate has goroutines do something for a while, and returns how often it was
// done, and how often a second.
func rate(b *testing.B, stretch time.Duration, goroutines int, do func(context.Context) error) (times int64, rate float64) {
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
