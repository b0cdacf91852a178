package bench_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/integration/lancedb"
	"github.com/lancecommit/lancecommit/integration/servers"
	"github.com/lancecommit/lancecommit/naming"
)

// LanceDB and this module on one table of so many versions. To open the table,
// which finds the latest version and reads its manifest. To find the latest
// version: LanceDB's "open and latest" is openTable and then checkoutLatest, which
// looks for it again; the second alone is what a program does that has the table
// open. And to commit by a handle that knows the version before: LanceDB's commit
// is an append of one row, which writes a data file and a transaction file as well.
func BenchmarkLanceDB(b *testing.B) {
	for _, scheme := range []naming.Scheme{naming.V2, naming.V1} {
		for _, count := range []uint64{10, 1000, 10_000} {
			if testing.Short() && count > 1000 {
				continue
			}
			b.Run(fmt.Sprintf("%v/%d", scheme, count), func(b *testing.B) {
				on := newShared(b, scheme, count)
				// How much faster, and in how many turns a run.
				goals := map[string]float64{"V2/10000": 8, "V1/10000": 2.5}
				turns, manyV1 := turnsInRun, scheme == naming.V1 && count > 1000
				if manyV1 {
					turns = 3
				}
				b.Run("open", func(b *testing.B) {
					on.compare(b, turns, "open", (*shared).lanceOpen, (*shared).open)
				})
				b.Run("latest", func(b *testing.B) {
					latest := func(on *shared) side {
						s := on.latest()
						s.least = goals[fmt.Sprintf("%v/%d", scheme, count)]
						if manyV1 {
							s.bare = tenLists
						}
						return s
					}
					more := []side{on.lanceLatest()}
					if manyV1 {
						more = append(more, on.lists())
					}
					on.compare(b, turns, "open and latest", (*shared).lanceOpenAndLatest, latest, more...)
				})
				b.Run("commit", func(b *testing.B) {
					on.compare(b, turns, "commit", (*shared).lanceCommit, (*shared).commit)
				})
			})
		}
	}
}

// A shared is a table on MinIO that LanceDB made and Go has given many versions.
type shared struct {
	place
	at     lancedb.Location
	db     *lancedb.DB
	scheme naming.Scheme
	count  uint64
	// newest is the latest version.
	newest uint64
}

const sharedRoot = "lake/t.lance"

func newShared(b *testing.B, scheme naming.Scheme, count uint64) *shared {
	b.Helper()
	on := &shared{place: newPlace(b, servers.Require(b, servers.MinIO)), scheme: scheme, count: count, newest: count}
	on.db = lancedb.Start(b)
	on.at = lancedb.Location{URI: on.uri + "/lake", Table: "t", StorageOptions: on.options}
	_, err := on.db.Create(b.Context(), on.at, scheme.String(), lancedb.Row{ID: 1, Text: "row 1"})
	require.NoError(b, err)
	first, _, err := on.store.Get(b.Context(), on.key(1))
	require.NoError(b, err)
	lay(b, on.store, sharedRoot, scheme, 2, count-1)
	last, err := manifest.WithVersion(first, count)
	require.NoError(b, err)
	_, err = on.store.PutIfAbsent(b.Context(), on.key(count), last, backends.PutOptions{})
	require.NoError(b, err)
	return on
}

func (on *shared) key(version uint64) string {
	return naming.Versions(sharedRoot) + on.scheme.Final(version)
}

// compare counts the requests of both through a proxy, and times both without.
func (on *shared) compare(b *testing.B, turns int, what string, lance, ours func(*shared) side, more ...side) {
	proxy := servers.StartProxy(b, on.server.Endpoint)
	through := *on
	through.options = on.server.At(proxy.Endpoint).StorageOptions()
	through.at.StorageOptions = through.options
	through.store = open(b, on.uri, through.options)
	counted := func(make func(*shared) side) map[string]int {
		s := make(&through)
		if s.prepare != nil {
			s.prepare(0)
		}
		proxy.Take()
		require.NoError(b, s.do(b.Context(), 0))
		return proxy.Operations()
	}
	theirs, mine := counted(lance), counted(ours)
	on.newest = through.newest

	fast := ours(on)
	fast.inverse = true
	took := compareSlow(b, turns, append([]side{lance(on), fast}, more...)...)
	sideBySide(fmt.Sprintf("%s, %d %v versions", what, on.count, on.scheme), asked{took[0], theirs}, asked{took[1], mine})
}

