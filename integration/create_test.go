package integration_test

import (
	"context"
	"os"
	"path"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/integration/lancedb"
)

// namespace returns the namespace whose table the chain belongs to.
func (c laidChain) namespace(t *testing.T) *committer.Namespace {
	t.Helper()
	store, err := file.Open(c.folder)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return committer.NewNamespace(store, "")
}

func TestLanceDBReadsExactlyTheVersionThatWasCreatedFromItsStagedManifest(t *testing.T) {
	eachChain(t, func(t *testing.T, ctx context.Context, chain laidChain) {
		response, err := chain.namespace(t).CreateTableVersion(ctx, &committer.CreateTableVersionRequest{
			ID: []string{chain.table.Name}, Version: int64(chain.Next.Number), Branch: chain.Branch, ManifestPath: chain.Staged,
		})
		require.NoError(t, err)
		require.Equal(t, chain.Final(), response.Version.ManifestPath, "the name that LanceDB gives this version")
		require.NoFileExists(t, chain.path(chain.Staged))

		requireVersion(t, ctx, chain.open(t, ctx), chain.Next)
		number, err := chain.open(t, ctx).Append(ctx, rowsOf(201)...)
		require.NoError(t, err)
		require.Equal(t, chain.Next.Number+1, number)
	})
}

func TestTagsAndBranchesResolveAfterADeletion(t *testing.T) {
	eachChain(t, func(t *testing.T, ctx context.Context, chain laidChain) {
		// The versions must be old enough not to be kept for their age alone.
		then := time.Now().Add(-2 * time.Hour)
		for _, of := range chain.table.Chains() {
			folder := chain.path(path.Join(of.Root, "_versions"))
			entries, err := os.ReadDir(folder)
			require.NoError(t, err)
			for _, entry := range entries {
				require.NoError(t, os.Chtimes(path.Join(folder, entry.Name()), then, then))
			}
		}
		response, err := chain.namespace(t).BatchDeleteTableVersions(ctx, &committer.BatchDeleteTableVersionsRequest{
			ID: []string{chain.table.Name}, Branch: chain.Branch, Ranges: []committer.VersionRange{{Start: 0, End: -1}},
		})
		require.NoError(t, err)
		left := numbersOf(t, ctx, chain.handle(t))
		require.EqualValues(t, len(chain.Versions)-len(left), response.DeletedCount)
		require.Equal(t, left, numbersInLanceDB(t, ctx, chain.open(t, ctx)))
		require.Contains(t, left, chain.Latest().Number)

		for _, of := range chain.table.Chains() {
			other := laidChain{Chain: of, table: chain.table, folder: chain.folder, lance: chain.lance}
			requireVersion(t, ctx, other.open(t, ctx), of.Latest())
		}
		for _, tag := range chain.table.Tags {
			table, err := chain.lance.Open(ctx, lancedb.Location{URI: chain.table.Name, Table: chain.table.Name}, lancedb.OpenOptions{})
			require.NoError(t, err)
			require.NoError(t, table.Checkout(ctx, tag.Version))
			for _, v := range chain.table.Main.Versions {
				if v.Number == tag.Version {
					requireVersion(t, ctx, table, v)
				}
			}
		}
	})
}
