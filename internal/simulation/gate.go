package simulation

import (
	"context"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

// gate is the way into a process's store. It ends the goroutines of a process
// that has crashed. And it makes the committer's pauses repeatable, whose jitter
// comes from no seed: the retry policy of a world has none, so that the gate
// makes those, and those after a lost race are rounded up to the longest that
// they can be.
func (n *network) gate(ctx context.Context, made intercept.Call, do func(context.Context) error) error {
	c, _ := ctx.Value(callKey{}).(*call)
	if c == nil {
		n.dieIfOver(ctx)
		return do(ctx)
	}
	if made.Key == c.staged {
		ctx = context.WithValue(ctx, besideKey{}, true)
	}
	began := time.Now()
	time.Sleep(n.rest(c))
	// Goroutines that go on in the same instant, such as one that gives its turn
	// to another, take up the network's and the script's draws one by one.
	time.Sleep(c.apart(made))
	if made.Method == "PUT" {
		if c.puts++; c.puts > 1 {
			time.Sleep(n.between())
		}
	}
	n.dieIfOver(ctx)
	err := do(ctx)
	if made.Method == "PUT" {
		n.took(time.Since(began))
		if err != nil && !backends.IsDefinite(err) {
			n.doubt(made.Key, n.flight)
		}
	}
	c.answered(made, err)
	return err
}

// besideKey marks the context of what a call does beside its own goroutine.
type besideKey struct{}

// apart is how much later than others a request goes. That for a staged manifest
// is made beside a listing, and goes after it.
func (c *call) apart(made intercept.Call) time.Duration {
	const most = 20 * time.Microsecond
	if made.Key == c.staged {
		return 2 * most
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return 1 + time.Duration(c.rng.Int64N(int64(most)))
}

// between is the pause between two creates of a call.
func (n *network) between() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return 10*time.Millisecond + time.Duration(n.rng.Int64N(int64(50*time.Millisecond)))
}

// A look that failed is repeated after a multiple of lookPause, without jitter. A
// pause after a lost race is below so many times that of a create.
const (
	lookPause  = 100 * time.Millisecond
	longestPut = 8
)

// rest is what is left of a pause.
func (n *network) rest(c *call) time.Duration {
	if !c.update {
		return 0
	}
	paused := time.Since(c.last)
	if paused%lookPause == 0 {
		return 0
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	longest := longestPut*n.put + 2*time.Millisecond
	return (paused+longest-1)/longest*longest - paused
}

func (n *network) took(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.put == 0 {
		n.put = d
	}
	n.put += (d - n.put) / 4
}
