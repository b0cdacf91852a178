package committer_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

// addressed is a store that knows its URL.
type addressed struct {
	*memory.Store
	urls []string
}

func (s addressed) URLs() []string { return s.urls }

func TestTheThreeFormsOfAManifestPath(t *testing.T) {
	name := stagedName(2, 1)
	for form, path := range map[string]string{
		"a key of the store":                            "db/t.lance/_versions/" + name,
		"a key anywhere in the table":                   "db/t.lance/staging/" + name,
		"relative to the table":                         "_versions/" + name,
		"a URL":                                         "s3://bucket/db/t.lance/_versions/" + name,
		"a URL whose scheme is in capitals":             "S3://bucket/db/t.lance/_versions/" + name,
		"a path of the store's folder, as Lance has it": "tmp/store/db/t.lance/_versions/" + name,
	} {
		t.Run(form, func(t *testing.T) {
			store := laid(1)
			folder := naming.Versions(root)
			if strings.Contains(path, "staging/") {
				folder = root + "/staging/"
			}
			store.Inject(folder+name, manifestOf(2, "mine"))
			namespace := committer.NewNamespace(addressed{store, []string{"s3://bucket/", "tmp/store/"}}, namespaceRoot)
			create(t, namespace, &committer.CreateTableVersionRequest{ID: tableID, Version: 2, ManifestPath: path})
			require.Equal(t, manifestOf(2, "mine"), body(t, store, 2))
			_, err := store.Head(t.Context(), folder+name)
			require.Error(t, err, "the staged manifest is removed")
		})
	}
}

// The store of a table that is given by its own location can be the table's own
// folder, below which every text is a key.
func TestTheFormsOfAManifestPathWhereTheTableIsTheStore(t *testing.T) {
	name := stagedName(2, 1)
	for _, tc := range []struct {
		form, folder, branch, path, staged string
	}{
		{"a key of the store", "tmp/d/t.lance/", "", "_versions/" + name, "_versions/" + name},
		{"a key anywhere in the table", "tmp/d/t.lance/", "", "staging/" + name, "staging/" + name},
		{"a URL", "tmp/d/t.lance/", "", "file:///tmp/d/t.lance/_versions/" + name, "_versions/" + name},
		{"a path of the folder, as Lance has it", "tmp/d/t.lance/", "", "tmp/d/t.lance/_versions/" + name, "_versions/" + name},
		{"a path of the folder, and anywhere in the table", "tmp/d/t.lance/", "", "tmp/d/t.lance/staging/" + name, "staging/" + name},
		{"a path of the folder for a branch", "tmp/d/t.lance/", "exp", "tmp/d/t.lance/tree/exp/_versions/" + name, "tree/exp/_versions/" + name},
		{"relative to the branch, which main's folder is not", "tmp/d/t.lance/", "exp", "_versions/" + name, "tree/exp/_versions/" + name},
		{"relative to the table", "tmp/d/t.lance/", "exp", "tree/exp/_versions/" + name, "tree/exp/_versions/" + name},
		{"a path that looks relative", "tree/t.lance/", "", "tree/t.lance/_versions/" + name, "_versions/" + name},
		{"what is relative, and looks like a path", "tree/t.lance/", "t.lance", "tree/t.lance/_versions/" + name, "tree/t.lance/_versions/" + name},
		{"what is relative, in a folder of that name", "_versions/", "", "_versions/" + name, "_versions/" + name},
		{"a path in a folder of that name", "_versions/", "", "_versions/_versions/" + name, "_versions/" + name},
	} {
		t.Run(tc.form, func(t *testing.T) {
			store := memory.New(memory.Options{})
			store.Inject("_versions/"+naming.V2.Final(1), manifestOf(1, "laid"))
			if tc.branch != "" {
				store.Inject(naming.BranchRefs("", tc.branch)[0], []byte(`{"parentVersion":2}`))
			}
			store.Inject(tc.staged, testmanifest.New(2, tc.branch, "mine"))
			namespace := committer.NewNamespace(addressed{store, []string{"file:///" + tc.folder, tc.folder}}, "", committer.AtTable())
			response := create(t, namespace, &committer.CreateTableVersionRequest{Version: 2, Branch: tc.branch, ManifestPath: tc.path})
			require.Equal(t, naming.Versions(naming.BranchRoot("", tc.branch))+naming.V2.Final(2), response.Version.ManifestPath)
			_, err := store.Head(t.Context(), tc.staged)
			require.Error(t, err, "the staged manifest is removed")
		})
	}
}

