package bench_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

// 64 goroutines that update one table, between creates in a row with the SDK
// alone.
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
		update := func(ctx context.Context) error {
			_, err := table.Update(ctx, func(_ context.Context, base committer.Version) ([]byte, error) {
				return body(base.Number + 1), nil
			})
			return err
		}
		reached := throughput{goroutines: goroutines}
		var each []float64
		run := func() {
			reached.run(b, at.raw, func() float64 {
				before := puts.Load()
				commits, aSecond := rate(b, stretch, goroutines, update)
				each = append(each, float64(puts.Load()-before)/float64(commits))
				return aSecond
			})
		}
		run() // makes the connections
		reached.restart()
		each = nil
		for b.Loop() {
			run()
		}
		for judged() && len(each) < least {
			run()
		}
		reached.report(b, "Update by 64 goroutines", 0.9)
		report(b, "PUTs/commit", figure{what: "PUTs a commit, 64 goroutines", runs: each, most: 1.02})
	})
}
