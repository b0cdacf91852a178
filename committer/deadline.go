package committer

import (
	"context"
	"sync"
	"time"
)

// A deadline is the context of one request that may last until a time. It is
// that of [context.WithDeadline] but for its timer, which is made when somebody
// waits for it: stores on disk and in memory never do, and a timer is a tenth of
// what the library costs a commit there.
type deadline struct {
	context.Context
	at time.Time

	mu    sync.Mutex
	over  bool
	timed context.Context // nil until there is a timer
	stop  context.CancelFunc
}

func withDeadline(ctx context.Context, at time.Time) *deadline {
	return &deadline{Context: ctx, at: at}
}

// Deadline implements context.Context.
func (d *deadline) Deadline() (time.Time, bool) {
	if at, ok := d.Context.Deadline(); ok && at.Before(d.at) {
		return at, true
	}
	return d.at, true
}

// Done implements context.Context.
func (d *deadline) Done() <-chan struct{} { return d.withTimer().Done() }

// Err implements context.Context.
func (d *deadline) Err() error {
	if d.needsTimer() {
		return d.withTimer().Err()
	}
	return d.Context.Err()
}

// Value implements context.Context.
func (d *deadline) Value(key any) any {
	d.mu.Lock()
	timed := d.timed
	d.mu.Unlock()
	if timed != nil {
		return timed.Value(key)
	}
	return d.Context.Value(key)
}

// end frees what the deadline holds, and ends the context for those that still have it.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	if d.stop != nil {
		d.stop()
	}
}

// needsTimer reports whether the context around does not speak for this one.
func (d *deadline) needsTimer() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.timed != nil || d.over || time.Until(d.at) <= 0
}

func (d *deadline) withTimer() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timed == nil {
		d.timed, d.stop = context.WithDeadline(d.Context, d.at)
		if d.over {
			d.stop()
		}
	}
	return d.timed
}
