package lancedb

import (
	"context"
	"time"
)

// A Location is a table in a LanceDB database.
type Location struct {
	URI   string // of the database: a folder, s3://bucket/path, az://container/path
	Table string // without ".lance"

	// StorageOptions are LanceDB's own, such as aws_endpoint and allow_http.
	// The process's environment counts too.
	StorageOptions map[string]string
}

// OpenOptions say what of a table is opened; the zero value is the latest
// version of main, open for writing.
type OpenOptions struct {
	Branch  string // "" is main
	Version uint64 // 0 is the latest; a table opened at a version is read-only
}

// A Row is a row of the tables in these tests.
type Row struct {
	ID   int32  `json:"id"`
	Text string `json:"text"`
}

// A VersionInfo is one entry of a table's history.
type VersionInfo struct {
	Version   uint64    `json:"version"`
	Timestamp time.Time `json:"timestamp"` // from the manifest, so the writer's clock
	Rows      int       `json:"rows"`
}

// A Tag is what LanceDB tells about a tag.
type Tag struct {
	Version      uint64 `json:"version"`
	ManifestSize int64  `json:"manifestSize"` // bytes
}

// A Branch is what LanceDB tells about a branch.
type Branch struct {
	ParentBranch  string `json:"parentBranch"` // "" is main
	ParentVersion uint64 `json:"parentVersion"`
	ManifestSize  int64  `json:"manifestSize"` // bytes, of the parent's manifest at that version, not of the branch's first
}

// A Table is one open handle on a table. It stays at its version until a commit
// of its own or a checkout moves it.
type Table struct {
	db     *DB
	handle int
}

type locationArgs struct {
	URI            string            `json:"uri"`
	Table          string            `json:"table,omitempty"`
	Branch         string            `json:"branch,omitempty"`
	Version        uint64            `json:"version,omitempty"`
	Scheme         string            `json:"scheme,omitempty"`
	Rows           []Row             `json:"rows,omitempty"`
	StorageOptions map[string]string `json:"storageOptions,omitempty"`
}

type handle struct {
	Table int `json:"table"`
}

// Open opens a table that exists, over a connection of its own, so that nothing
// is answered from what an earlier Open read. On connecting, LanceDB makes a
// __manifest folder beside the tables of a database that has none.
func (db *DB) Open(ctx context.Context, at Location, opts OpenOptions) (*Table, error) {
	return db.table(ctx, "open", 0, locationArgs{
		URI: at.URI, Table: at.Table, StorageOptions: at.StorageOptions,
		Branch: opts.Branch, Version: opts.Version,
	})
}

// Create makes a table with version 1 holding rows, of which there must be one
// at least. Its naming scheme is "V1" or "V2".
func (db *DB) Create(ctx context.Context, at Location, scheme string, rows ...Row) (*Table, error) {
	return db.table(ctx, "create", 0, locationArgs{
		URI: at.URI, Table: at.Table, StorageOptions: at.StorageOptions,
		Scheme: scheme, Rows: rows,
	})
}

// Tables lists the names of a database's tables. The location's Table is unused.
func (db *DB) Tables(ctx context.Context, at Location) (names []string, err error) {
	err = db.call(ctx, "tables", 0, locationArgs{URI: at.URI, StorageOptions: at.StorageOptions}, &names)
	return names, err
}

func (db *DB) table(ctx context.Context, call string, from int, args any) (*Table, error) {
	var opened handle
	if err := db.call(ctx, call, from, args, &opened); err != nil {
		return nil, err
	}
	return &Table{db: db, handle: opened.Table}, nil
}

// call makes one call on t whose result is an R.
func call[R any](ctx context.Context, t *Table, name string, args any) (result R, err error) {
	err = t.db.call(ctx, name, t.handle, args, &result)
	return result, err
}

// Version returns the version that t is at.
func (t *Table) Version(ctx context.Context) (uint64, error) {
	return call[uint64](ctx, t, "version", nil)
}

