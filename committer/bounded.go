package committer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/backends"
)

// A bounded is a store whose reads and deletes end in time, whatever the store
// does: one that takes a request and never answers must not hold a writer for
// ever. Creates have the bound of an attempt instead.
type bounded struct {
	backends.Store
	policy RetryPolicy
}

// unknownSize stands for the size of an object that nobody knows, in bytes.
const unknownSize = 128 << 20

// Get reads an object of a size that is not known.
func (b bounded) Get(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
	return b.getSized(ctx, key, unknownSize)
}

// getSized reads an object of about so many bytes.
func (b bounded) getSized(ctx context.Context, key string, size int64) (body []byte, attrs backends.Attrs, err error) {
	err = within(ctx, b.policy.readTimeout(size), func(ctx context.Context) error {
		body, attrs, err = b.Store.Get(ctx, key)
		return err
	})
	return body, attrs, err
}

// Head implements backends.Store.
func (b bounded) Head(ctx context.Context, key string) (attrs backends.Attrs, err error) {
	err = within(ctx, b.policy.readTimeout(0), func(ctx context.Context) error {
		attrs, err = b.Store.Head(ctx, key)
		return err
	})
	return attrs, err
}

// List implements backends.Store. A listing goes on from page to page, so that it
// ends with its context also where the store does not look at that.
func (b bounded) List(ctx context.Context, in backends.ListInput) (page backends.Page, err error) {
	if err := ctx.Err(); err != nil {
		return backends.Page{}, err
	}
	err = within(ctx, b.policy.readTimeout(0), func(ctx context.Context) error {
		page, err = b.Store.List(ctx, in)
		return err
	})
	return page, err
}

// page is List that refuses a page which would send a listing round in a circle,
// or shows what was not asked for: [ErrInconsistentStore].
func (b bounded) page(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	page, err := b.List(ctx, in)
	if err != nil {
		return backends.Page{}, err
	}
	if page.Token != "" && page.Token == in.Token {
		return backends.Page{}, fmt.Errorf("%w: the token of a page of %q leads to the same page", ErrInconsistentStore, in.Prefix)
	}
	for _, object := range page.Objects {
		if !strings.HasPrefix(object.Key, in.Prefix) {
			return backends.Page{}, fmt.Errorf("%w: the listing of %q shows %q", ErrInconsistentStore, in.Prefix, object.Key)
		}
	}
	return page, nil
}

// Delete implements backends.Store.
func (b bounded) Delete(ctx context.Context, key string) error {
	return within(ctx, b.policy.readTimeout(0), func(ctx context.Context) error { return b.Store.Delete(ctx, key) })
}

// within makes a request that may take so long.
func within(ctx context.Context, most time.Duration, do func(context.Context) error) error {
	bound := withDeadline(ctx, time.Now().Add(most))
	defer bound.end()
	err := do(bound)
	if err != nil && ctx.Err() == nil && errors.Is(bound.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("the store did not answer within %v: %w", most, err)
	}
	return err
}
