package bench_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/integration/bench/processes"
)

// 8 processes of 8 goroutines that update one table, between creates in a row
// with the SDK alone.
func BenchmarkProcesses(b *testing.B) {
	eachServer(b, func(b *testing.B, at place) {
		length := 10 * time.Second
		if testing.Short() {
			length = time.Second
		}
		reached := throughput{goroutines: 1}
		var puts, slowest, p99 []float64
		run := func() {
			// Each in a bucket that is as empty as that of the first.
			require.NoError(b, at.server.Forget(b.Context(), at.bucket))
			at = newPlace(b, at.server)
			reached.run(b, at.raw, func() float64 {
				result, err := processes.Run(b.Context(), processes.Config{
					Location: at.uri + "/db/p.lance", Options: at.options,
					Processes: 8, Goroutines: 8, For: length,
				})
				require.NoError(b, err)
				require.Empty(b, result.Errors)
				puts = append(puts, float64(result.PUTs)/float64(result.Total()))
				slowest = append(slowest, result.Share())
				p99 = append(p99, result.P99.Seconds())
				return float64(result.InTime) / length.Seconds()
			})
		}
		for b.Loop() {
			run()
		}
		for judged() && len(puts) < least {
			run()
		}
		reached.report(b, "Update by 8 x 8", 0.6)
		report(b, "PUTs/commit", figure{what: "PUTs a commit", runs: puts, most: 1.6})
		report(b, "slowest", figure{what: "slowest process / mean", runs: slowest, least: 0.6})
		report(b, "p99-s", figure{what: "p99 of an Update, s", runs: p99, most: 3})
	})
}
