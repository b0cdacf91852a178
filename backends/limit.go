package backends

import (
	"context"
	"errors"
	"fmt"
)

// ErrTooLarge means that an object has more bytes than the reader wants. See
// [WithReadLimit].
var ErrTooLarge = errors.New("the object is too large")

type readLimitKey struct{}

// WithReadLimit returns a context with which [Store.Get] reads objects of at most
// so many bytes, and refuses larger ones with [ErrTooLarge] before it reads their
// content. It is for objects that somebody else names.
func WithReadLimit(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, readLimitKey{}, bytes)
}

// CheckReadLimit returns [ErrTooLarge] when an object of so many bytes must not
// be read with a context. Stores call it as soon as they know the size.
func CheckReadLimit(ctx context.Context, size int64) error {
	if limit, ok := ctx.Value(readLimitKey{}).(int64); ok && size > limit {
		return fmt.Errorf("%w: it has %d bytes, and at most %d are read", ErrTooLarge, size, limit)
	}
	return nil
}
