package committer_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

// slowly returns a store whose requests of one method take so long.
func slowly(store backends.Store, method string, by time.Duration) backends.Store {
	return intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
		if call.Method == method {
			select {
			case <-time.After(by):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return do(ctx)
	})
}

func TestNoTryBeginsAfterTheTimeOfTheCall(t *testing.T) {
	for name, call := range map[string]func(ctx context.Context, table *committer.Table) error{
		"update": func(ctx context.Context, table *committer.Table) error {
			_, err := table.Update(ctx, func(_ context.Context, base committer.Version) ([]byte, error) {
				return manifestOf(base.Number+1, "mine"), nil
			})
			return err
		},
		"commit": func(ctx context.Context, table *committer.Table) error {
			_, err := table.Commit(ctx, 2, manifestOf(2, "mine"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := laid(1)
				table := committer.NewTable(slowly(store, "LIST", 25*time.Second), root,
					committer.WithRetry(committer.RetryPolicy{MaxElapsed: 20 * time.Second}))
				err := call(t.Context(), table)
				require.ErrorIs(t, err, backends.ErrNotStored)
				require.ErrorContains(t, err, "before the create could be sent")
				require.Len(t, keys(t, store), 1)
			})
		})
	}
}
