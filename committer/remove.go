package committer

import (
	"context"
	"errors"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/lancecommit/lancecommit/backends"
)

const (
	// atOnce is how many requests a clean-up has under way.
	atOnce = 8
	// singleBatch is how many single deletes are between two looks at the tags
	// and branches.
	singleBatch = 100
)

// A remover deletes objects, many in one request where the store can.
type remover struct {
	single bounded
	// bulk is nil where the store has no such method, or refused it.
	bulk backends.BulkDeleter
}

func newRemover(store bounded) remover {
	bulk, _ := store.Store.(backends.BulkDeleter)
	return remover{store, bulk}
}

// batch is how many keys remove takes.
func (r *remover) batch() int {
	if r.bulk == nil {
		return singleBatch
	}
	return max(1, r.bulk.BulkLimit())
}

// remove deletes objects, and says of each whether it is proven to be gone.
func (r *remover) remove(ctx context.Context, keys []string) (gone []bool, err error) {
	gone = make([]bool, len(keys))
	if r.bulk == nil {
		return gone, r.oneByOne(ctx, keys, gone)
	}
	err = within(ctx, r.single.policy.readTimeout(0), func(ctx context.Context) error { return r.bulk.BulkDelete(ctx, keys) })
	failed := make(map[string]bool)
	var partial *backends.PartialDeleteError
	switch {
	case errors.As(err, &partial):
		for _, one := range partial.Failed {
			failed[one.Key] = true
		}
	case errors.Is(err, backends.ErrUnsupported):
		r.bulk = nil
		return gone, r.oneByOne(ctx, keys, gone)
	case err != nil:
		return gone, err
	}
	for i, key := range keys {
		gone[i] = !failed[key]
	}
	return gone, err
}

func (r *remover) oneByOne(ctx context.Context, keys []string, gone []bool) error {
	places := make([]int, len(keys))
	for i := range places {
		places[i] = i
	}
	return sideBySide(places, func(i int) error {
		err := r.single.Delete(ctx, keys[i])
		gone[i] = err == nil
		return err
	})
}

// sideBySide does something with each item, a few at a time. It starts no more
// after the first error, which it returns when all that were started have ended.
func sideBySide[T any](items []T, do func(T) error) error {
	var group errgroup.Group
	group.SetLimit(atOnce)
	var failed atomic.Bool
	for _, item := range items {
		if failed.Load() {
			break
		}
		group.Go(func() error {
			err := do(item)
			if err != nil {
				failed.Store(true)
			}
			return err
		})
	}
	return group.Wait()
}
