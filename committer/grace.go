package committer

import (
	"context"
	"sync"
	"time"
)

// A grace is the context of a call, and what the call has left to find out what
// happened when that context has ended. It is one for the whole call: looks,
// listings and confirmations share it.
type grace struct {
	context.Context
	policy *RetryPolicy
	// began is when the call's own time began, which looks have while the
	// context lasts.
	began time.Time
	// first is the context of the call's first PUT. It needs no memory of its own.
	first deadline
	// turn is the table whose turn the call has, nil for one that takes none.
	turn *Table

	mu      sync.Mutex
	lasting context.Context
	stop    func()
}

type graceKey struct{}

// inTurn marks the context of what a call runs in its turn, such as a build
// function or a hook, with the table.
type inTurn struct{ table *Table }

// withGrace gives a call its grace. The end of the call must end it.
func (t *Table) withGrace(ctx context.Context) *grace {
	return &grace{Context: ctx, policy: &t.retry, began: time.Now()}
}

// attempt returns the context of a PUT that may last until a time.
func (g *grace) attempt(at time.Time) *deadline {
	if g.first.Context != nil {
		return withDeadline(g, at)
	}
	g.first.Context, g.first.at = g, at
	return &g.first
}

// budget returns what the call has to spend.
func (g *grace) budget() *budget { return &budget{policy: g.policy, started: g.began} }

// Value implements context.Context.
func (g *grace) Value(key any) any {
	switch key {
	case graceKey{}:
		return g
	case inTurn{g.turn}:
		return true
	}
	return g.Context.Value(key)
}

// lasting returns the context of a look: it goes on until the grace of ctx's call
// is over. While ctx itself lasts the look has what is left of the call's time,
// and the grace at the least.
func (t *Table) lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	g, ok := ctx.Value(graceKey{}).(*grace)
	if !ok {
		return context.WithTimeout(context.WithoutCancel(ctx), t.retry.Grace)
	}
	return context.WithTimeout(g.outlasting(), max(time.Until(g.began.Add(g.policy.MaxElapsed)), g.policy.Grace))
}

// outlasting returns a context that ends with the grace.
func (g *grace) outlasting() context.Context {
	ctx := g.Context
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.lasting != nil {
		return g.lasting
	}
	// Made when it is first needed: most calls do not look.
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var timer *time.Timer
	notYet := context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if lasting.Err() == nil {
			timer = time.AfterFunc(g.policy.Grace, cancel)
		}
	})
	g.lasting = lasting
	g.stop = func() {
		notYet()
		cancel()
		if timer != nil {
			timer.Stop()
		}
	}
	return lasting
}

// end ends a grace with its call, and gives the turn on.
func (g *grace) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stop != nil {
		g.stop()
	}
	if g.turn != nil {
		g.turn.turn.Release(1)
	}
}
