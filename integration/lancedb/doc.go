// Package lancedb runs LanceDB, the reader and writer that everything committed
// by this module is for, inside integration tests.
//
// LanceDB [Version] is a Node package. The first test that asks for it installs
// it with npm into integration/.cache, below the module's root (about 170 MB);
// later ones find it there. A [DB] is one Node process that has it loaded and
// takes calls over a pipe:
//
//	func TestLanceDBReadsWhatWeCommit(t *testing.T) {
//		db := lancedb.Start(t)
//		table, err := db.Open(t.Context(), lancedb.Location{URI: dir, Table: "quickstart"}, lancedb.OpenOptions{})
//		require.NoError(t, err)
//		ids, err := table.IDs(t.Context())
//		...
//	}
//
// [Start] skips the test unless the environment has LANCECOMMIT_LANCEDB=1, and
// fails it when the variable is set and LanceDB cannot be had. Two values of DB
// are two processes: two LanceDB writers that share nothing but the store.
//
// A [Table] sees the version that it was opened at, its own commits, and no
// other until [Table.CheckoutLatest]. Tables of this package's making have the
// columns id (int32) and text (utf8).
//
// Every call takes at most [CallTimeout]. A call whose time is up, or whose
// context is cancelled, ends the process, since LanceDB could otherwise go on
// writing behind a test that has moved on: later calls on that DB then return
// an error matching [ErrStopped].
package lancedb
