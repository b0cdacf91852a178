package backends

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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

// largestGrowth is the largest buffer, in bytes, that the store's word alone makes
// a read take. It has room for any manifest, and is no memory before it is written
// to.
const largestGrowth = 1 << 30

// ReadBody reads an object whole into one buffer of the size that the store says
// it has, and goes on where it has more. A size below zero is not known. Stores
// call it after [CheckReadLimit].
func ReadBody(r io.Reader, size int64) ([]byte, error) {
	// The buffer wants room for the read that meets the end. To grow it would
	// write to all of it.
	body := bytes.NewBuffer(make([]byte, 0, min(max(size, 0), largestGrowth)+bytes.MinRead))
	_, err := body.ReadFrom(r)
	return body.Bytes(), err
}
