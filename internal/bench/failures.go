package bench

import (
	"context"
	"errors"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
)

// mostFailures is how many calls may fail in a row.
const mostFailures = 5

// failures count the calls that failed.
type failures struct {
	all, inARow int
}

// add takes in the error of a call, nil for one that went well. It returns the
// error where it makes no sense to go on, and waits a little where it does.
func (f *failures) add(ctx context.Context, err error) error {
	if err == nil {
		f.inARow = 0
		return nil
	}
	f.all++
	f.inARow++
	if ctx.Err() != nil || lasting(err) || f.inARow == mostFailures {
		return err
	}
	select {
	case <-ctx.Done():
		return err
	case <-time.After(time.Duration(f.inARow) * 50 * time.Millisecond):
		return nil
	}
}

// persist repeats a call that is not measured until it goes well.
func persist(ctx context.Context, do func(context.Context) error) error {
	var f failures
	for {
		err := do(ctx)
		if err == nil {
			return nil
		}
		if err := f.add(ctx, err); err != nil {
			return err
		}
	}
}

// lasting reports whether an error stays the same when the call is repeated. A
// commit whose outcome is unknown has been repeated already.
func lasting(err error) bool {
	if backends.IsRefusal(err) {
		return true
	}
	for _, one := range []error{
		committer.ErrInvalid, committer.ErrUnsupported, committer.ErrInconsistentStore, committer.ErrTableNotFound,
		committer.ErrUnknownOutcome,
	} {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}
