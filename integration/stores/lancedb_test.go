package stores_test

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/integration/lancedb"
	"github.com/lancecommit/lancecommit/integration/servers"
	"github.com/lancecommit/lancecommit/naming"
)

// lanceServers are those that LanceDB can write to.
var lanceServers = []servers.Kind{servers.MinIO, servers.VersityGW, servers.Azurite}

// A shared is a table on a server that LanceDB made and Go works on, too.
type shared struct {
	at    lancedb.Location
	db    *lancedb.DB
	lance *lancedb.Table
	table *committer.Table
}

// eachShared runs a test on a V1 table, a V2 table and a branch on each server.
func eachShared(t *testing.T, test func(t *testing.T, ctx context.Context, on shared)) {
	lancedb.Require(t)
	for _, kind := range lanceServers {
		for _, scheme := range []naming.Scheme{naming.V1, naming.V2} {
			for _, branch := range []string{"", "exp/one"} {
				t.Run(path.Join(string(kind), scheme.String(), branch), func(t *testing.T) {
					server := servers.Require(t, kind)
					ctx := withDeadline(t)
					bucket := server.Bucket(t)
					on := shared{db: lancedb.Start(t), at: lancedb.Location{
						URI: server.URI(bucket) + "/lake", Table: "t", StorageOptions: server.StorageOptions(),
					}}
					lance, err := on.db.Create(ctx, on.at, scheme.String(), rowsOf(1, 2)...)
					require.NoError(t, err)
					if branch != "" {
						_, err = lance.CreateBranch(ctx, branch, 1)
						require.NoError(t, err)
					}
					on.lance, err = on.db.Open(ctx, on.at, lancedb.OpenOptions{Branch: branch})
					require.NoError(t, err)
					store := openAt(t, server.URI(bucket), optionsOf(server))
					on.table = committer.NewTable(store, "lake/t.lance", committer.WithBranch(branch))
					test(t, ctx, on)
				})
			}
		}
	}
}

// sameRows builds the next version with the rows of its base.
func (on shared) sameRows(ctx context.Context, base committer.Version) ([]byte, error) {
	body, err := on.table.ReadManifest(ctx, base)
	if err != nil {
		return nil, err
	}
	return manifest.WithVersion(body, base.Number+1)
}

func rowsOf(ids ...int32) []lancedb.Row {
	rows := make([]lancedb.Row, len(ids))
	for i, id := range ids {
		rows[i] = lancedb.Row{ID: id, Text: fmt.Sprintf("row %d", id)}
	}
	return rows
}

func TestLanceDBAndGoBuildOnEachOther(t *testing.T) {
	eachShared(t, func(t *testing.T, ctx context.Context, on shared) {
		v, err := on.table.Update(ctx, on.sameRows)
		require.NoError(t, err)
		require.EqualValues(t, 2, v.Number)

		require.NoError(t, on.lance.CheckoutLatest(ctx))
		version, err := on.lance.Version(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 2, version)
		version, err = on.lance.Append(ctx, rowsOf(3)...)
		require.NoError(t, err)
		require.EqualValues(t, 3, version)

		latest, err := on.table.Latest(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 3, latest.Number)
		_, err = on.table.Update(ctx, on.sameRows)
		require.NoError(t, err)
		require.NoError(t, on.lance.CheckoutLatest(ctx))
		rows, err := on.lance.Rows(ctx)
		require.NoError(t, err)
		require.Equal(t, rowsOf(1, 2, 3), rows)
	})
}

func TestLanceDBAndGoCommitAtOnce(t *testing.T) {
	const commits = 20 // of each side
	eachShared(t, func(t *testing.T, ctx context.Context, on shared) {
		ids := make([]int32, commits)
		for i := range ids {
			ids[i] = 101 + int32(i)
		}
		var sides sync.WaitGroup
		var made []uint64
		sides.Go(func() {
			for range commits {
				v, err := on.table.Update(ctx, on.sameRows)
				if err != nil {
					t.Errorf("update: %v", err)
					return
				}
				made = append(made, v.Number)
			}
		})
		appended, err := on.lance.AppendEach(ctx, rowsOf(ids...), 100)
		sides.Wait()
		require.NoError(t, err)

		made = append(made, appended.Versions...)
		slices.Sort(made)
		var want, listed []uint64
		for v := uint64(1); v <= 2*commits+1; v++ {
			want = append(want, v)
		}
		require.Equal(t, want[1:], made, "each commit has a version of its own")
		for v, err := range on.table.Versions(ctx, committer.VersionsOptions{}) {
			require.NoError(t, err)
			listed = append([]uint64{v.Number}, listed...)
		}
		require.Equal(t, want, listed)
		require.NoError(t, on.lance.CheckoutLatest(ctx))
		rows, err := on.lance.IDs(ctx)
		require.NoError(t, err)
		require.ElementsMatch(t, append([]int32{1, 2}, ids...), rows, "every row is there once")
	})
}
