package committer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/naming"
)

// What the directory of a Lance database is made of.
const (
	tableSuffix  = ".lance"
	deregistered = ".lance-deregistered"
	// catalogTable is the table that a database keeps its tables in, where it
	// has child namespaces or leaves versions to the catalog.
	catalogTable = "__manifest"
	// catalogManaged is the entry of the catalog's table metadata that leaves
	// versions to it.
	catalogManaged = "table_version_management"
)

// checkedFor is for how long a check of a place is remembered.
const checkedFor = time.Minute

// checked is when something was found to be in order.
type checked struct {
	at time.Time
	// there says for the catalog whether there is one.
	there bool
}

func (c checked) fresh() bool { return !c.at.IsZero() && elapsed(c.at) < checkedFor }

// check finds out whether the table at root may be worked on, once a minute.
func (n *Namespace) check(ctx context.Context, root string) error {
	if n.atTable {
		return nil
	}
	n.mu.Lock()
	known := n.places[root]
	n.mu.Unlock()
	if known.fresh() {
		return nil
	}
	began := time.Now()
	catalog, err := n.checkCatalog(ctx)
	if err != nil {
		return err
	}
	if err := n.checkFolder(ctx, root, catalog); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.places == nil || len(n.places) >= maxHandles {
		n.places = make(map[string]checked)
	}
	n.places[root] = checked{at: began}
	return nil
}

// checkCatalog reports whether the namespace has a catalog, and refuses one that
// has taken over the versions of its tables.
func (n *Namespace) checkCatalog(ctx context.Context) (there bool, err error) {
	n.mu.Lock()
	known := n.catalog
	n.mu.Unlock()
	if known.fresh() {
		return known.there, nil
	}
	began := time.Now()
	there, managed, err := n.readCatalog(ctx)
	if err != nil {
		return false, fmt.Errorf("the catalog %s: %w", naming.Join(n.root, catalogTable), err)
	}
	if managed && !n.allowManaged {
		return false, fmt.Errorf("%w: the catalog %s keeps the versions of its tables, and one written past it would fork their history; "+
			"commit through the catalog, or opt in where you know better", ErrUnsupported, naming.Join(n.root, catalogTable))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.catalog = checked{at: began, there: there}
	return there, nil
}

func (n *Namespace) readCatalog(ctx context.Context) (there, managed bool, err error) {
	catalog := NewTable(n.store, naming.Join(n.root, catalogTable), n.opts...)
	v, err := catalog.Latest(ctx)
	switch {
	case errors.Is(err, ErrTableNotFound):
		return false, false, nil
	case err != nil:
		return false, false, err
	}
	body, err := catalog.ReadManifest(ctx, v)
	if err != nil {
		return false, false, err
	}
	info, err := manifest.Inspect(body)
	if err != nil {
		// Not ErrInvalid: the request is not at fault.
		return false, false, fmt.Errorf("version %d cannot be read: %v; restore its manifest, or use the table's own location if you know that the catalog does not keep the versions",
			v.Number, err)
	}
	return true, info.TableMetadata[catalogManaged] == "true", nil
}

// checkFolder looks at what lies directly in the table's folder.
func (n *Namespace) checkFolder(ctx context.Context, root string, catalog bool) error {
	seen, err := n.lookInto(ctx, root)
	switch {
	case err != nil:
		return fmt.Errorf("look for the table %s: %w", root, err)
	case seen.deregistered:
		return fmt.Errorf("%w: %s is deregistered, by %s in it", ErrTableNotFound, root, deregistered)
	case catalog && !seen.versions:
		return fmt.Errorf("%w: there is no %s, and the catalog %s may have the table elsewhere; use the table's own location",
			ErrUnsupported, naming.Versions(root), naming.Join(n.root, catalogTable))
	case seen.anything:
		return nil
	}
	if n.root != "" {
		page, err := n.reads.page(ctx, backends.ListInput{Prefix: n.root + "/", Limit: 1})
		if err != nil {
			return fmt.Errorf("look for the namespace %s: %w", n.root, err)
		}
		if len(page.Objects)+len(page.Prefixes) == 0 && page.Token == "" {
			return fmt.Errorf("%w: there is nothing under %s/", ErrNamespaceNotFound, n.root)
		}
	}
	return fmt.Errorf("%w: there is nothing under %s/; declare the table, or stage its first manifest there", ErrTableNotFound, root)
}

// checkThere refuses a table that is given by its own location when there is
// nothing at all: other tables were looked for before. It costs a LIST of one
// key.
func (n *Namespace) checkThere(ctx context.Context) error {
	if !n.atTable {
		return nil
	}
	in, where := backends.ListInput{Limit: 1}, "in the store"
	if n.root != "" {
		in.Prefix = n.root + "/"
		where = "under " + in.Prefix
	}
	page, err := n.reads.page(ctx, in)
	switch {
	case err != nil:
		return fmt.Errorf("look for what is %s: %w", where, err)
	case len(page.Objects)+len(page.Prefixes) == 0 && page.Token == "":
		return fmt.Errorf("%w: there is nothing %s; check the location, or stage the first manifest there", ErrTableNotFound, where)
	}
	return nil
}

// orAbsent is checkThere after a call that did not find something in the table.
// Where the table is there, or this cannot be told, err stays.
func (n *Namespace) orAbsent(ctx context.Context, err error) error {
	if !errors.Is(err, ErrVersionNotFound) && !errors.Is(err, ErrBranchNotFound) {
		return err
	}
	if absent := n.checkThere(ctx); errors.Is(absent, ErrTableNotFound) {
		return absent
	}
	return err
}

// A sight is what a table's folder shows.
type sight struct{ anything, versions, deregistered bool }

func (n *Namespace) lookInto(ctx context.Context, root string) (seen sight, err error) {
	in := backends.ListInput{Prefix: root + "/"}
	for {
		page, err := n.reads.page(ctx, in)
		if err != nil {
			return sight{}, err
		}
		for _, object := range page.Objects {
			seen.anything = true
			seen.deregistered = seen.deregistered || strings.TrimPrefix(object.Key, in.Prefix) == deregistered
		}
		seen.anything = seen.anything || len(page.Prefixes) > 0
		seen.versions = seen.versions || slices.Contains(page.Prefixes, naming.Versions(root))
		if page.Token == "" {
			return seen, nil
		}
		in.Token = page.Token
	}
}
