package committer_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

// layCatalog lays the table in which a database keeps its tables. The manifest
// is real, since what it says of itself is read.
func layCatalog(store *memory.Store, manifest []byte) {
	store.Inject("db/__manifest/_versions/"+naming.V2.Final(1), manifest)
}

// managedCatalog is the manifest of a catalog that keeps versions itself.
var managedCatalog = testmanifest.WithTableMetadata(1, "table_version_management", "true")

func TestWhereATableMustBe(t *testing.T) {
	table := func(names ...string) func(*memory.Store) {
		return func(store *memory.Store) {
			for _, name := range names {
				store.Inject("db/t.lance/"+name, nil)
			}
		}
	}
	version1 := naming.V2.Final(1)
	for _, tc := range []struct {
		name string
		lay  func(store *memory.Store)
		opts []committer.Option
		id   []string
		code int // -1 where the table is found
	}{
		{"a table with a version", table("_versions/" + version1), nil, tableID, -1},
		{"a declared table that is still empty", table(".lance-reserved"), nil, tableID, -1},
		{"data and no version yet", table("data/x.lance"), nil, tableID, -1},
		{"nothing in its folder", func(store *memory.Store) { store.Inject("db/other.lance/x", nil) }, nil, tableID, 4},
		{"nothing in the namespace", func(store *memory.Store) { store.Inject("dbx/t.lance/x", nil) }, nil, tableID, 1},
		{"deregistered", table("_versions/"+version1, ".lance-deregistered"), nil, tableID, 4},
		{"a catalog that leaves versions to the tables", func(store *memory.Store) {
			table("_versions/" + version1)(store)
			layCatalog(store, manifestOf(1, "catalog"))
		}, nil, tableID, -1},
		{"a catalog, and no versions where the id says", func(store *memory.Store) {
			table("data/x.lance")(store)
			layCatalog(store, manifestOf(1, "catalog"))
		}, nil, tableID, 0},
		{"a catalog that keeps the versions", func(store *memory.Store) {
			table("_versions/" + version1)(store)
			layCatalog(store, managedCatalog)
		}, nil, tableID, 0},
		{"a catalog that keeps the versions, by somebody who knows", func(store *memory.Store) {
			table("_versions/" + version1)(store)
			layCatalog(store, managedCatalog)
		}, []committer.Option{committer.WithCatalogManaged()}, tableID, -1},
		{"a catalog that says that it does not keep the versions", func(store *memory.Store) {
			table("_versions/" + version1)(store)
			layCatalog(store, testmanifest.WithTableMetadata(1, "table_version_management", "false"))
		}, nil, tableID, -1},
		{"a catalog that cannot be read", func(store *memory.Store) {
			table("_versions/" + version1)(store)
			layCatalog(store, []byte("damaged"))
		}, nil, tableID, 18},
		{"a child namespace", table("_versions/" + version1), nil, []string{"ns", "t"}, 0},
		{"no id", table("_versions/" + version1), nil, nil, 13},
		{"the root namespace", table("_versions/" + version1), nil, []string{}, 13},
		{"an empty name", table("_versions/" + version1), nil, []string{""}, 13},
		{"a name that leads elsewhere", table("_versions/" + version1), nil, []string{".."}, 13},
		{"a name with a slash", table("_versions/" + version1), nil, []string{"a/t"}, 13},
		{"a name with a backslash", table("_versions/" + version1), nil, []string{`a\t`}, 13},
		{"a name with the delimiter", table("_versions/" + version1), nil, []string{"a$t"}, 13},
		{"a name with a control character", table("_versions/" + version1), nil, []string{"t\n"}, 13},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store := memory.New(memory.Options{})
			tc.lay(store)
			namespace := committer.NewNamespace(store, namespaceRoot, tc.opts...)
			_, err := namespace.ListTableVersions(t.Context(), &committer.ListTableVersionsRequest{ID: tc.id})
			require.Equal(t, tc.code, committer.Code(err), err)
		})
	}
}

