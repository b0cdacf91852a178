package committer_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

// etagless is a store that gives objects no ETag, so that only the bytes can tell
// one from another.
type etagless struct{ *memory.Store }

func (s etagless) PutIfAbsent(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
	attrs, err := s.Store.PutIfAbsent(ctx, key, body, opts)
	attrs.ETag = ""
	return attrs, err
}

func (s etagless) Get(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
	body, attrs, err := s.Store.Get(ctx, key)
	attrs.ETag = ""
	return body, attrs, err
}

func (s etagless) Head(ctx context.Context, key string) (backends.Attrs, error) {
	attrs, err := s.Store.Head(ctx, key)
	attrs.ETag = ""
	return attrs, err
}

func (s etagless) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	page, err := s.Store.List(ctx, in)
	for i := range page.Objects {
		page.Objects[i].ETag = ""
	}
	return page, err
}

func TestATagThatMovesIsSeenWithoutETags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kind{}.settled(1, 2, 3, 4, 5, 6)
		store.Inject(tags+"moves.json", tagOf("null", 6))
		batch := 0
		table := committer.NewTable(intercept.Wrap(struct {
			etagless
			backends.BulkDeleter
		}{etagless{store}, inBatches{store, 2}}, func(
			ctx context.Context, call intercept.Call, do func(context.Context) error,
		) error {
			if call.Method == "BULKDELETE" {
				if batch++; batch == 1 {
					store.Inject(tags+"moves.json", tagOf("null", 3))
				}
			}
			return do(ctx)
		}), root)
		_, err := table.DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
		require.NoError(t, err)
		require.Equal(t, []uint64{3, 6}, kind{}.left(t, store))
	})
}

func TestAManifestIsReadAndNotRememberedWithoutETags(t *testing.T) {
	store := laid(1)
	table := committer.NewTable(etagless{store}, root)
	v, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
	require.NoError(t, err)
	store.Inject(v.Key, manifestOf(2, "another table's"))
	content, err := table.ReadManifest(t.Context(), v)
	require.NoError(t, err)
	require.Equal(t, manifestOf(2, "another table's"), content)
}

// listedWithout is a store whose listings alone have no ETags.
type listedWithout struct{ *memory.Store }

func (s listedWithout) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	return etagless(s).List(ctx, in)
}

func TestATableIsNotTakenForAnotherWhereListingsHaveNoETags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := committer.NewTable(listedWithout{laid()}, root)
		for version := range uint64(3) {
			_, err := table.Commit(t.Context(), version+1, manifestOf(version+1, "mine"))
			require.NoError(t, err)
			time.Sleep(time.Minute) // so that the next one lists
		}
		_, err := table.Update(t.Context(), func(ctx context.Context, base committer.Version) ([]byte, error) {
			time.Sleep(10 * time.Second)
			return build(ctx, base)
		})
		require.NoError(t, err)
	})
}
