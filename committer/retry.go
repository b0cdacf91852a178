package committer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/lancecommit/lancecommit/backends"
)

// A RetryPolicy bounds what a call does before it gives up. Fields that are zero
// or negative have the defaults given.
type RetryPolicy struct {
	// MaxElapsed bounds a call in time, from the turn on: no try begins later.
	// 30 s. A deadline of the context that is earlier wins. It does not end a
	// build function or a listing of many pages, which only the context can; what
	// a build has made is sent, however long that took.
	MaxElapsed time.Duration
	// MaxTries bounds the PUTs of a call. It is generous, since time is the
	// bound that matters: 1,000.
	MaxTries int
	// MinPause and MaxPause bound the pauses between tries, which double from
	// one to the other with jitter. 50 ms and 2 s. A pause that the store
	// asks for wins when it is longer. An Update that lost a race pauses for as
	// long as some PUTs take instead.
	MinPause, MaxPause time.Duration
	// Grace is how long a call looks for the outcome of a PUT after its context
	// has ended, or MaxElapsed is over. 5 s. A look that fails is repeated until
	// then; one that finds nothing, for 0.7 s.
	Grace time.Duration
	// AttemptTimeout bounds one PUT, and AttemptTimeoutPerMiB is added for
	// each MiB of the manifest. 10 s and 1 s.
	AttemptTimeout, AttemptTimeoutPerMiB time.Duration
	// ReadTimeout bounds one read, listing or delete, with the retries that the
	// store's client makes, and AttemptTimeoutPerMiB is added for each MiB of
	// an object that is read. 30 s.
	ReadTimeout time.Duration
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	set := func(d *time.Duration, value time.Duration) {
		if *d <= 0 {
			*d = value
		}
	}
	set(&p.MaxElapsed, 30*time.Second)
	set(&p.MinPause, 50*time.Millisecond)
	set(&p.MaxPause, 2*time.Second)
	set(&p.Grace, 5*time.Second)
	set(&p.AttemptTimeout, 10*time.Second)
	set(&p.AttemptTimeoutPerMiB, time.Second)
	set(&p.ReadTimeout, 30*time.Second)
	if p.MaxTries <= 0 {
		p.MaxTries = 1000
	}
	return p
}

// maxAttempt bounds the time of a PUT, whatever a policy says.
const maxAttempt = 24 * time.Hour

// attemptTimeout is the time that one PUT of so many bytes may take.
func (p RetryPolicy) attemptTimeout(size int) time.Duration {
	return p.timeout(p.AttemptTimeout, int64(size))
}

// readTimeout is the time that a read of so many bytes may take.
func (p RetryPolicy) readTimeout(size int64) time.Duration {
	return p.timeout(p.ReadTimeout, size)
}

func (p RetryPolicy) timeout(base time.Duration, size int64) time.Duration {
	seconds := base.Seconds() + p.AttemptTimeoutPerMiB.Seconds()*float64(size)/(1<<20)
	return time.Duration(min(seconds, maxAttempt.Seconds()) * float64(time.Second))
}

// errSpent says that a call used up its bounds.
var errSpent = errors.New("out of tries or time")

// errNotSent says that a call used up its time before it sent a create.
var errNotSent = fmt.Errorf("%w before the create could be sent", errSpent)

// A budget is what is left of a call's bounds.
type budget struct {
	policy  *RetryPolicy
	started time.Time
	// built is how much of the time since then was the build's, for as long as
	// what it built is sent.
	built time.Duration
	tries int
}

// took is how much time of its own the call has spent until now.
func (b *budget) took(now time.Time) time.Duration { return between(b.started, now) - b.built }

// spent says that there is no time left to begin now, since what came before took
// it.
func (b *budget) spent(now time.Time) error {
	if took := b.took(now); took > b.policy.MaxElapsed {
		return backends.NotStored(fmt.Errorf("%w: %v went by", errNotSent, took.Round(time.Millisecond)))
	}
	return nil
}

// pause waits before the try after so many failures. It returns why there is no
// further try: the context's error, or errSpent. It does not wait in vain: a
// pause that would end too late ends the call at once.
func (b *budget) pause(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// The sum of a time that a store asks for and another could overflow.
	if b.tries >= b.policy.MaxTries || d > b.policy.MaxElapsed-b.took(time.Now()) {
		return errSpent
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return context.DeadlineExceeded
	}
	return sleep(ctx, d)
}

// backoff is the pause after the n-th failure: exponential with jitter over its
// upper half, and never shorter than what the store asks for.
func (p RetryPolicy) backoff(n int, cause error) time.Duration {
	ceiling := p.MinPause << min(n-1, 16)
	if ceiling > p.MaxPause || ceiling <= 0 {
		ceiling = p.MaxPause
	}
	pause := ceiling/2 + rand.N(ceiling/2+1)
	var answer *backends.Error
	if errors.As(cause, &answer) {
		pause = max(pause, answer.RetryAfter)
	}
	return pause
}

// sleep waits for d or for the end of the context.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// elapsed is the time since then.
func elapsed(then time.Time) time.Duration { return between(then, time.Now()) }

// between is the time from then to now, by the clock that says more: the
// monotonic one stands still while a machine sleeps, the wall clock can be set
// back.
func between(then, now time.Time) time.Duration {
	return max(now.Sub(then), now.Round(0).Sub(then.Round(0)))
}
