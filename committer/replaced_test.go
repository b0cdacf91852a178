package committer_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

// remake drops the table and makes it again with other objects of the same
// versions.
func remake(t *testing.T, store *memory.Store, versions ...uint64) {
	t.Helper()
	for _, name := range keys(t, store) {
		require.NoError(t, store.Delete(t.Context(), naming.Versions(root)+name))
	}
	lay(store, naming.V2, versions...)
}

func TestAWriterOfATableThatWasMadeAgainIsToldOnce(t *testing.T) {
	for _, staleAfter := range []time.Duration{0, 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			store := laid(1, 2, 3)
			table := committer.NewTable(store, root, committer.WithStaleAfter(staleAfter))
			_, err := table.Latest(t.Context())
			require.NoError(t, err)
			remake(t, store, 1, 2, 3)
			time.Sleep(time.Minute)

			_, err = table.Commit(t.Context(), 4, manifestOf(4, "mine"))
			var conflict *committer.ConflictError
			require.True(t, errors.As(err, &conflict), err)
			require.True(t, conflict.Replaced)
			require.ErrorContains(t, err, "made again")
			require.Len(t, keys(t, store), 3, "nothing is written")

			_, err = table.Commit(t.Context(), 4, manifestOf(4, "mine"))
			require.NoError(t, err, "now it knows")
		})
	}
}

func TestAWriterThatHasSeenTheTableThatWasMadeAgainIsNotRefused(t *testing.T) {
	for name, look := range map[string]func(ctx context.Context, table *committer.Table) error{
		"by Latest": func(ctx context.Context, table *committer.Table) error {
			_, err := table.Latest(ctx)
			return err
		},
		"by the base of an Update": func(ctx context.Context, table *committer.Table) error {
			_, err := table.Update(ctx, func(_ context.Context, base committer.Version) ([]byte, error) {
				return manifestOf(base.Number+1, "built"), nil
			})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := laid(1, 2, 3)
				table := committer.NewTable(store, root)
				_, err := table.Latest(t.Context())
				require.NoError(t, err)
				remake(t, store, 1, 2, 3)
				time.Sleep(time.Minute)
				require.NoError(t, look(t.Context(), table))
				latest, err := table.Latest(t.Context())
				require.NoError(t, err)
				_, err = table.Commit(t.Context(), latest.Number+1, manifestOf(latest.Number+1, "mine"))
				require.NoError(t, err)
			})
		})
	}
}

func TestANamespaceHoldsNobodyToWhatItSawBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := laid(1, 2, 3)
		namespace, _ := inNamespace(store)
		_, err := namespace.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{ID: tableID})
		require.NoError(t, err)
		remake(t, store, 1, 2, 3)
		time.Sleep(time.Minute)
		create(t, namespace, stage(store, 4, "built on the new one"))
	})
}

func TestATableThatWasMadeAgainIsNoticedAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := laid(1, 2, 3)
		table, _ := scripted(store, []step{answers(backends.ErrPermission), pass})
		_, err := table.Commit(t.Context(), 4, manifestOf(4, "mine"))
		require.ErrorIs(t, err, backends.ErrPermission)
		remake(t, store, 1, 2, 3)
		_, err = table.Commit(t.Context(), 4, manifestOf(4, "mine"))
		var conflict *committer.ConflictError
		require.True(t, errors.As(err, &conflict), err)
		require.True(t, conflict.Replaced)
	})
}

func TestALatestThatShowedNothingOfTheNewTableDoesNotCountAsAWarning(t *testing.T) {
	for name, meanwhile := range map[string]func(ctx context.Context, remake func(), do func(context.Context) error) error{
		"it failed": func(_ context.Context, remake func(), _ func(context.Context) error) error {
			remake()
			return errReset
		},
		"the table was made again while it looked": func(ctx context.Context, remake func(), do func(context.Context) error) error {
			err := do(ctx)
			remake()
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := laid(1)
			var table *committer.Table
			looked := false
			table = committer.NewTable(intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
				if call.Method != "HEAD" || looked {
					return do(ctx)
				}
				looked = true
				return meanwhile(ctx, func() {
					remake(t, store, 1)
					// Another goroutine of the writer's lists.
					for _, err := range table.Versions(ctx, committer.VersionsOptions{}) {
						require.NoError(t, err)
					}
				}, do)
			}), root)
			old, err := table.Latest(t.Context())
			require.NoError(t, err)
			again, err := table.Latest(t.Context())
			require.True(t, looked)
			if err == nil {
				require.Equal(t, old, again)
			}
			_, err = table.Commit(t.Context(), 2, manifestOf(2, "built on the old one"))
			var conflict *committer.ConflictError
			require.True(t, errors.As(err, &conflict), err)
			require.True(t, conflict.Replaced)
		})
	}
}