func TestAKeyThatLooksLikeAPathOfTheStoresFolder(t *testing.T) {
	name := stagedName(2, 1)
	for path, staged := range map[string]string{
		"a/_versions/" + name:   "a/_versions/" + name,
		"a/a/_versions/" + name: "a/_versions/" + name,
		"a/staging/" + name:     "a/staging/" + name,
		"a/a/staging/" + name:   "a/staging/" + name,
	} {
		t.Run(path, func(t *testing.T) {
			store := memory.New(memory.Options{})
			store.Inject("a/_versions/"+naming.V2.Final(1), manifestOf(1, "laid"))
			store.Inject(staged, manifestOf(2, "mine"))
			namespace := committer.NewNamespace(addressed{store, []string{"file:///a/", "a/"}}, "a", committer.AtTable())
			create(t, namespace, &committer.CreateTableVersionRequest{Version: 2, ManifestPath: path})
		})
	}
}

func TestAFileURLIsDecodedAndNoOtherIs(t *testing.T) {
	for path, staged := range map[string]string{
		"file:///tmp/a%20b/db/t.lance/_versions/x%20y%25":     "x y%",
		"file:///tmp/a b/db/t.lance/_versions/x%20y%25":       "x y%",
		"file:///tmp/a%20b/db/t%2Elance/_versions/%C3%A4+%23": "ä+#",
		"s3://bucket/db/t.lance/_versions/x%20y%25":           "x%20y%25",
		"s3://bucket/db/t.lance/_versions/x y":                "x y",
	} {
		t.Run(path, func(t *testing.T) {
			store := laid(1)
			store.Inject(naming.Versions(root)+staged, manifestOf(2, "mine"))
			namespace := committer.NewNamespace(addressed{store, []string{"file:///tmp/a%20b/", "file:///tmp/a b/", "s3://bucket/"}}, namespaceRoot)
			create(t, namespace, &committer.CreateTableVersionRequest{ID: tableID, Version: 2, ManifestPath: path})
		})
	}
}

func TestAManifestPathOutsideTheTableIsRefused(t *testing.T) {
	name := stagedName(2, 1)
	for _, path := range []string{
		"",
		"db/other.lance/_versions/" + name,
		"db/t.lance.bak/_versions/" + name,
		"other/t.lance/_versions/" + name,
		"t.lance/_versions/" + name,
		name,
		"../t.lance/_versions/" + name,
		"db/t.lance/../other.lance/_versions/" + name,
		"_versions/../../other.lance/_versions/" + name,
		"db/t.lance/%2e%2e/other.lance/_versions/" + name,
		"db/t.lance/%2E%2E%2Fother.lance/_versions/" + name,
		`db/t.lance/..%5cother.lance/_versions/` + name,
		"db/t.lance/./_versions/" + name,
		"db/t.lance//_versions/" + name,
		"/db/t.lance/_versions/" + name,
		"/etc/passwd",
		"db/t.lance",
		"db/t.lance/",
		"_versions/",
		"tmp/store/db/other.lance/_versions/" + name,
		"tmp/store/db/t.lance/_versions/" + naming.V2.Final(2),
		"tmp/store/../db/t.lance/_versions/" + name,
		"s3://other/db/t.lance/_versions/" + name,
		"s3://bucket.evil/db/t.lance/_versions/" + name,
		"s3://bucket/db/other.lance/_versions/" + name,
		"s3://key:secret@bucket/db/t.lance/_versions/" + name,
		"gs://bucket/db/t.lance/_versions/" + name,
		"db/t.lance/_versions/a\x00b",
		"db/t.lance/_versions/" + naming.V2.Final(1),
		"db/t.lance/_versions/" + naming.V2.Final(2),
		"db/t.lance/_versions/" + naming.V1.Final(2),
		"db/t.lance/tree/exp/_versions/" + naming.V2.Final(2),
		"db/t.lance/_versions/" + naming.Hint,
		"db/t.lance/_versions/" + naming.Detached(1<<63+1),
	} {
		t.Run(path, func(t *testing.T) {
			store := laid(1)
			for _, key := range []string{"db/other.lance/_versions/", "db/t.lance/_versions/", "db/t.lance.bak/_versions/", "other/t.lance/_versions/"} {
				store.Inject(key+name, manifestOf(2, "mine"))
			}
			// What is refused must be so for its name, and not for being absent.
			store.Inject(path, manifestOf(2, "mine"))
			before := keys(t, store)
			namespace := committer.NewNamespace(addressed{store, []string{"s3://bucket/", "tmp/store/"}}, namespaceRoot)
			_, err := namespace.CreateTableVersion(t.Context(), &committer.CreateTableVersionRequest{
				ID: tableID, Version: 2, ManifestPath: path,
			})
			var wrong *committer.InvalidRequestError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, "manifest_path", wrong.Fields[0].Field)
			require.NotContains(t, err.Error(), "there is no object")
			require.Equal(t, committer.CodeInvalidInput, committer.Code(err))
			require.NotContains(t, err.Error(), "secret")
			require.Equal(t, before, keys(t, store), "nothing is written or removed")
		})
	}
}

