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

// silent returns a store that takes requests of one method and never answers.
func silent(store backends.Store, method string) backends.Store {
	return intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
		if call.Method == method {
			<-ctx.Done()
			return ctx.Err()
		}
		return do(ctx)
	})
}

func TestAStoreThatNeverAnswersHoldsNobodyForEver(t *testing.T) {
	version := int64(2)
	calls := map[string]func(ctx context.Context, store backends.Store, table *committer.Table) error{
		"commit": func(ctx context.Context, _ backends.Store, table *committer.Table) error {
			_, err := table.Commit(ctx, 3, manifestOf(3, "mine"))
			return err
		},
		"latest": func(ctx context.Context, _ backends.Store, table *committer.Table) error {
			_, err := table.Latest(ctx)
			return err
		},
		"version": func(ctx context.Context, _ backends.Store, table *committer.Table) error {
			_, err := table.Version(ctx, 2)
			return err
		},
		"versions": func(ctx context.Context, _ backends.Store, table *committer.Table) error {
			for _, err := range table.Versions(ctx, committer.VersionsOptions{}) {
				return err
			}
			return nil
		},
		"create": func(ctx context.Context, store backends.Store, _ *committer.Table) error {
			_, err := committer.NewNamespace(store, namespaceRoot).CreateTableVersion(ctx, &committer.CreateTableVersionRequest{
				ID: tableID, Version: 3, ManifestPath: "_versions/" + stagedName(3, 1),
			})
			return err
		},
		"describe": func(ctx context.Context, store backends.Store, _ *committer.Table) error {
			_, err := committer.NewNamespace(store, namespaceRoot).DescribeTableVersion(ctx, &committer.DescribeTableVersionRequest{
				ID: tableID, Version: &version,
			})
			return err
		},
		"delete": func(ctx context.Context, _ backends.Store, table *committer.Table) error {
			_, err := table.DeleteVersions(ctx, []committer.VersionRange{{Start: 1, End: 2}}, committer.DeleteOptions{Force: true})
			return err
		},
		"sweep": func(ctx context.Context, _ backends.Store, table *committer.Table) error {
			_, err := table.Sweep(ctx, 7*24*time.Hour, committer.SweepOptions{})
			return err
		},
	}
	for name, do := range calls {
		for _, method := range []string{"LIST", "HEAD", "GET", "PUT", "DELETE", "BULKDELETE"} {
			t.Run(name+" "+method, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					memory := laid(1, 2)
					stage(memory, 3, "mine")
					store := silent(memory, method)
					began := time.Now()
					// What does not need the method succeeds.
					_ = do(t.Context(), store, committer.NewTable(store, root))
					require.Less(t, time.Since(began), 4*time.Minute)
				})
			})
		}
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := committer.NewTable(silent(laid(1), "LIST"), root).Latest(t.Context())
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "the store did not answer within 30s")
		require.Equal(t, 30*time.Second, time.Since(began))
	})
}
