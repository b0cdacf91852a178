package committer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/naming"
)

// A Table is a handle of one table, or one branch of it, in a store. It is safe
// for concurrent use. Writers that use one Table take turns, first come first
// served; a process should have one Table for each table that it writes, since
// the handle remembers the end of the chain.
type Table struct {
	config
	store backends.Store
	reads bounded
	// table is the root of the table, root the one of the branch.
	table, root string
	// versions is the folder of the manifests in root.
	versions string
	// broken is what is wrong with the arguments of NewTable.
	broken error

	turns  *semaphore.Weighted
	rivals rivals // of who has the turn

	mu    sync.Mutex
	known known
	// seen is the last end of the chain, also after known was forgotten.
	seen Version
	ref  branchRef
}

var errNoStore = errors.New("there is no store")

// NewTable returns a handle of the table whose root is a key of the store, such
// as "data/images.lance"; the empty root is the store itself. It does no I/O.
// The methods return [ErrInvalid] when there is no store, or when the root or an
// option is malformed.
func NewTable(store backends.Store, root string, opts ...Option) *Table {
	t := &Table{config: newConfig(opts), store: store, turns: semaphore.NewWeighted(1)}
	t.reads = bounded{store, t.retry}
	switch err := t.setRoot(root); {
	case store == nil:
		t.broken = invalid(errNoStore)
	case err != nil:
		t.broken = invalid(err)
	}
	return t
}

func (t *Table) setRoot(root string) error {
	table, err := naming.CleanRoot(root)
	if err != nil {
		return err
	}
	if err := naming.CheckBranch(t.branch); err != nil {
		return err
	}
	if naming.IsMain(t.branch) {
		t.branch = ""
		if t.isNew {
			return fmt.Errorf("%w: WithNewBranch needs WithBranch with another branch than main", naming.ErrBranch)
		}
	}
	if t.isNew {
		if err := naming.CheckVersion(t.newBranch); err != nil {
			return fmt.Errorf("the parent version of a new branch: %w", err)
		}
	}
	if t.scheme != naming.V1 && t.scheme != naming.V2 {
		return fmt.Errorf("%w: %d", naming.ErrScheme, t.scheme)
	}
	t.table, t.root = table, naming.BranchRoot(table, t.branch)
	t.versions = naming.Versions(t.root)
	return nil
}

// Root returns the key of the root that holds the handle's _versions/: the
// table's, or that of its branch.
func (t *Table) Root() string { return t.root }

// Branch returns the name of the handle's branch, empty for main.
func (t *Table) Branch() string { return t.branch }

// key returns the object of a version.
func (t *Table) key(scheme naming.Scheme, version uint64) string {
	var room [128]byte
	key := append(room[:0], t.versions...)
	return string(scheme.AppendFinal(key, version))
}

// ready does what every call does first, and returns the branch's ref.
func (t *Table) ready(ctx context.Context) (branchRef, error) {
	if t.broken != nil {
		return branchRef{}, t.broken
	}
	return t.branchRef(ctx)
}

// begin waits until the caller may write. It gives way to the context, and then
// nothing was written. What is returned is the context for all that happens in
// the turn, and ends the turn. The call began at the time called.
func (t *Table) begin(ctx context.Context, called time.Time) (*call, error) {
	if ctx.Value(inTurn{t}) != nil {
		return nil, fmt.Errorf("%w: a build function returns the manifest, and a hook only looks on; to write here would wait for itself",
			ErrReentrant)
	}
	if err := t.turns.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("nothing was written, its turn did not come in time: %w", err)
	}
	c := t.newCall(ctx)
	c.called, c.turnOf = called, t
	return c, nil
}

// ReadManifest returns the bytes of a version that this table returned; a
// Version without a Key has none. A version that is gone is [ErrVersionNotFound].
// It costs one GET, or none for the version that this handle committed last: that
// is remembered, and not missed when it is gone.
func (t *Table) ReadManifest(ctx context.Context, v Version) ([]byte, error) {
	if t.broken != nil {
		return nil, t.broken
	}
	if !v.exists() {
		return nil, fmt.Errorf("read manifest: %w: it has no key; for the base of an empty chain there is nothing to read", ErrVersionNotFound)
	}
	if body := t.remembered(v); body != nil {
		return body, nil
	}
	body, _, err := t.reads.getSized(ctx, v.Key, v.Size)
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", versionError(v.Number, err))
	}
	return body, nil
}