// Branch returns the name of the branch that t is on, "" for main.
func (t *Table) Branch(ctx context.Context) (string, error) {
	return call[string](ctx, t, "branch", nil)
}

// CountRows returns the number of rows from the manifest, reading no data.
func (t *Table) CountRows(ctx context.Context) (int, error) {
	return call[int](ctx, t, "count", nil)
}

// Rows reads all rows out of the data files, in the order of their ids.
func (t *Table) Rows(ctx context.Context) ([]Row, error) {
	return call[[]Row](ctx, t, "rows", nil)
}

// IDs reads the ids of all rows out of the data files, in order. A row that is
// there twice is listed twice.
func (t *Table) IDs(ctx context.Context) ([]int32, error) {
	rows, err := t.Rows(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]int32, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	return ids, nil
}

// Versions lists the history of t's branch, oldest first, and what LanceDB
// sees of it now, whatever version t is at. It reads every manifest.
func (t *Table) Versions(ctx context.Context) ([]VersionInfo, error) {
	return call[[]VersionInfo](ctx, t, "versions", nil)
}

// Append commits rows in one version, which it returns. LanceDB settles a race
// with another append by itself, up to its own bound.
func (t *Table) Append(ctx context.Context, rows ...Row) (version uint64, err error) {
	return call[uint64](ctx, t, "append", map[string]any{"rows": rows})
}

// Appended is the outcome of AppendEach.
type Appended struct {
	Versions  []uint64 `json:"versions"`  // one for each row, in order
	Conflicts int      `json:"conflicts"` // commits that LanceDB gave up and that were made again
}

// AppendEach commits each row in a version of its own. When LanceDB gives up on
// a commit conflict, it takes the latest version and makes the commit again, up
// to tries times a row; any other error ends it.
func (t *Table) AppendEach(ctx context.Context, rows []Row, tries int) (Appended, error) {
	return call[Appended](ctx, t, "appendEach", map[string]any{"rows": rows, "tries": tries})
}

// Delete deletes the rows that an SQL condition selects, and returns the version
// that it committed.
func (t *Table) Delete(ctx context.Context, where string) (version uint64, err error) {
	return call[uint64](ctx, t, "delete", map[string]any{"where": where})
}

// Checkout moves t to a version and makes it read-only.
func (t *Table) Checkout(ctx context.Context, version uint64) error {
	return t.db.call(ctx, "checkout", t.handle, map[string]any{"version": version}, nil)
}

// CheckoutLatest moves t to the latest version of its branch and makes it
// writable.
func (t *Table) CheckoutLatest(ctx context.Context) error {
	return t.db.call(ctx, "checkoutLatest", t.handle, nil, nil)
}

// Restore commits the version that t was checked out at as the newest one, and
// returns its number.
func (t *Table) Restore(ctx context.Context) (version uint64, err error) {
	return call[uint64](ctx, t, "restore", nil)
}

// Tags lists the table's tags by name.
func (t *Table) Tags(ctx context.Context) (map[string]Tag, error) {
	return call[map[string]Tag](ctx, t, "tags", nil)
}

// CreateTag tags a version of t's branch.
func (t *Table) CreateTag(ctx context.Context, tag string, version uint64) error {
	return t.db.call(ctx, "createTag", t.handle, map[string]any{"tag": tag, "version": version}, nil)
}

// Branches lists the table's branches by name, main not among them.
func (t *Table) Branches(ctx context.Context) (map[string]Branch, error) {
	return call[map[string]Branch](ctx, t, "branches", nil)
}

// CreateBranch forks a branch off main at a version, and returns a handle on it.
// The branch's first version has that number too.
func (t *Table) CreateBranch(ctx context.Context, branch string, version uint64) (*Table, error) {
	return t.db.table(ctx, "createBranch", t.handle, map[string]any{"branch": branch, "version": version})
}
