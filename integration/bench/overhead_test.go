package bench_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// What this module itself costs a commit: on the memory store, beside the
// store's own create of the same bytes with the same metadata.
func BenchmarkOverhead(b *testing.B) {
	// In a run. A writer has just made its manifest: of thousands that were made
	// before, each would have left the processor's cache, and the memory store
	// would move as many names for each new one.
	const commits = 200
	ctx := context.Background()
	bodies := make([][]byte, commits)
	for i := range bodies {
		bodies[i] = body(uint64(i + 1))
	}
	var metadata [commits]string
	var keys [commits]string
	for i := range keys {
		keys[i] = naming.Versions(root) + naming.V2.Final(uint64(i+1))
	}
	committed := memory.New(memory.Options{})
	commit := func() error {
		committed = memory.New(memory.Options{})
		table := committer.NewTable(committed, root)
		for i, body := range bodies {
			if _, err := table.Commit(ctx, uint64(i+1), body); err != nil {
				return err
			}
		}
		return nil
	}
	create := func() error {
		store := memory.New(memory.Options{})
		for i, body := range bodies {
			if _, err := store.PutIfAbsent(ctx, keys[i], body, backends.PutOptions{Metadata: metadata[i]}); err != nil {
				return err
			}
		}
		return nil
	}
	require.NoError(b, commit())
	for i, key := range keys {
		attrs, err := committed.Head(ctx, key)
		require.NoError(b, err)
		metadata[i] = attrs.Metadata
	}
	var took, allocs []float64
	order := rand.New(rand.NewPCG(1, 2))
	run := func() {
		var theirs, ours sample
		sides := []struct {
			do   func() error
			cost *sample
		}{{create, &theirs}, {commit, &ours}}
		for _, i := range order.Perm(len(sides)) {
			var err error
			*sides[i].cost, err = measured(sides[i].do)
			require.NoError(b, err)
		}
		took = append(took, float64(ours.took-theirs.took)/commits/float64(time.Microsecond))
		allocs = append(allocs, (float64(ours.allocs)-float64(theirs.allocs))/commits)
	}
	for b.Loop() {
		run()
	}
	for judged() && len(took) < least {
		run()
	}
	b.ReportMetric(median(took)*1000, "ns/op")
	report(b, "µs-beyond", figure{what: "Commit - create, µs", runs: took, most: 2})
	report(b, "allocs-beyond", figure{what: "Commit - create, allocations", runs: allocs, most: 10,
		detail: fmt.Sprintf("%d commits a run", commits)})
}
