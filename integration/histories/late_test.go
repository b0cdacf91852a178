package histories_test

import (
	"context"
	"errors"
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

// An attempt is one Commit of TestLateWrites, and how it ended.
type attempt struct {
	version uint64
	body    []byte
	err     error
	took    time.Duration
}

// Writes that land up to 3 s late, and callers who give up after one: each is
// told in time, and what it was told agrees with what is there in the end.
func TestLateWrites(t *testing.T) {
	const (
		rivals   = 8
		deadline = time.Second
		grace    = time.Second
		// slack is what a busy machine may take for requests that are not late.
		slack = 10 * time.Second
	)
	rounds := 4
	if inCI() {
		rounds = 12
	}
	eachServer(t, func(t *testing.T, server *servers.Server) {
		between := networkOf(t, server, seedOf(t), func(rng *rand.Rand, operation string) (f servers.Fault) {
			if operation == "PUT" && rng.IntN(12) > 0 {
				f.Delay = slowest/3 + time.Duration(rng.Int64N(int64(2*slowest/3)))
				f.DropReply = rng.IntN(4) == 0
			}
			return f
		})
		bucket := server.URI(server.Bucket(t))
		var tables []*committer.Table
		for range rivals {
			tables = append(tables, committer.NewTable(openAt(t, bucket, optionsOf(between.server)), root,
				committer.WithRetry(committer.RetryPolicy{Grace: grace})))
		}
		var attempts []attempt
		for round := range rounds {
			made := make([]attempt, rivals)
			var busy sync.WaitGroup
			for i, table := range tables {
				busy.Go(func() { made[i] = commitNext(t, table, fmt.Sprintf("%03d/%03d", i, round), deadline) })
			}
			busy.Wait()
			attempts = append(attempts, made...)
		}
		between.settle()

		counts := make(map[string]int)
		table := committer.NewTable(openAt(t, bucket, optionsOf(server)), root)
		for _, a := range attempts {
			there, err := contentOf(t.Context(), table, a.version)
			if !errors.Is(err, committer.ErrVersionNotFound) {
				require.NoError(t, err)
			}
			same := string(there) == string(a.body)
			switch {
			case a.err == nil:
				counts["committed"]++
				require.True(t, same, "version %d was committed", a.version)
			case errors.Is(a.err, committer.ErrConflict):
				counts["conflict"]++
				require.False(t, same, "version %d: %v", a.version, a.err)
			default:
				require.ErrorIs(t, a.err, committer.ErrUnknownOutcome)
				counts[fmt.Sprintf("unknown, there: %v", same)]++
			}
			require.Less(t, a.took, deadline+grace+slack, "version %d: %v", a.version, a.err)
		}
		t.Logf("%d commits: %v", len(attempts), counts)
		require.Positive(t, counts["committed"]+counts["unknown, there: true"])
	})
}

// commitNext commits on top of the latest, within the deadline.
func commitNext(t *testing.T, table *committer.Table, note string, deadline time.Duration) (a attempt) {
	latest, err := table.Latest(t.Context())
	if err != nil && !errors.Is(err, committer.ErrTableNotFound) {
		t.Error(err)
	}
	a.version = latest.Number + 1
	a.body = testmanifest.New(a.version, "", note)
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	began := time.Now()
	_, a.err = table.Commit(ctx, a.version, a.body)
	a.took = time.Since(began)
	return a
}
