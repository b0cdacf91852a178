package stores_test

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/integration/lancedb"
	"github.com/lancecommit/lancecommit/integration/servers"
	"github.com/lancecommit/lancecommit/integration/stores/own"
	"github.com/lancecommit/lancecommit/naming"
)

// lanceServers are those that LanceDB can write to.
var lanceServers = []servers.Kind{servers.MinIO, servers.VersityGW, servers.Azurite}

// A lake is an empty folder that LanceDB and Go reach.
type lake struct {
	uri     string
	options map[string]string
	store   backends.Store
	// shown returns an error of LanceDB as it may be shown: it quotes what stores
	// answer, and that can repeat credentials.
	shown func(err error) error
}

// eachLake runs a test in each place that LanceDB can write to. fill makes a lake.
func eachLake(t *testing.T, test func(t *testing.T, fill func(t *testing.T) lake)) {
	for _, kind := range lanceServers {
		t.Run(string(kind), func(t *testing.T) {
			server := servers.Require(t, kind)
			test(t, func(t *testing.T) lake {
				bucket := server.URI(server.Bucket(t))
				return lake{bucket, server.StorageOptions(), openAt(t, bucket, optionsOf(server)), func(err error) error { return err }}
			})
		})
	}
	if own.LanceDBWrites() {
		onOwn(t, func(t *testing.T, store *own.Store) {
			test(t, func(t *testing.T) lake {
				in := store.Folder(t)
				return lake{in.URI, store.StorageOptions(), in.Store, store.Hide}
			})
		})
	}
}

// A shared is a table that LanceDB made and Go works on, too.
type shared struct {
	lake
	at    lancedb.Location
	db    *lancedb.DB
	lance *lancedb.Table
	table *committer.Table
}

// eachShared runs a test on a V1 table, a V2 table and a branch in each place.
func eachShared(t *testing.T, test func(t *testing.T, ctx context.Context, on shared)) {
	lancedb.Require(t)
	eachLake(t, func(t *testing.T, fill func(t *testing.T) lake) {
		for _, scheme := range []naming.Scheme{naming.V1, naming.V2} {
			for _, branch := range []string{"", "exp/one"} {
				t.Run(path.Join(scheme.String(), branch), func(t *testing.T) {
					ctx, in := withDeadline(t), fill(t)
					// LanceDB is started last, so that it ends before its files are removed.
					on := shared{lake: in, db: lancedb.Start(t), at: lancedb.Location{
						URI: in.uri + "/lake", Table: "t", StorageOptions: in.options,
					}}
					lance, err := on.db.Create(ctx, on.at, scheme.String(), rowsOf(1, 2)...)
					on.did(t, err)
					if branch != "" {
						_, err = lance.CreateBranch(ctx, branch, 1)
						on.did(t, err)
					}
					on.lance, err = on.db.Open(ctx, on.at, lancedb.OpenOptions{Branch: branch})
					on.did(t, err)
					on.table = committer.NewTable(in.store, "lake/t.lance", committer.WithBranch(branch))
					test(t, ctx, on)
				})
			}
		}
	})
}

// did requires that LanceDB did what it was asked for.
func (on shared) did(t *testing.T, err error) {
	t.Helper()
	require.NoError(t, on.shown(err))
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

		on.did(t, on.lance.CheckoutLatest(ctx))
		version, err := on.lance.Version(ctx)
		on.did(t, err)
		require.EqualValues(t, 2, version)
		version, err = on.lance.Append(ctx, rowsOf(3)...)
		on.did(t, err)
		require.EqualValues(t, 3, version)

		latest, err := on.table.Latest(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 3, latest.Number)
		_, err = on.table.Update(ctx, on.sameRows)
		require.NoError(t, err)
		on.did(t, on.lance.CheckoutLatest(ctx))
		rows, err := on.lance.Rows(ctx)
		on.did(t, err)
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
		on.did(t, err)

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
		on.did(t, on.lance.CheckoutLatest(ctx))
		rows, err := on.lance.IDs(ctx)
		on.did(t, err)
		require.ElementsMatch(t, append([]int32{1, 2}, ids...), rows, "every row is there once")
	})
}
