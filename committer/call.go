package committer

import (
	"context"
	"sync"
	"time"
)

// A call is the context of one call, with what it may spend, and what it has left
// to find out what happened when that context has ended. Looks, listings and
// confirmations share it.
type call struct {
	context.Context
	left budget
	// called is when it was called, before it had its turn; see startOfCall.
	called time.Time
	// first is the context of the call's first PUT. It needs no memory of its own.
	first deadline
	// turnOf is the table whose turn the call has, nil for one that takes none.
	turnOf *Table

	mu      sync.Mutex
	lasting context.Context
	stop    func()
}

type callKey struct{}

// inTurn marks the context of what a call runs in its turn, such as a build
// function or a hook, with the table.
type inTurn struct{ table *Table }

// newCall returns the context of a call whose own time begins now. The end of the
// call must end it.
func (t *Table) newCall(ctx context.Context) *call {
	return &call{Context: ctx, left: budget{policy: &t.retry, started: time.Now()}}
}

// attempt returns the context of a PUT that may last until a time.
func (c *call) attempt(at time.Time) *deadline {
	if c.first.Context != nil {
		return withDeadline(c, at)
	}
	c.first.Context, c.first.at = c, at
	return &c.first
}

// Value implements context.Context.
func (c *call) Value(key any) any {
	switch key {
	case callKey{}:
		return c
	case inTurn{c.turnOf}:
		return true
	}
	return c.Context.Value(key)
}

// lasting returns the context of a look: it goes on until the grace of ctx's call
// is over. While ctx itself lasts the look has what is left of the call's time,
// and the grace at the least.
func (t *Table) lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return context.WithTimeout(context.WithoutCancel(ctx), t.retry.Grace)
	}
	return context.WithTimeout(c.outlasting(), max(t.retry.MaxElapsed-c.left.took(time.Now()), t.retry.Grace))
}

// outlasting returns a context that ends with the grace.
func (c *call) outlasting() context.Context {
	ctx := c.Context
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lasting != nil {
		return c.lasting
	}
	// Made when it is first needed: most calls do not look.
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var timer *time.Timer
	notYet := context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if lasting.Err() == nil {
			timer = time.AfterFunc(c.left.policy.Grace, cancel)
		}
	})
	c.lasting = lasting
	c.stop = func() {
		notYet()
		cancel()
		if timer != nil {
			timer.Stop()
		}
	}
	return lasting
}

// end frees what the call holds, and gives the turn on.
func (c *call) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		c.stop()
	}
	if c.turnOf != nil {
		c.turnOf.turns.Release(1)
	}
}
