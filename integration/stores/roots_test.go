package stores_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/integration/lancedb"
	"github.com/lancecommit/lancecommit/integration/servers"
)

// oddRoots are folders in which LanceDB makes tables: each printable character of
// ASCII, in one folder those that need no care, and what is neither.
func oddRoots() []string {
	const inURLs = "?#/" // where these end a folder
	var plain strings.Builder
	roots := []string{
		"ä", "e\u0301", "日本", "\U0001f600", "x\u00a0", "\u2028x", "%20", "a%41b", "100%", "%zz", "a%2fb", "a%2e%2eb", "a..b", "..a", "%5Ex", "a%0Ab",
		" a", "a b/c d", "deep/ä ö/^/[x]",
	}
	for c := '!'; c <= '~'; c++ {
		switch {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
			plain.WriteRune(c)
		case !strings.ContainsRune(inURLs, c):
			roots = append(roots, fmt.Sprintf("a%cb", c))
		}
	}
	return append(roots, plain.String())
}

// refusedRoots are folders that LanceDB reads as others, by kind of server, and
// for all under "".
var refusedRoots = map[servers.Kind][]string{
	"": {
		"a\tb", "a\nb", "a\rb", "a\x01b", "a\x7fb", "a ", "a\t", "a//b", "a/./b", "a/../b", "a/%2e%2e/b", "a/%2E./b", "a/.%2e/b", "a/%2e/b",
	},
	servers.Azurite: {`a\b`},
}

// eachRooted runs a test on the servers that LanceDB writes to.
func eachRooted(t *testing.T, test func(t *testing.T, server *servers.Server, db *lancedb.DB)) {
	lancedb.Require(t)
	for _, kind := range []servers.Kind{servers.MinIO, servers.Azurite} {
		t.Run(string(kind), func(t *testing.T) {
			server := servers.Require(t, kind)
			test(t, server, lancedb.Start(t))
		})
	}
}

func TestGoAndLanceDBSeeOneTableAtAnyRoot(t *testing.T) {
	eachRooted(t, func(t *testing.T, server *servers.Server, db *lancedb.DB) {
		ctx, options := withDeadline(t), server.StorageOptions()
		uri := server.URI(server.Bucket(t))
		made := make(map[string]string) // roots by the keys of their tables
		for _, root := range oddRoots() {
			if slices.Contains(refusedRoots[server.Kind], root) {
				continue
			}
			at := lancedb.Location{URI: uri + "/" + root, Table: "t", StorageOptions: options}
			lance, err := db.Create(ctx, at, "V2", rowsOf(1)...)
			require.NoError(t, err, "%q", root)

			store, key, err := all.Open(ctx, at.URI+"/t.lance", optionsOf(server))
			require.NoError(t, err, "%q", root)
			version := commitSame(ctx, t, committer.NewTable(store, key), root)
			require.NoError(t, store.Close())
			require.EqualValues(t, 2, version, "%q is the table that LanceDB made", root)
			made[key] = root

			require.NoError(t, lance.CheckoutLatest(ctx))
			seen, err := lance.Version(ctx)
			require.NoError(t, err)
			require.EqualValues(t, 2, seen, "LanceDB sees what was committed in %q", root)
		}
		versions := make(map[string]int)
		for _, key := range allKeys(t, openAt(t, uri, optionsOf(server)), "") {
			if table, _, ok := strings.Cut(key, "/_versions/"); ok && strings.HasSuffix(table, "t.lance") {
				versions[table]++
			}
		}
		for table, n := range versions {
			require.Contains(t, made, table, "there is no second table")
			require.Equal(t, 2, n, "%q", made[table])
		}
		require.Len(t, versions, len(made))
	})
}

// commitSame commits the rows that are there as the next version.
func commitSame(ctx context.Context, t *testing.T, table *committer.Table, root string) uint64 {
	t.Helper()
	v, err := table.Update(ctx, func(ctx context.Context, base committer.Version) ([]byte, error) {
		body, err := table.ReadManifest(ctx, base)
		if err != nil {
			return nil, err
		}
		return manifest.WithVersion(body, base.Number+1)
	})
	require.NoError(t, err, "%q", root)
	return v.Number
}

func TestARootThatLanceDBReadsAsAnotherIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	eachRooted(t, func(t *testing.T, server *servers.Server, db *lancedb.DB) {
		ctx := withDeadline(t)
		for _, root := range slices.Concat(refusedRoots[""], refusedRoots[server.Kind]) {
			name := server.Bucket(t)
			uri := server.URI(name)
			// What LanceDB makes of it is not what was asked for: another folder, or
			// an error.
			_, err := db.Create(ctx, lancedb.Location{URI: uri + "/" + root, Table: "t", StorageOptions: server.StorageOptions()}, "V2", rowsOf(1)...)
			whole := openAt(t, uri, optionsOf(server))
			before := allKeys(t, whole, "")
			require.Equal(t, err != nil, len(before) == 0, "%q", root)

			store, key, err := all.Open(ctx, uri+"/"+root+"/t.lance", optionsOf(server))
			if root[len(root)-1] <= ' ' { // there it is in the middle, and LanceDB keeps it
				store, key, err = all.Open(ctx, uri+"/"+root, optionsOf(server))
			}
			if err == nil {
				_, err = committer.NewTable(store, key).Latest(ctx)
				require.NoError(t, store.Close())
			}
			require.ErrorIs(t, err, backends.ErrInvalid, "%q", root)
			require.Equal(t, before, allKeys(t, whole, ""), "%q", root)
		}
	})
}
