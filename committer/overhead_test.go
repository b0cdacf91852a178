package committer_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

// overheads are what a commit may allocate beyond the store's own create.
var overheads = []struct {
	name   string
	call   func(*overhead)
	allocs float64
}{
	{"Commit", (*overhead).commit, 3},
	{"Update", (*overhead).update, 5},
}

// An overhead creates each version twice: by a call of a table on one memory
// store, and straight on another with the same key, body and metadata. So the
// difference is what the library costs, and nothing else.
type overhead struct {
	t         *testing.T
	table     *committer.Table
	store     noting
	raw       backends.Store
	manifests [][]byte
	end       int
}

// fewVersions are those before an overhead begins with empty stores again, since
// a memory store costs more the more it has.
const fewVersions = 512

func newOverhead(t *testing.T) *overhead {
	o := &overhead{t: t}
	for version := range uint64(fewVersions) {
		o.manifests = append(o.manifests, testmanifest.Appended(version+1, 600))
	}
	o.restart()
	return o
}

func (o *overhead) restart() {
	o.end, o.raw = 0, laid()
	o.store = noting{Store: laid(), puts: make([]putOf, 0, fewVersions)}
	o.table = committer.NewTable(&o.store, root)
	o.commit() // The end of the chain is known from here on.
}

func (o *overhead) commit() {
	_, err := o.table.Commit(context.Background(), uint64(o.end)+1, o.manifests[o.end])
	o.check(err)
}

func (o *overhead) update() {
	_, err := o.table.Update(context.Background(), func(context.Context, committer.Version) ([]byte, error) {
		return o.manifests[o.end], nil
	})
	o.check(err)
}

// put creates what a call has created.
func (o *overhead) put(p putOf) {
	if _, err := o.raw.PutIfAbsent(context.Background(), p.key, p.body, p.opts); err != nil {
		o.t.Fatal(err)
	}
}

func (o *overhead) check(err error) {
	if err != nil {
		o.t.Fatal(err)
	}
	o.end++
}

// putOf are the arguments of a create.
type putOf struct {
	key  string
	body []byte
	opts backends.PutOptions
}

// A noting store keeps the arguments of all creates.
type noting struct {
	backends.Store
	puts []putOf
}

func (s *noting) PutIfAbsent(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
	s.puts = append(s.puts, putOf{key, body, opts})
	return s.Store.PutIfAbsent(ctx, key, body, opts)
}

func TestWhatACommitAllocatesBeyondTheStoresOwn(t *testing.T) {
	if underRace {
		t.Skip("the race detector allocates, too")
	}
	for _, c := range overheads {
		t.Run(c.name, func(t *testing.T) {
			const runs = fewVersions - 2 // and one to warm up
			o := newOverhead(t)
			library := testing.AllocsPerRun(runs, func() { c.call(o) })
			puts := o.store.puts
			store := testing.AllocsPerRun(runs, func() { o.put(puts[0]); puts = puts[1:] })
			require.LessOrEqual(t, library-store, c.allocs)
		})
	}
}
