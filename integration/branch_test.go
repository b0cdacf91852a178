package integration_test

import (
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/integration/fixtures"
	"github.com/lancecommit/lancecommit/integration/lancedb"
	"github.com/lancecommit/lancecommit/naming"
)

// As LanceDB starts a branch: its first manifest, then its ref, then the rest.
func TestLanceDBOpensABranchWhoseVersionsAreAllGos(t *testing.T) {
	ctx, chain := withDeadline(t), lay(t, fixtures.Branch(), 1)
	first := chain.Versions[0]
	var manifests [][]byte
	for _, v := range chain.Versions {
		manifests = append(manifests, chain.read(t, path.Join(chain.Root, "_versions", naming.V2.Final(v.Number))))
	}
	manifests = append(manifests, chain.read(t, chain.Staged))
	refName := naming.BranchRefs(chain.table.Root, chain.Branch)[0]
	ref := chain.read(t, refName)
	require.NoError(t, os.Remove(chain.path(refName)))
	require.NoError(t, os.RemoveAll(chain.path(path.Join(chain.Root, "_versions"))))

	_, err := chain.handle(t).Commit(ctx, first.Number, manifests[0])
	require.ErrorIs(t, err, committer.ErrBranchNotFound, "without WithNewBranch")
	starter := chain.handle(t, committer.WithNewBranch(first.Number))
	v, err := starter.Commit(ctx, first.Number, manifests[0])
	require.NoError(t, err)
	require.Equal(t, first.Number, v.Number)
	_, err = starter.Commit(ctx, first.Number+1, manifests[1])
	require.ErrorIs(t, err, committer.ErrBranchNotFound, "the ref is not written yet")

	require.NoError(t, os.WriteFile(chain.path(refName), ref, 0o666))
	lance := chain.open(t, ctx)
	requireVersion(t, ctx, lance, first)
	branches, err := lance.Branches(ctx)
	require.NoError(t, err)
	require.Contains(t, branches, chain.Branch)

	for i, want := range append(chain.Versions[1:len(chain.Versions):len(chain.Versions)], chain.Next) {
		_, err = starter.Commit(ctx, want.Number, manifests[i+1])
		require.NoError(t, err)
		requireVersion(t, ctx, chain.open(t, ctx), want)
	}
	number, err := chain.open(t, ctx).Append(ctx, rowsOf(201)...)
	require.NoError(t, err)
	latest, err := chain.handle(t).Latest(ctx)
	require.NoError(t, err)
	require.Equal(t, number, latest.Number)
}

func TestGoFindsBranchesByTheNamesThatLanceDBGivesThem(t *testing.T) {
	lancedb.Require(t)
	ctx, lance, folder := withDeadline(t), lancedb.Start(t), t.TempDir()
	for scheme, branches := range map[string][]string{
		"V1": {"one"},
		"V2": {"one", "exp/two", "a.b-c_d", "ä", "日本/x"},
	} {
		main, err := lance.Create(ctx, lancedb.Location{URI: folder, Table: scheme}, scheme, rowsOf(1)...)
		require.NoError(t, err)
		store, err := file.Open(filepath.Join(folder, scheme+".lance"))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		for _, name := range branches {
			t.Run(path.Join(scheme, name), func(t *testing.T) {
				branch, err := main.CreateBranch(ctx, name, 1)
				require.NoError(t, err)
				appended, err := branch.Append(ctx, rowsOf(2)...)
				require.NoError(t, err)

				table := committer.NewTable(store, "", committer.WithBranch(name))
				latest, err := table.Latest(ctx)
				require.NoError(t, err)
				require.Equal(t, appended, latest.Number)
				require.Equal(t, naming.V2, latest.Scheme, "branches have V2 names whatever the table has")
				v, err := table.Update(ctx, sameRows(table))
				require.NoError(t, err)
				require.NoError(t, branch.CheckoutLatest(ctx))
				requireVersion(t, ctx, branch, fixtures.Version{Number: v.Number, IDs: []int32{1, 2}})
			})
		}
	}
}
