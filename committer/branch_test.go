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
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

const branch = "exp/one"

const (
	escapedRef = root + "/_refs/branches/exp%2Fone.json"
	slashedRef = root + "/_refs/branches/exp/one.json"
)

// ref is what LanceDB writes for a branch that forks from version 3 of main.
const ref = `{"parentBranch":null,"parentVersion":3,"createAt":1764400000,"manifestSize":300,"metadata":{}}`

func onBranch(version uint64) []byte { return testmanifest.New(version, branch, "mine") }

// branchVersion is the key of one of the branch's manifests.
func branchVersion(version uint64) string {
	return root + "/tree/exp/one/_versions/" + naming.V2.Final(version)
}

func TestABranchIsAChainOfItsOwnThatBeginsAtItsFork(t *testing.T) {
	for _, where := range []string{escapedRef, slashedRef} {
		store := laid(1, 2, 3, 4)
		store.Inject(where, []byte(ref))
		table := committer.NewTable(store, root, committer.WithBranch(branch))
		require.Equal(t, root+"/tree/exp/one", table.Root())

		_, err := table.Latest(t.Context())
		require.ErrorIs(t, err, committer.ErrTableNotFound)
		_, err = table.Commit(t.Context(), 1, onBranch(1))
		require.ErrorIs(t, err, committer.ErrConflict, "the chain begins at the fork")
		got, err := table.Commit(t.Context(), 3, onBranch(3))
		require.NoError(t, err)
		require.Equal(t, branchVersion(3), got.Key)
		got, err = table.Commit(t.Context(), 4, onBranch(4))
		require.NoError(t, err)
		require.Equal(t, branchVersion(4), got.Key)
		require.Len(t, keys(t, store), 4, "main is untouched")
	}
}

func TestMainHasThreeSpellings(t *testing.T) {
	store := laid(1)
	for _, opts := range [][]committer.Option{{}, {committer.WithBranch("")}, {committer.WithBranch("main")}} {
		table := committer.NewTable(store, root, opts...)
		require.Equal(t, root, table.Root())
		_, err := table.Latest(t.Context())
		require.NoError(t, err)
	}
	main := testmanifest.New(2, "main", "mine")
	_, err := committer.NewTable(store, root).Commit(t.Context(), 2, main)
	require.NoError(t, err, "a manifest may spell main out")
}

func TestTheBranchInsideTheManifestMustBeTheTables(t *testing.T) {
	store := laid(1, 2, 3)
	store.Inject(escapedRef, []byte(ref))
	_, err := committer.NewTable(store, root).Commit(t.Context(), 4, onBranch(4))
	require.ErrorIs(t, err, committer.ErrInvalid)
	require.ErrorContains(t, err, `the manifest says branch "exp/one", it was to be committed to main`)
	_, err = committer.NewTable(store, root, committer.WithBranch(branch)).Commit(t.Context(), 3, manifestOf(3, "mine"))
	require.ErrorIs(t, err, committer.ErrInvalid)
	require.ErrorContains(t, err, `the manifest says branch main, it was to be committed to "exp/one"`)
}

func TestABranchWithoutARefIsNotFound(t *testing.T) {
	for name, chain := range map[string][]uint64{"never made": nil, "deleted, with versions left": {3, 4}} {
		t.Run(name, func(t *testing.T) {
			store := laid(1, 2, 3)
			for _, v := range chain {
				store.Inject(branchVersion(v), onBranch(v))
			}
			table := committer.NewTable(store, root, committer.WithBranch(branch))
			_, err := table.Latest(t.Context())
			require.ErrorIs(t, err, committer.ErrBranchNotFound)
			_, err = table.Commit(t.Context(), 5, onBranch(5))
			require.ErrorIs(t, err, committer.ErrBranchNotFound)
			_, err = table.Update(t.Context(), build)
			require.ErrorIs(t, err, committer.ErrBranchNotFound)
		})
	}
}

func TestTheFirstVersionOfANewBranchIsWrittenBeforeItsRef(t *testing.T) {
	store := laid(1, 2, 3)
	table := committer.NewTable(store, root, committer.WithBranch(branch), committer.WithNewBranch(3))
	_, err := table.Commit(t.Context(), 3, onBranch(3))
	require.NoError(t, err)
	_, err = table.Commit(t.Context(), 3, onBranch(3))
	require.NoError(t, err, "a replay")
	_, err = table.Commit(t.Context(), 4, onBranch(4))
	require.ErrorIs(t, err, committer.ErrBranchNotFound, "the chain has no ref")
	store.Inject(escapedRef, []byte(ref))
	_, err = table.Commit(t.Context(), 4, onBranch(4))
	require.NoError(t, err)
}

func TestTheRefIsReadOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(memory.Options{})
		store.Inject(slashedRef, []byte(ref))
		table, log := counted(store, committer.WithBranch(branch))
		_, err := table.Commit(t.Context(), 3, onBranch(3))
		require.NoError(t, err)
		require.Equal(t, []string{"GET exp%2Fone.json", "GET one.json", listFirst, put(3)}, log.Take())
		_, err = table.Commit(t.Context(), 4, onBranch(4))
		require.NoError(t, err)
		require.Equal(t, []string{put(4)}, log.Take())

		time.Sleep(time.Minute)
		require.NoError(t, store.Delete(t.Context(), slashedRef))
		_, err = table.Commit(t.Context(), 5, onBranch(5))
		require.ErrorIs(t, err, committer.ErrBranchNotFound, "the branch was deleted meanwhile")
	})
}

func TestARefThatCannotBeReadIsNotAMissingBranch(t *testing.T) {
	store := laid(1, 2, 3)
	table, _ := refusing(store, "GET", backends.ErrPermission, committer.WithBranch(branch))
	_, err := table.Latest(t.Context())
	require.ErrorIs(t, err, backends.ErrPermission)
	require.NotErrorIs(t, err, committer.ErrBranchNotFound)

	for _, content := range []string{"", "{", `{"parentVersion":0}`, `{"parent_version":3}`, `{"parentVersion":9223372036854775808}`} {
		store.Inject(escapedRef, []byte(content))
		_, err := committer.NewTable(store, root, committer.WithBranch(branch)).Latest(t.Context())
		require.ErrorIs(t, err, committer.ErrBadRef)
		require.ErrorContains(t, err, escapedRef)
		require.NotContains(t, err.Error(), "Go ", "of no use to whoever mends it")
		require.ErrorContains(t, err, "mend it, or remove it")
		require.NotErrorIs(t, err, committer.ErrBranchNotFound)
	}
}

// By words that who uses the command line understands, too.
func TestABranchThatIsNotFoundNamesTheWayOut(t *testing.T) {
	_, err := committer.NewTable(laid(1), root, committer.WithBranch(branch)).Latest(t.Context())
	require.ErrorContains(t, err, "there is no "+escapedRef+"; check the name, or make the branch first")
	require.NotContains(t, err.Error(), "With")
}

func TestABranchWithoutVersionsIsNotSaidToBeATableWithout(t *testing.T) {
	const empty = `the branch "exp/one" has no versions yet`
	store := laid(1, 2, 3)
	store.Inject(escapedRef, []byte(ref))
	open := func() *committer.Table { return committer.NewTable(store, root, committer.WithBranch(branch)) }
	namespace := committer.NewNamespace(store, namespaceRoot)
	for name, call := range map[string]func() error{
		"a commit of another version than the first": func() error { _, err := open().Commit(t.Context(), 7, onBranch(7)); return err },
		"a commit that is refused":                   func() error { _, err := open().Commit(t.Context(), 7, nil); return err },
		"the latest":                                 func() error { _, err := open().Latest(t.Context()); return err },
		"an operation on it": func() error {
			_, err := namespace.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{ID: tableID, Branch: branch})
			return err
		},
		"a create without a staged manifest": func() error {
			_, err := namespace.CreateTableVersion(t.Context(), &committer.CreateTableVersionRequest{
				ID: tableID, Version: 3, Branch: branch, ManifestPath: "_versions/absent",
			})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := call()
			require.ErrorContains(t, err, empty)
			require.NotContains(t, err.Error(), "the table has no versions")
			require.NotContains(t, err.Error(), "commit version 1")
		})
	}
	_, err := namespace.CreateTableVersion(t.Context(), &committer.CreateTableVersionRequest{
		ID: tableID, Version: 3, Branch: "exp/uno", ManifestPath: "_versions/absent",
	})
	require.ErrorContains(t, err, `the branch "exp/uno" has no versions yet`, "also one that is misspelled")
	_, err = committer.NewTable(memory.New(memory.Options{}), root).Commit(t.Context(), 7, manifestOf(7, "mine"))
	require.ErrorContains(t, err, "the table has no versions yet; commit 1")
}

func TestMalformedBranchesAreRefused(t *testing.T) {
	for _, opts := range [][]committer.Option{
		{committer.WithBranch("a..b")},
		{committer.WithBranch("tree")},
		{committer.WithNewBranch(3)},
		{committer.WithBranch("main"), committer.WithNewBranch(3)},
		{committer.WithBranch(branch), committer.WithNewBranch(0)},
		{committer.WithScheme(0)},
	} {
		_, err := committer.NewTable(laid(1), root, opts...).Latest(t.Context())
		require.ErrorIs(t, err, committer.ErrInvalid)
	}
}

func TestWhatAConflictHookHearsIsWhatTheCallReturns(t *testing.T) {
	store := laid(1, 2, 3)
	store.Inject(branchVersion(3), onBranch(3))
	var heard []error
	table := committer.NewTable(store, root, committer.WithBranch(branch), committer.WithNewBranch(3), committer.WithHooks(committer.Hooks{
		Conflict: func(_ context.Context, conflict *committer.ConflictError) { heard = append(heard, conflict) },
	}))
	_, err := table.Commit(t.Context(), 3, testmanifest.New(3, branch, "another's"))
	require.ErrorIs(t, err, committer.ErrBranchNotFound)
	require.Empty(t, heard)
}