func TestAURLNeedsAStoreThatKnowsItsOwn(t *testing.T) {
	namespace, _ := inNamespace(laid(1))
	_, err := namespace.CreateTableVersion(t.Context(), &committer.CreateTableVersionRequest{
		ID: tableID, Version: 2, ManifestPath: "s3://bucket/db/t.lance/_versions/" + stagedName(2, 1),
	})
	require.Equal(t, committer.CodeInvalidInput, committer.Code(err))
}

func TestAManifestPathThatASymlinkLeadsOutOfTheTableIsRefused(t *testing.T) {
	top := filepath.Join(t.TempDir(), "a b%")
	write := func(name string, content []byte) {
		name = filepath.Join(top, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, content, 0o666))
	}
	table := filepath.Join(top, "store/db/t.lance")
	for _, at := range []string{"outside/", "store/db/other.lance/_versions/", "store/db/t.lance/_versions/"} {
		write(at+"x", manifestOf(2, "mine"))
	}
	write("store/db/t.lance/_versions/"+naming.V2.Final(1), manifestOf(1, "laid"))
	for name, to := range map[string]string{
		"_versions/out":    "../../../../outside/x",
		"_versions/other":  "../../other.lance/_versions/x",
		"folder":           "../other.lance/_versions",
		"_versions/second": "x",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(table, name)))
	}
	store, err := file.Open(filepath.Join(top, "store"))
	require.NoError(t, err)
	defer store.Close()
	namespace := committer.NewNamespace(store, namespaceRoot)
	request := func(path string) *committer.CreateTableVersionRequest {
		return &committer.CreateTableVersionRequest{ID: tableID, Version: 2, ManifestPath: path}
	}
	for _, path := range []string{"_versions/other", "db/t.lance/folder/x", "_versions/second"} {
		_, err := namespace.CreateTableVersion(t.Context(), request(path))
		require.Equal(t, committer.CodeInvalidInput, committer.Code(err), "%s: %v", path, err)
	}
	_, err = namespace.CreateTableVersion(t.Context(), request("_versions/out"))
	require.Equal(t, committer.CodeInvalidInput, committer.Code(err), err)

	// A table that is a link to the versions of another: what lies in it are these.
	version := "store/db/other.lance/_versions/" + naming.V2.Final(1)
	write(version, manifestOf(1, "theirs"))
	require.NoError(t, os.Symlink("other.lance/_versions", filepath.Join(top, "store/db/odd.lance")))
	_, err = namespace.CreateTableVersion(t.Context(), &committer.CreateTableVersionRequest{
		ID: []string{"odd"}, Version: 1, ManifestPath: "db/odd.lance/" + naming.V2.Final(1),
	})
	require.Equal(t, committer.CodeInvalidInput, committer.Code(err), err)
	require.FileExists(t, filepath.Join(top, filepath.FromSlash(version)))

	for _, path := range []string{
		"file://" + filepath.ToSlash(table) + "/_versions/x",
		"file://" + (&url.URL{Path: filepath.ToSlash(table)}).EscapedPath() + "/_versions/x",
		strings.TrimPrefix(filepath.ToSlash(table), "/") + "/_versions/x",
	} {
		namespace := committer.NewNamespace(store, namespaceRoot, committer.KeepStaged())
		create(t, namespace, request(path))
	}
}
