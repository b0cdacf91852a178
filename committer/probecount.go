package committer

import (
	"context"
	"sync/atomic"

	"github.com/lancecommit/lancecommit/backends"
)

// A countedStore counts the requests of a probe.
type countedStore struct {
	store    backends.Store
	requests *atomic.Int64
}

// counting returns a store whose requests are counted, and which can do beyond
// the contract what the store can. An overwrite is not counted: it is for a store
// that refuses creates.
func counting(store backends.Store, requests *atomic.Int64) backends.Store {
	s := countedStore{store, requests}
	over, overwrites := store.(backends.Overwriter)
	bulk, deletes := store.(backends.BulkDeleter)
	switch {
	case overwrites && deletes:
		return struct {
			countedStore
			countedBulk
			backends.Overwriter
		}{s, countedBulk{bulk, requests}, over}
	case overwrites:
		return struct {
			countedStore
			backends.Overwriter
		}{s, over}
	case deletes:
		return struct {
			countedStore
			countedBulk
		}{s, countedBulk{bulk, requests}}
	}
	return s
}

// A countedBulk counts the deletions of many objects.
type countedBulk struct {
	bulk     backends.BulkDeleter
	requests *atomic.Int64
}

func (b countedBulk) BulkLimit() int { return b.bulk.BulkLimit() }

func (b countedBulk) BulkDelete(ctx context.Context, keys []string) error {
	b.requests.Add(1)
	return b.bulk.BulkDelete(ctx, keys)
}

func (s countedStore) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	s.requests.Add(1)
	return s.store.PutIfAbsent(ctx, key, body, opts)
}

func (s countedStore) Get(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
	s.requests.Add(1)
	return s.store.Get(ctx, key)
}

func (s countedStore) Head(ctx context.Context, key string) (backends.Attrs, error) {
	s.requests.Add(1)
	return s.store.Head(ctx, key)
}

func (s countedStore) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	s.requests.Add(1)
	return s.store.List(ctx, in)
}

func (s countedStore) Delete(ctx context.Context, key string) error {
	s.requests.Add(1)
	return s.store.Delete(ctx, key)
}

func (s countedStore) Capabilities() backends.Capabilities { return s.store.Capabilities() }
