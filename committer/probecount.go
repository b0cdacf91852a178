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
