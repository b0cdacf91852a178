package integration_test

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/integration/fixtures"
	"github.com/lancecommit/lancecommit/integration/lancedb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A laidChain is main or a branch of a table that LanceDB wrote, laid on disk,
// and a LanceDB process to look at it with.
type laidChain struct {
	fixtures.Chain
	table  fixtures.Table
	folder string // of the database
	lance  *lancedb.DB
}

// eachChain runs a test on every chain of the fixtures, each in a database of
// its own.
func eachChain(t *testing.T, test func(t *testing.T, ctx context.Context, chain laidChain)) {
	lancedb.Require(t)
	for _, table := range []fixtures.Table{fixtures.V2(), fixtures.V1(), fixtures.Branch()} {
		for i, chain := range table.Chains() {
			t.Run(path.Join(table.Name, chain.Branch), func(t *testing.T) {
				test(t, withDeadline(t), lay(t, table, i))
			})
		}
	}
}

// lay copies a database of the fixtures to disk, under its own name and below
// the folder that LanceDB works in, as the branch needs it.
func lay(t *testing.T, table fixtures.Table, chain int) laidChain {
	t.Helper()
	lancedb.Require(t)
	around := t.TempDir()
	folder := filepath.Join(around, table.Name)
	require.NoError(t, os.CopyFS(folder, table.FS))
	return laidChain{Chain: table.Chains()[chain], table: table, folder: folder, lance: lancedb.StartIn(t, around)}
}

// withDeadline bounds a test, so that a hang is a failure that says where.
func withDeadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// handle returns a handle of Go's on the chain, over a store of its own: one
// that knows nothing of what other handles know.
func (c laidChain) handle(t *testing.T, opts ...committer.Option) *committer.Table {
	t.Helper()
	store, err := file.Open(filepath.Join(c.folder, c.table.Root))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return committer.NewTable(store, "", append([]committer.Option{committer.WithBranch(c.Branch)}, opts...)...)
}

// open opens the chain with LanceDB over a new connection.
func (c laidChain) open(t *testing.T, ctx context.Context) *lancedb.Table {
	t.Helper()
	at := lancedb.Location{URI: c.table.Name, Table: c.table.Name}
	table, err := c.lance.Open(ctx, at, lancedb.OpenOptions{Branch: c.Branch})
	require.NoError(t, err)
	return table
}

// path returns where a file of the database is, by its name in the fixture.
func (c laidChain) path(name string) string {
	return filepath.Join(c.folder, filepath.FromSlash(name))
}

func (c laidChain) read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(c.path(name))
	require.NoError(t, err)
	return content
}

// hint returns what the chain's hint file says.
func (c laidChain) hint(t *testing.T) string {
	t.Helper()
	return string(c.read(t, path.Join(c.Root, "_versions", "latest_version_hint.json")))
}

// commitStaged has Go commit the staged manifest.
func (c laidChain) commitStaged(t *testing.T, ctx context.Context, table *committer.Table) {
	t.Helper()
	v, err := table.Commit(ctx, c.Next.Number, c.read(t, c.Staged))
	require.NoError(t, err)
	require.Equal(t, c.Next.Number, v.Number)
	require.Equal(t, c.Final(), path.Join(c.table.Root, v.Key), "the name that LanceDB gives this version")
}

// requireVersion requires that LanceDB's table is at a version and has exactly
// its rows.
func requireVersion(t *testing.T, ctx context.Context, table *lancedb.Table, want fixtures.Version) {
	t.Helper()
	number, err := table.Version(ctx)
	require.NoError(t, err)
	require.Equal(t, want.Number, number)
	rows, err := table.Rows(ctx)
	require.NoError(t, err)
	require.Equal(t, rowsOf(want.IDs...), rows, "rows of version %d", want.Number)
	count, err := table.CountRows(ctx)
	require.NoError(t, err)
	require.Equal(t, len(want.IDs), count, "count of rows in version %d", want.Number)
}

// rowsOf returns rows as all tables here have them.
func rowsOf(ids ...int32) []lancedb.Row {
	rows := make([]lancedb.Row, len(ids))
	for i, id := range ids {
		rows[i] = lancedb.Row{ID: id, Text: fmt.Sprintf("row %d", id)}
	}
	return rows
}

// numbersOf returns Go's list of versions, oldest first.
func numbersOf(t *testing.T, ctx context.Context, table *committer.Table) (numbers []uint64) {
	t.Helper()
	for v, err := range table.Versions(ctx, committer.VersionsOptions{}) {
		require.NoError(t, err)
		numbers = append([]uint64{v.Number}, numbers...)
	}
	return numbers
}

// numbersInLanceDB returns LanceDB's list of versions, oldest first.
func numbersInLanceDB(t *testing.T, ctx context.Context, table *lancedb.Table) (numbers []uint64) {
	t.Helper()
	history, err := table.Versions(ctx)
	require.NoError(t, err)
	for _, info := range history {
		numbers = append(numbers, info.Version)
	}
	return numbers
}

// upTo returns the chain's versions from its first to last.
func (c laidChain) upTo(last uint64) (numbers []uint64) {
	for number := c.Versions[0].Number; number <= last; number++ {
		numbers = append(numbers, number)
	}
	return numbers
}