func (on *shared) lanceOpen() side {
	return side{name: "LanceDB", do: func(ctx context.Context, _ int) error {
		table, err := on.db.Open(ctx, on.at, lancedb.OpenOptions{})
		if err != nil {
			return err
		}
		return on.isNewest(ctx, table)
	}}
}

func (on *shared) lanceOpenAndLatest() side {
	return side{name: "LanceDB", do: func(ctx context.Context, _ int) error {
		table, err := on.db.Open(ctx, on.at, lancedb.OpenOptions{})
		if err != nil {
			return err
		}
		if err := table.CheckoutLatest(ctx); err != nil {
			return err
		}
		return on.isNewest(ctx, table)
	}}
}

// lanceLatest is checkoutLatest of a table that is open.
func (on *shared) lanceLatest() side {
	table, err := on.db.Open(context.Background(), on.at, lancedb.OpenOptions{})
	return side{name: lanceLatest, inverse: true, do: func(ctx context.Context, _ int) error {
		if err != nil {
			return err
		}
		if err := table.CheckoutLatest(ctx); err != nil {
			return err
		}
		return on.isNewest(ctx, table)
	}}
}

const lanceLatest = "checkoutLatest"

func (on *shared) isNewest(ctx context.Context, table *lancedb.Table) error {
	version, err := table.Version(ctx)
	if err != nil {
		return err
	}
	return same(version, on.newest)
}

func (on *shared) open() side {
	return side{name: "open, Latest, read", do: func(ctx context.Context, _ int) error {
		store, key, err := all.Open(ctx, on.uri+"/"+sharedRoot, on.options)
		if err != nil {
			return err
		}
		defer store.Close()
		table := committer.NewTable(store, key)
		v, err := table.Latest(ctx)
		if err != nil {
			return err
		}
		if _, err := table.ReadManifest(ctx, v); err != nil {
			return err
		}
		return same(v.Number, on.newest)
	}}
}

// latest is what a program does that has the store open.
func (on *shared) latest() side {
	return side{name: "Latest", also: lanceLatest, do: func(ctx context.Context, _ int) error {
		return latest(ctx, committer.NewTable(on.store, sharedRoot), on.newest)
	}}
}

// lists are the fewest requests that show the V1 names of 10,000 versions, all at
// once and with the SDK alone. Nobody could ask so who does not know them.
func (on *shared) lists() side {
	const lists, names = 10, 9_000 // 1000 to 9999, and few more
	prefix := naming.Versions(sharedRoot)
	return side{name: tenLists, inverse: true, do: func(ctx context.Context, _ int) error {
		group, ctx := errgroup.WithContext(ctx)
		for i := range lists {
			group.Go(func() error { return on.raw.(rawS3).page(ctx, prefix, fmt.Sprint(prefix, 1000+i*names/lists)) })
		}
		return group.Wait()
	}}
}

const tenLists = "10 LISTs"

func (on *shared) lanceCommit() side {
	table, err := on.db.Open(context.Background(), on.at, lancedb.OpenOptions{})
	return side{
		name:    "LanceDB",
		prepare: func(int) { _ = table.CheckoutLatest(context.Background()) },
		do: func(ctx context.Context, n int) error {
			if err != nil {
				return err
			}
			on.newest++
			version, err := table.Append(ctx, lancedb.Row{ID: int32(n), Text: "appended"})
			if err != nil {
				return err
			}
			return same(version, on.newest)
		},
	}
}

func (on *shared) commit() side {
	table := committer.NewTable(on.store, sharedRoot)
	var next []byte
	return side{
		name: "Commit",
		prepare: func(int) {
			if v, err := table.Latest(context.Background()); err == nil {
				base, _ := table.ReadManifest(context.Background(), v)
				next, _ = manifest.WithVersion(base, v.Number+1)
			}
		},
		do: func(ctx context.Context, _ int) error {
			on.newest++
			v, err := table.Commit(ctx, on.newest, next)
			if err != nil {
				return err
			}
			return same(v.Number, on.newest)
		},
	}
}
