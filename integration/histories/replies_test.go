package histories_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/integration/servers"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

// patient bears a machine that is too busy to answer: the replies that are lost
// must be no error, however slow the others are.
var patient = committer.RetryPolicy{
	MaxElapsed: 4 * time.Minute, AttemptTimeout: time.Minute, ReadTimeout: time.Minute, Grace: time.Minute,
}

// With half of the replies to creates lost, each Update is there, and once.
func TestHalfOfTheRepliesLost(t *testing.T) {
	const processes, workers = 2, 5
	calls := 100
	if inCI() {
		calls = 1_000
	}
	eachServer(t, func(t *testing.T, server *servers.Server) {
		var lost, creates int
		between := networkOf(t, server, seedOf(t), func(rng *rand.Rand, operation string) (f servers.Fault) {
			if operation == "PUT" {
				creates++
				f.DropReply = rng.IntN(2) == 0
			}
			if f.DropReply {
				lost++
			}
			return f
		})
		bucket := server.URI(server.Bucket(t))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		notes := make(map[string]uint64) // versions, by the note of the call
		var mu sync.Mutex
		began := time.Now()
		var busy sync.WaitGroup
		for p := range processes {
			table := committer.NewTable(openAt(t, bucket, optionsOf(between.server)), root, committer.WithRetry(patient))
			for w := range workers {
				busy.Go(func() {
					for i := range calls / processes / workers {
						note := fmt.Sprintf("%d/%d/%04d", p, w, i)
						v, err := table.Update(ctx, func(_ context.Context, base committer.Version) ([]byte, error) {
							return testmanifest.New(base.Number+1, "", note), nil
						})
						if err != nil {
							t.Errorf("update %s: %v", note, err)
							return
						}
						mu.Lock()
						notes[note] = v.Number
						mu.Unlock()
					}
				})
			}
		}
		busy.Wait()
		took := time.Since(began)
		between.settle()
		require.False(t, t.Failed())
		require.Len(t, notes, calls)

		table := committer.NewTable(openAt(t, bucket, optionsOf(server)), root)
		latest, err := table.Latest(ctx)
		require.NoError(t, err)
		require.EqualValues(t, calls, latest.Number, "versions")
		seen := make(map[uint64]bool)
		for note, version := range notes {
			require.False(t, seen[version], "two calls were told that they had made version %d", version)
			seen[version] = true
			requireContent(ctx, t, table, version, testmanifest.New(version, "", note))
		}
		require.Greater(t, 4*lost, creates, "of %d replies so many were lost: %d", creates, lost)
		t.Logf("%d updates in %v, %.0f a second, %d creates of which %d got no reply", calls, took.Round(time.Millisecond),
			float64(calls)/took.Seconds(), creates, lost)
	})
}

func requireContent(ctx context.Context, t *testing.T, table *committer.Table, version uint64, want []byte) {
	t.Helper()
	got, err := contentOf(ctx, table, version)
	require.NoError(t, err)
	require.Equal(t, want, got, "the content of version %d", version)
}

func contentOf(ctx context.Context, table *committer.Table, version uint64) ([]byte, error) {
	v, err := table.Version(ctx, version)
	if err != nil {
		return nil, err
	}
	return table.ReadManifest(ctx, v)
}
