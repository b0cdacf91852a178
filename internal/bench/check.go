package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
)

// check creates a name twice, so that a store that enforces nothing, or lets the
// caller do nothing, is not measured.
func (b *bench) check(ctx context.Context) error {
	b.progress("a small check")
	first, second := []byte("the first create"), []byte("the other create")
	key := b.folder + "check"
	if err := b.create(ctx, key, first); err != nil {
		return fmt.Errorf("the first create: %w", err)
	}
	err := b.create(ctx, key, second)
	if err != nil && !errors.Is(err, backends.ErrExists) {
		return fmt.Errorf("a second create of the same name: %w", err)
	}
	var body []byte
	reading := b.within(ctx, func(ctx context.Context) (err error) {
		body, _, err = b.stores[0].Get(ctx, key)
		return err
	})
	switch {
	case err == nil:
		return fmt.Errorf("%w: a second create of the same name was not refused; 'lancecommit doctor' tells more",
			committer.ErrInconsistentStore)
	case reading != nil:
		return fmt.Errorf("read what was created: %w", reading)
	case !bytes.Equal(body, first):
		return fmt.Errorf("%w: a second create of the same name was refused, and yet the first bytes are not there; "+
			"'lancecommit doctor' tells more", committer.ErrInconsistentStore)
	}
	return nil
}

// create sends one create.
func (b *bench) create(ctx context.Context, key string, body []byte) error {
	return b.within(ctx, func(ctx context.Context) error {
		_, err := b.stores[0].PutIfAbsent(ctx, key, body, backends.PutOptions{})
		return err
	})
}
