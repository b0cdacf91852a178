package bench_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/integration/bench/processes"
	"github.com/lancecommit/lancecommit/naming"
)

// 8 processes of 8 goroutines that update one table, between creates in a row
// with the SDK alone.
func BenchmarkProcesses(b *testing.B) {
	eachServer(b, func(b *testing.B, at place) {
		length := 10 * time.Second
		if testing.Short() {
			length = time.Second
		}
		var created uint64
		alone := func(ctx context.Context) error {
			created++
			return at.raw.create(ctx, naming.Versions(bare)+naming.V2.Final(created), body(created), "")
		}
		var share, puts, slowest, p99 []float64
		var limit, reached float64
		run := func() {
			_, before := rate(b, time.Second, 1, alone)
			result, err := processes.Run(b.Context(), processes.Config{
				Location: fmt.Sprintf("%s/db/p%d.lance", at.uri, len(share)), Options: at.options,
				Processes: 8, Goroutines: 8, For: length,
			})
			require.NoError(b, err)
			require.Empty(b, result.Errors)
			_, after := rate(b, time.Second, 1, alone)
			limit = (before + after) / 2
			reached = float64(result.InTime) / length.Seconds()
			share = append(share, reached/limit)
			puts = append(puts, float64(result.PUTs)/float64(result.Total()))
			slowest = append(slowest, result.Share())
			p99 = append(p99, result.P99.Seconds())
		}
		for b.Loop() {
			run()
		}
		for judged() && len(share) < least {
			run()
		}
		report(b, "of-the-limit", figure{what: "Update by 8 x 8 / creates in a row", runs: share, least: 0.6,
			detail: fmt.Sprintf("%.0f, %.0f a second", reached, limit)})
		report(b, "PUTs/commit", figure{what: "PUTs a commit", runs: puts, most: 1.6})
		report(b, "slowest", figure{what: "slowest process / mean", runs: slowest, least: 0.6})
		report(b, "p99-s", figure{what: "p99 of an Update, s", runs: p99, most: 3})
	})
}