func TestAMarkerIsSeenOnWhateverPageItIs(t *testing.T) {
	store := memory.New(memory.Options{PageSize: 1, Unordered: true})
	lay(store, naming.V2, 1)
	for _, name := range []string{"data/x", "_transactions/x", "_indices/x", ".lance-deregistered", "zzz"} {
		store.Inject(root+"/"+name, nil)
	}
	namespace := committer.NewNamespace(store, namespaceRoot)
	_, err := namespace.ListTableVersions(t.Context(), &committer.ListTableVersionsRequest{ID: tableID})
	require.Equal(t, committer.CodeTableNotFound, committer.Code(err))
}

func TestATableByItsOwnLocation(t *testing.T) {
	store := laid(1, 2)
	store.Inject("db/t.lance/.lance-deregistered", nil)
	layCatalog(store, managedCatalog)
	namespace := committer.NewNamespace(store, root, committer.AtTable())
	for _, id := range [][]string{nil, {"ns", "t"}, {"anything"}} {
		response, err := namespace.ListTableVersions(t.Context(), &committer.ListTableVersionsRequest{ID: id})
		require.NoError(t, err)
		require.Len(t, response.Versions, 2)
	}
	req := stage(store, 3, "mine")
	req.ID = nil
	create(t, namespace, req)
}

func TestADamagedCatalogNamesTheWayOut(t *testing.T) {
	store := laid(1)
	layCatalog(store, []byte("damaged"))
	namespace := committer.NewNamespace(store, namespaceRoot)
	_, err := namespace.ListTableVersions(t.Context(), &committer.ListTableVersionsRequest{ID: tableID})
	require.ErrorContains(t, err, "the catalog db/__manifest: version 1 cannot be read")
	require.ErrorContains(t, err, "restore its manifest, or use the table's own location")
}

func TestWhereATableIsIsLookedAtOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := laid(1)
		namespace, log := inNamespace(store)
		version := int64(1)
		describe := func() ([]string, error) {
			_, err := namespace.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{ID: tableID, Version: &version})
			return log.Take(), err
		}
		calls, err := describe()
		require.NoError(t, err)
		require.Equal(t, []string{"LIST _versions 8", "LIST t.lance 0", "HEAD " + naming.V2.Final(1)}, calls)
		store.Inject("db/t.lance/.lance-deregistered", nil)
		calls, err = describe()
		require.NoError(t, err, "it was there a moment ago")
		require.Equal(t, []string{"HEAD " + naming.V2.Final(1)}, calls)
		time.Sleep(time.Minute)
		_, err = describe()
		require.ErrorIs(t, err, committer.ErrTableNotFound)
	})
}

func TestTheStringFormOfAnID(t *testing.T) {
	for _, tc := range []struct {
		id, delimiter string
		want          []string
	}{
		{"t", "$", []string{"t"}},
		{"ns$t", "$", []string{"ns", "t"}},
		{"ns.t", ".", []string{"ns", "t"}},
		{"ns::t", "::", []string{"ns", "t"}},
		{"$", "$", nil},
		{"", "$", nil},
		{"t", "", nil},
	} {
		got, err := committer.ParseID(tc.id, tc.delimiter)
		require.Equal(t, tc.want, got, tc.id)
		if tc.want == nil {
			require.Equal(t, committer.CodeInvalidInput, committer.Code(err))
			continue
		}
		require.NoError(t, err)
		require.Equal(t, tc.id, committer.JoinID(got, tc.delimiter))
	}
	got, err := committer.MatchID([]string{"t"}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"t"}, got)
	_, err = committer.MatchID([]string{"t"}, []string{"t"})
	require.NoError(t, err)
	for _, other := range [][]string{{"u"}, {"t", "t"}, {}} {
		_, err = committer.MatchID([]string{"t"}, other)
		require.Equal(t, committer.CodeInvalidInput, committer.Code(err), other)
	}
}

func TestTheCatalogIsReadWithinTheTimeThatTheNamespaceHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := intercept.Wrap(laid(1), func(ctx context.Context, _ intercept.Call, _ func(context.Context) error) error {
			<-ctx.Done()
			return ctx.Err()
		})
		namespace := committer.NewNamespace(hanging, "db", committer.WithRetry(committer.RetryPolicy{ReadTimeout: time.Second}))
		began := time.Now()
		_, err := namespace.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{ID: tableID})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(began))
	})
}
