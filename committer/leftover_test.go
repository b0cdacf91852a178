package committer_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

// A caller is the context of a call. It knows who waits for its end.
type caller struct {
	context.Context
	done chan struct{}

	mu      sync.Mutex
	ended   bool
	waiting map[*waiter]bool
}

// A waiter is what is to be done at the end of a caller.
type waiter struct{ do func() }

func newCaller() *caller {
	return &caller{Context: context.Background(), done: make(chan struct{}), waiting: make(map[*waiter]bool)}
}

// Done implements context.Context.
func (c *caller) Done() <-chan struct{} { return c.done }

// Err implements context.Context.
func (c *caller) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return context.Canceled
	}
	return nil
}

// AfterFunc is what context.AfterFunc asks for.
func (c *caller) AfterFunc(do func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := &waiter{do}
	c.waiting[w] = true
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.ended {
			return false
		}
		delete(c.waiting, w)
		return true
	}
}

// end ends the context, and does what waits for that.
func (c *caller) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	close(c.done)
	for w := range c.waiting {
		go w.do()
		delete(c.waiting, w)
	}
}

func TestAThousandCancelledCommitsLeaveNothingBehind(t *testing.T) {
	// A goroutine that is left fails the bubble. What waits for the end of the
	// caller's context is counted there. And a timer keeps that context alive.
	for _, tc := range []struct {
		name string
		// fate is that of the PUT, whose answer says nothing.
		fate step
		// put and head happen to the caller after the PUT and before the look.
		put, head func(*caller)
		want      error
	}{
		{name: "the context lasts", fate: lostReply},
		{name: "the context ends before the look", fate: lostReply, put: (*caller).end},
		{name: "the context ends during the look", fate: lostReply, head: (*caller).end},
		{
			name: "the context ends before a look that finds nothing", fate: answers(errReset), put: (*caller).end,
			want: committer.ErrUnknownOutcome,
		},
		{
			name: "the context ends during a look that finds nothing", fate: answers(errReset), head: (*caller).end,
			want: committer.ErrUnknownOutcome,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const calls = 1000
				var current *caller
				happens := func(to func(*caller)) {
					if to != nil && current.Err() == nil {
						to(current)
					}
				}
				looks := 0
				table := committer.NewTable(intercept.Wrap(laid(1), func(
					ctx context.Context, call intercept.Call, do func(context.Context) error,
				) error {
					switch call.Method {
					case "PUT":
						err := tc.fate(ctx, do)
						happens(tc.put)
						return err
					case "HEAD":
						looks++
						happens(tc.head)
						synctest.Wait() // What waited for the end is done.
					}
					return do(ctx)
				}), root, committer.WithRetry(committer.RetryPolicy{Grace: time.Hour}))

				var callers []weak.Pointer[caller]
				next := uint64(2)
				for range calls {
					current = newCaller()
					_, err := table.Commit(current, next, manifestOf(next, "mine"))
					require.ErrorIs(t, err, tc.want)
					if err == nil {
						next++
					}
					require.Empty(t, current.waiting, "what waits for the end of the caller's context")
					callers = append(callers, weak.Make(current))
				}
				current = nil
				require.GreaterOrEqual(t, looks, calls)

				synctest.Wait()
				runtime.GC()
				held := 0
				for _, c := range callers {
					if c.Value() != nil {
						held++
					}
				}
				// The runtime lets go of a timer that was stopped when it has
				// others to see to.
				require.Less(t, held, calls/10, "calls whose context is held, as by a timer")
			})
		})
	}
}
