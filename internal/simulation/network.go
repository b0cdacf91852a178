package simulation

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/fault"
)

// A network carries the requests of one process to the store and back. A request
// takes time both ways. Where the caller's context ends, the call returns and
// the request may arrive all the same; where the process dies, the goroutine
// ends, and the request may arrive all the same.
type network struct {
	*truth
	life *life
	// slow is how often, in 1,000, a way takes up to slowest.
	slow    int
	slowest time.Duration
	// paused is how often, in 1,000, the process stops for up to longest before
	// a create.
	paused  int
	longest time.Duration
	// flight is how long a version is left alone that somebody doubts.
	flight time.Duration

	mu  sync.Mutex
	rng *rand.Rand
	// put is how long creates take, as the committer averages it.
	put time.Duration
}

// A life is that of a process between two crashes.
type life struct{ over chan struct{} }

func (l *life) isOver() bool {
	select {
	case <-l.over:
		return true
	default:
		return false
	}
}

// A way is how a request travels, drawn before it leaves.
type way struct {
	out, back time.Duration
	// arrives says that it is on the wire already when its caller goes away.
	arrives bool
}

func (n *network) draw() way {
	n.mu.Lock()
	defer n.mu.Unlock()
	leg := func() time.Duration {
		d := 500*time.Microsecond + time.Duration(n.rng.Int64N(int64(time.Millisecond)))
		if n.rng.IntN(1000) < n.slow {
			d += time.Duration(n.rng.Int64N(int64(n.slowest)))
		}
		return d
	}
	return way{leg(), leg(), n.rng.IntN(2) == 0}
}

// gone says that the caller went away while the request was under way.
func gone(ctx context.Context, op, key string) error {
	return &backends.Error{Op: op, Key: key, Err: cmp.Or(ctx.Err(), errDead)}
}

var errDead = errors.New("the process has crashed")

// send makes one request.
func send[T any](
	ctx context.Context, n *network, op, key string, do func(context.Context) (T, error),
) (none T, err error) {
	if ctx.Err() != nil {
		return none, &backends.Error{Op: op, Key: key, Err: backends.NotStored(ctx.Err())}
	}
	w := n.draw()
	if op == "put" && !fault.IsLate(ctx) {
		time.Sleep(n.pause())
	}
	began := time.Now()
	if !n.travel(ctx, w.out) {
		if w.arrives {
			detached := context.WithoutCancel(ctx)
			left := w.out - time.Since(began)
			go func() {
				time.Sleep(left)
				_, _ = do(detached)
			}()
		}
		n.dieIfOver(ctx)
		return none, gone(ctx, op, key)
	}
	value, err := do(context.WithoutCancel(ctx))
	if !n.travel(ctx, w.back) {
		n.dieIfOver(ctx)
		return none, gone(ctx, op, key)
	}
	return value, err
}

// travel waits, and reports whether the caller is still there then.
func (n *network) travel(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	over := n.life.over
	if fault.IsLate(ctx) {
		over = nil // on the wire already
	}
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	case <-over:
		return false
	}
}

// dieIfOver ends the goroutine of a process that has crashed. One that another
// waits for gets an error instead, and the other dies.
func (n *network) dieIfOver(ctx context.Context) {
	if n.life.isOver() && !fault.IsLate(ctx) && ctx.Value(besideKey{}) == nil {
		runtime.Goexit()
	}
}

// PutIfAbsent implements backends.Store.
func (n *network) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	body = bytes.Clone(body)
	return send(ctx, n, "put", key, func(ctx context.Context) (backends.Attrs, error) {
		return n.truth.PutIfAbsent(ctx, key, body, opts)
	})
}

// Get implements backends.Store.
func (n *network) Get(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
	type object struct {
		body  []byte
		attrs backends.Attrs
	}
	o, err := send(ctx, n, "get", key, func(ctx context.Context) (o object, err error) {
		o.body, o.attrs, err = n.truth.Get(ctx, key)
		return o, err
	})
	return o.body, o.attrs, err
}

// Head implements backends.Store.
func (n *network) Head(ctx context.Context, key string) (backends.Attrs, error) {
	return send(ctx, n, "head", key, func(ctx context.Context) (backends.Attrs, error) {
		return n.truth.Head(ctx, key)
	})
}

// List implements backends.Store.
func (n *network) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	return send(ctx, n, "list", in.Prefix, func(ctx context.Context) (backends.Page, error) {
		return n.truth.List(ctx, in)
	})
}

// Delete implements backends.Store.
func (n *network) Delete(ctx context.Context, key string) error {
	_, err := send(ctx, n, "delete", key, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, n.truth.Delete(ctx, key)
	})
	return err
}

// Overwrite implements backends.Overwriter.
func (n *network) Overwrite(ctx context.Context, key string, body []byte) error {
	body = bytes.Clone(body)
	_, err := send(ctx, n, "overwrite", key, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, n.truth.Overwrite(ctx, key, body)
	})
	return err
}

// pause is for how long the process stops when it is about to send. It notices
// nothing: no context ends it.
func (n *network) pause() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.rng.IntN(1000) < n.paused {
		return time.Duration(n.rng.Int64N(int64(n.longest)))
	}
	return 0
}
