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

// A fate is what became of an object that was to be deleted.
type fate uint8

const (
	// fateLeft is an object that is there still: nobody was asked to delete it, or
	// the store refused.
	fateLeft fate = iota
	// fateUnproven is an object of which the answer does not tell. A request that is
	// answered 503 or 429, or not at all, may have been carried out: the SDKs
	// send deletes again, and tell the last answer.
	fateUnproven
	// fateGone is an object that is not there any more.
	fateGone
)

// fateAfter tells the fate from the answer to a delete.
func fateAfter(err error) fate {
	switch {
	case err == nil:
		return fateGone
	case backends.IsRefusal(err):
		return fateLeft
	default:
		return fateUnproven
	}
}

// remove deletes objects, and says what became of each.
func (r *remover) remove(ctx context.Context, keys []string) ([]fate, error) {
	fates := make([]fate, len(keys))
	if r.bulk == nil {
		return fates, r.oneByOne(ctx, keys, fates)
	}
	if err := ctx.Err(); err != nil {
		return fates, err
	}
	err := within(ctx, r.single.policy.readTimeout(0), func(ctx context.Context) error { return r.bulk.BulkDelete(ctx, keys) })
	failed := make(map[string]error)
	all := err
	var partial *backends.PartialDeleteError
	switch {
	case errors.As(err, &partial):
		all = nil
		for _, one := range partial.Failed {
			failed[one.Key] = one
		}
	case errors.Is(err, backends.ErrUnsupported):
		r.bulk = nil
		return fates, r.oneByOne(ctx, keys, fates)
	}
	for i, key := range keys {
		answer := all
		if one := failed[key]; one != nil {
			answer = one
		}
		fates[i] = fateAfter(answer)
	}
	return fates, err
}

func (r *remover) oneByOne(ctx context.Context, keys []string, fates []fate) error {
	places := make([]int, len(keys))
	for i := range places {
		places[i] = i
	}
	return sideBySide(places, func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := r.single.Delete(ctx, keys[i])
		fates[i] = fateAfter(err)
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
