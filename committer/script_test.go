package committer_test

import (
	"context"
	"fmt"
	"io"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

// errReset stands for every error that proves nothing.
var errReset = fmt.Errorf("read: connection reset: %w", io.ErrUnexpectedEOF)

// refusing returns a table whose requests of one method fail, always.
func refusing(store backends.Store, method string, err error, opts ...committer.Option) (*committer.Table, *intercept.Log) {
	log := new(intercept.Log)
	return committer.NewTable(intercept.Wrap(store, func(
		ctx context.Context, call intercept.Call, do func(context.Context) error,
	) error {
		return log.Around(ctx, call, func(ctx context.Context) error {
			if call.Method == method {
				return err
			}
			return do(ctx)
		})
	}), root, opts...), log
}

// A step is the fate of one PUT.
type step func(ctx context.Context, do func(context.Context) error) error

// pass lets the PUT through.
func pass(ctx context.Context, do func(context.Context) error) error { return do(ctx) }

// lostReply applies the PUT and loses the answer.
func lostReply(ctx context.Context, do func(context.Context) error) error {
	_ = do(ctx)
	return errReset
}

// notDurable applies the PUT, and the store fails to make it last.
func notDurable(ctx context.Context, do func(context.Context) error) error {
	_ = do(ctx)
	return backends.ErrNotDurable
}

// answers returns a step in which the PUT does nothing and is answered.
func answers(err error) step {
	return func(context.Context, func(context.Context) error) error { return err }
}

// scripted returns a table whose PUTs meet the steps one after the other, and the
// last one for ever. The count is that of its PUTs.
func scripted(store backends.Store, steps []step, opts ...committer.Option) (*committer.Table, *int) {
	puts := new(int)
	return committer.NewTable(intercept.Wrap(store, func(
		ctx context.Context, call intercept.Call, do func(context.Context) error,
	) error {
		if call.Method != "PUT" {
			return do(ctx)
		}
		*puts++
		return steps[min(*puts, len(steps))-1](ctx, do)
	}), root, opts...), puts
}

// untilSpent says that PUTs are sent until the time of the call is up.
const untilSpent = -1
