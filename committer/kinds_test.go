package committer_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// A kind is one of the kinds of tables. The zero value is the main branch of a
// V2 table on a general purpose bucket.
type kind struct {
	scheme naming.Scheme
	branch string
	opts   memory.Options
}

// kinds are all that matter.
func kinds() map[string]kind {
	all := make(map[string]kind)
	for _, scheme := range []naming.Scheme{naming.V1, naming.V2} {
		for _, on := range []string{"", branch} {
			for name, opts := range map[string]memory.Options{
				"ordered": {}, "ordered, small pages": {PageSize: 3}, "unordered": {Unordered: true},
				"unordered, small pages": {Unordered: true, PageSize: 3}, "without metadata": {NoMetadata: true},
			} {
				all[fmt.Sprintf("%s, branch %q, %s", scheme, on, name)] = kind{scheme, on, opts}
			}
		}
	}
	return all
}

// eachKind runs a test for each kind of table, with a clock of its own.
func eachKind(t *testing.T, test func(t *testing.T, k kind)) {
	for name, k := range kinds() {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, k) }) })
	}
}

// versions is the prefix of the table's manifests.
func (k kind) versions() string { return naming.Versions(naming.BranchRoot(root, k.branch)) }

func (k kind) final(version uint64) string {
	if k.scheme == 0 {
		k.scheme = naming.V2
	}
	return k.scheme.Final(version)
}

// lay puts versions into a store as another writer would.
func (k kind) lay(store *memory.Store, versions ...uint64) {
	for _, v := range versions {
		store.Inject(k.versions()+k.final(v), nil)
	}
}

// settled returns a store with versions that are all two hours old.
func (k kind) settled(versions ...uint64) *memory.Store {
	store := memory.New(k.opts)
	if k.branch != "" {
		store.Inject(escapedRef, forkOf("null", 3))
	}
	k.lay(store, versions...)
	time.Sleep(2 * time.Hour)
	return store
}

func (k kind) table(store backends.Store) *committer.Table {
	return committer.NewTable(store, root, committer.WithBranch(k.branch))
}

// left returns the versions that a store has, in order.
func (k kind) left(t *testing.T, store backends.Store) []uint64 {
	t.Helper()
	left := []uint64{}
	in := backends.ListInput{Prefix: k.versions()}
	for {
		page, err := store.List(context.Background(), in)
		require.NoError(t, err)
		for _, object := range page.Objects {
			if name := naming.Parse(strings.TrimPrefix(object.Key, in.Prefix)); name.Kind == naming.Final {
				left = append(left, name.Version)
			}
		}
		if in.Token = page.Token; in.Token == "" {
			slices.Sort(left)
			return left
		}
	}
}

// upTo returns the versions from 1.
func upTo(last uint64) (versions []uint64) {
	for v := uint64(1); v <= last; v++ {
		versions = append(versions, v)
	}
	return versions
}

// inBatches is a store that deletes few objects in one request.
type inBatches struct {
	*memory.Store
	limit int
}

func (s inBatches) BulkLimit() int { return s.limit }

// single is a store without bulk deletes.
type single struct{ backends.Store }

// ticking is a store whose clock is not that of this machine, or that does not
// tell it.
type ticking struct {
	backends.Store
	ahead  time.Duration
	silent bool
}

func (s ticking) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	page, err := s.Store.List(ctx, in)
	for i := range page.Objects {
		page.Objects[i].Modified = page.Objects[i].Modified.Add(s.ahead)
	}
	if page.Now = page.Now.Add(s.ahead); s.silent {
		page.Now = time.Time{}
	}
	return page, err
}

// clocks is a store whose pages have clocks that are ahead or behind, or, by the
// least number, tell no time.
type clocks struct {
	backends.Store
	told []time.Duration
}

func (s *clocks) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	page, err := s.Store.List(ctx, in)
	if len(s.told) > 0 {
		if page.Now = page.Now.Add(s.told[0]); s.told[0] == math.MinInt64 {
			page.Now = time.Time{}
		}
		s.told = s.told[1:]
	}
	return page, err
}
