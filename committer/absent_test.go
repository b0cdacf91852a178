package committer_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

// operations are those of a namespace, but for the staged create of what is
// there.
func operations(t *testing.T, n *committer.Namespace) map[string]func(branch string) error {
	version := int64(1)
	return map[string]func(branch string) error{
		"create": func(branch string) error {
			_, err := n.CreateTableVersion(t.Context(), &committer.CreateTableVersionRequest{
				Version: 1, Branch: branch, ManifestPath: "_versions/absent",
			})
			return err
		},
		"list": func(branch string) error {
			_, err := n.ListTableVersions(t.Context(), &committer.ListTableVersionsRequest{Branch: branch})
			return err
		},
		"describe": func(branch string) error {
			_, err := n.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{Branch: branch, Version: &version})
			return err
		},
		"describe the latest": func(branch string) error {
			_, err := n.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{Branch: branch})
			return err
		},
	}
}

func TestATableByItsOwnLocationThatIsNotThereIsNotFound(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o777))
	open := func(name string) backends.Store {
		store, err := file.Open(filepath.Join(dir, name))
		require.NoError(t, err)
		t.Cleanup(func() { _ = store.Close() })
		return store
	}
	beside := memory.New(memory.Options{})
	beside.Inject(root+"x/_versions/1.manifest", nil)
	for place, at := range map[string]struct {
		store backends.Store
		root  string
	}{
		"in an ordered store":          {beside, root},
		"in an unordered store":        {memory.New(memory.Options{Unordered: true}), root},
		"where the table is the store": {memory.New(memory.Options{}), ""},
		"in a folder on disk":          {open("."), "absent.lance"},
		"an empty folder on disk":      {open("empty"), ""},
	} {
		for name, call := range operations(t, committer.NewNamespace(at.store, at.root, committer.AtTable())) {
			for _, branch := range []string{"", "exp"} {
				t.Run(place+", "+name+branch, func(t *testing.T) {
					err := call(branch)
					require.ErrorIs(t, err, committer.ErrTableNotFound)
					require.Equal(t, committer.CodeTableNotFound, committer.Code(err), err)
					require.ErrorContains(t, err, "check the location")
				})
			}
		}
	}
	require.NoDirExists(t, filepath.Join(dir, "absent.lance"))
	entries, err := os.ReadDir(filepath.Join(dir, "empty"))
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestATableByItsOwnLocationThatIsThereAndEmpty(t *testing.T) {
	for _, what := range []string{".lance-reserved", "data/x.lance", "_transactions/x"} {
		for _, table := range []string{root, ""} {
			store := memory.New(memory.Options{})
			at := ""
			if table != "" {
				at = table + "/"
			}
			store.Inject(at+what, nil)
			namespace := committer.NewNamespace(store, table, committer.AtTable())
			response, err := namespace.ListTableVersions(t.Context(), &committer.ListTableVersionsRequest{})
			require.NoError(t, err)
			require.Empty(t, response.Versions)
			for name, code := range map[string]int{
				"create":              committer.CodeInvalidInput,
				"describe":            committer.CodeTableVersionNotFound,
				"describe the latest": committer.CodeTableVersionNotFound,
			} {
				err := operations(t, namespace)[name]("")
				require.Equal(t, code, committer.Code(err), "%s: %v", name, err)
			}
			require.Equal(t, committer.CodeTableBranchNotFound, committer.Code(operations(t, namespace)["list"]("exp")))

			req := stageAs(store, root, "", 1, "mine")
			if table == "" {
				store.Inject("_versions/"+stagedName(1, 1), manifestOf(1, "mine"))
				req.ManifestPath = "_versions/" + stagedName(1, 1)
			}
			create(t, namespace, req)
		}
	}
}

func TestAPlaceThatCannotBeLookedAtIsNoAbsentTable(t *testing.T) {
	for _, denied := range []error{backends.ErrPermission, errReset} {
		store := memory.New(memory.Options{})
		namespace := committer.NewNamespace(refusedBelow(store, root+"/", denied), root, committer.AtTable())
		for name, code := range map[string]error{"create": denied, "list": denied, "describe": committer.ErrVersionNotFound} {
			err := operations(t, namespace)[name]("")
			require.ErrorIs(t, err, code, name)
			require.NotErrorIs(t, err, committer.ErrTableNotFound, name)
		}
	}
}

func TestTheLastPageMayBeEmpty(t *testing.T) {
	store := memory.New(memory.Options{})
	lay(store, naming.V2, 1, 2)
	namespace := committer.NewNamespace(store, root, committer.AtTable())
	_, token := list(t, namespace, 1, "")
	for _, key := range keys(t, store) {
		require.NoError(t, store.Delete(t.Context(), root+"/_versions/"+key))
	}
	numbers, end := list(t, namespace, 1, token)
	require.Empty(t, numbers)
	require.Empty(t, end)
}

// refusedBelow returns a store that does not list a folder.
func refusedBelow(store backends.Store, folder string, err error) backends.Store {
	return intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
		if call.Method == "LIST" && call.Key == folder {
			return err
		}
		return do(ctx)
	})
}
