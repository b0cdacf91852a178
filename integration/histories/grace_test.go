package histories_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

// A call whose create does not end in its time looks for the grace and no longer,
// however slow the reads are. The clock is not a real one.
func TestACallEndsWithinItsTimeAndTheGrace(t *testing.T) {
	const deadline, grace = time.Second, time.Second
	for _, read := range []time.Duration{0, 100 * time.Millisecond, 450 * time.Millisecond, 900 * time.Millisecond, time.Hour} {
		t.Run("reads take "+read.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sent := false
				store := intercept.Wrap(memory.New(memory.Options{}), func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
					switch {
					case call.Method == "PUT":
						sent = true
						<-ctx.Done()
						return ctx.Err()
					case sent:
						select {
						case <-time.After(read):
						case <-ctx.Done():
							return ctx.Err()
						}
					}
					return do(ctx)
				})
				table := committer.NewTable(store, root, committer.WithRetry(committer.RetryPolicy{Grace: grace}))
				ctx, cancel := context.WithTimeout(t.Context(), deadline)
				defer cancel()
				began := time.Now()
				_, err := table.Commit(ctx, 1, testmanifest.New(1, "", "mine"))
				require.ErrorIs(t, err, committer.ErrUnknownOutcome)
				require.LessOrEqual(t, time.Since(began), deadline+grace)
			})
		})
	}
}
