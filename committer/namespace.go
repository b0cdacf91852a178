package committer

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/naming"
)

// A Namespace executes the table-version operations of the Lance Namespace
// specification on the folder of a database, directly on its store. A table
// with the id ["images"] is the folder "images.lance" in it. It is safe for
// concurrent use, and keeps the handles of the tables that it works on, so a
// process should have one.
//
// Every operation checks the request before it sends anything. Its refusal is an
// [*InvalidRequestError], which names every field that is wrong, or
// [ErrUnsupported] where all that is wrong is that these fields ask for what there
// is not. For a request that cannot be read whole, see [Namespace.Refuse].
//
// Once a minute an operation finds out for each table where that is and whether
// this library may work there: one LIST of the table's folder, one of the
// catalog's versions, and a GET of the catalog's manifest where there is one. With
// [AtTable] there is nothing to find out.
//
// What an error means is told by [Code], and by the sentinels of this package.
type Namespace struct {
	config
	store backends.Store
	reads bounded
	root  string
	// opts are those of the handles.
	opts []Option
	// broken is what is wrong with the arguments of NewNamespace.
	broken error

	mu      sync.Mutex
	handles map[handleKey]*Table
	places  map[string]checked
	catalog checked
}

type handleKey struct{ root, branch string }

// maxHandles is how many handles a namespace keeps. Beyond it all are forgotten,
// which costs their next call a LIST.
const maxHandles = 4096

// NewNamespace returns a namespace whose root is a key of the store; the empty
// root is the store itself. It does no I/O. Options are those of a [Table], and
// [AtTable], [KeepStaged] and [WithCatalogManaged]. Branches are named by the
// requests, so [WithBranch] is [ErrInvalid], which all operations then return.
func NewNamespace(store backends.Store, root string, opts ...Option) *Namespace {
	n := &Namespace{config: newConfig(opts), store: store, opts: opts}
	n.reads = bounded{store, n.retry}
	clean, err := naming.CleanRoot(root)
	switch {
	case store == nil:
		n.broken = invalid(errNoStore)
	case err != nil:
		n.broken = invalid(err)
	case n.branch != "" || n.isNew:
		n.broken = invalid(errors.New("a namespace has no branch; its requests name them"))
	}
	n.root = clean
	return n
}

// table returns the handle of a branch of the table at root, after the checks of
// the place and of the branch. With first, the branch need not be registered:
// its chain may begin at that version.
func (n *Namespace) table(ctx context.Context, root, branch string, first uint64) (*Table, error) {
	if err := n.check(ctx, root); err != nil {
		return nil, err
	}
	t := n.handle(root, branch)
	_, err := t.ready(ctx)
	if first != 0 && errors.Is(err, ErrBranchNotFound) {
		// Not kept: the branch can be registered at any time.
		t = n.newTable(root, branch, WithNewBranch(first))
		_, err = t.ready(ctx)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (n *Namespace) handle(root, branch string) *Table {
	if naming.IsMain(branch) {
		branch = ""
	}
	key := handleKey{root, branch}
	n.mu.Lock()
	defer n.mu.Unlock()
	if t := n.handles[key]; t != nil {
		return t
	}
	if n.handles == nil || len(n.handles) >= maxHandles {
		n.handles = make(map[handleKey]*Table)
	}
	t := n.newTable(root, branch)
	n.handles[key] = t
	return t
}

func (n *Namespace) newTable(root, branch string, more ...Option) *Table {
	// Nobody builds on what a namespace committed.
	keepsNone := func(c *config) { c.keepUpTo = 0 }
	return NewTable(n.store, root, slices.Concat(n.opts, []Option{WithBranch(branch), keepsNone}, more)...)
}

// tableRoot returns the root of the table that an id names.
func (n *Namespace) tableRoot(id []string) (string, error) {
	if n.atTable {
		return n.root, nil
	}
	name, err := tableName(id)
	if err != nil {
		return "", err
	}
	return naming.Join(n.root, name+tableSuffix), nil
}
