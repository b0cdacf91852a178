package committer

import (
	"context"
	"sync"
	"time"
)

// A grace is what a call has left to find out what happened, when its context
// has ended. It is one for the whole call: looks, listings and confirmations
// share it.
type grace struct {
	length time.Duration

	mu      sync.Mutex
	lasting context.Context
	stop    func()
}

type graceKey struct{}

// withGrace gives a call its grace. The end of the call must end it.
func (t *Table) withGrace(ctx context.Context) (context.Context, *grace) {
	g := &grace{length: t.retry.Grace}
	return context.WithValue(ctx, graceKey{}, g), g
}

// graceOf returns a context that goes on until the grace of ctx's call is over.
func graceOf(ctx context.Context) context.Context {
	g, ok := ctx.Value(graceKey{}).(*grace)
	if !ok {
		return context.WithoutCancel(ctx)
	}
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
			timer = time.AfterFunc(g.length, cancel)
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

// end ends a grace with its call.
func (g *grace) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stop != nil {
		g.stop()
	}
}
