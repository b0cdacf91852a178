package committer_test

import (
	"context"
	"testing"
	"testing/synctest"

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
