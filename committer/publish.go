package committer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lancecommit/lancecommit/backends"
)

// publish sends the candidate, which is the next version of the chain, until its
// outcome is proven or the budget is spent. This is the only place that creates
// a version. The first attempt is sent now, at the time sent.
func (t *Table) publish(ctx *call, c candidate, chain known, sent time.Time) (Version, error) {
	p := publication{table: t, candidate: c, base: chain.end, learned: chain.learned}
	metadata, err := c.metadata()
	if err != nil {
		return Version{}, invalid(err)
	}
	if err := ctx.left.spent(sent); err != nil {
		return Version{}, err
	}
	for try := 1; ; try++ {
		ctx.left.tries++
		answer := p.send(ctx, sent, metadata, try)
		v, err := p.settle(ctx, answer)
		if err == nil && !v.exists() {
			why := ctx.left.pause(ctx, t.retry.backoff(try, answer.err))
			if why == nil {
				sent = time.Now()
				continue
			}
			if v, err = p.lookOn(ctx, answer); err == nil && !v.exists() {
				err = p.giveUp(&ctx.left, answer.err, why)
			}
		}
		if err == nil {
			err = p.confirm(ctx, v, answer)
		}
		if err != nil {
			return Version{}, t.failed(ctx, err)
		}
		t.committed(ctx, ctx.called, CommittedInfo{Version: v, Attempts: try})
		return v, nil
	}
}

// failed forgets the end of the chain, which an error leaves in doubt, or which
// others have gone past. It reports conflicts.
func (t *Table) failed(ctx context.Context, err error) error {
	var conflict *ConflictError
	if !errors.As(err, &conflict) {
		t.forget()
		return err
	}
	t.othersPassed()
	t.conflicted(ctx, conflict)
	return err
}

// A publication is the state of publish.
type publication struct {
	table *Table
	candidate
	// base is the end of the chain that the candidate follows, learned when
	// that was so.
	base    Version
	learned time.Time
	// doubt is the first attempt whose outcome could not be proven. It sticks:
	// while it is set, no later answer is a failure or a conflict that only
	// speaks for itself.
	doubt error
}

// An answer is the store's to one PUT.
type answer struct {
	sent, came time.Time
	attrs      backends.Attrs
	err        error
}

// proven is when the outcome was known: an answer without an error is a proof by
// itself, and any other takes a look that has just ended.
func (a answer) proven() time.Time {
	if a.err == nil {
		return a.came
	}
	return time.Now()
}

// send makes one attempt, which begins at the time sent, within its own time.
func (p *publication) send(ctx *call, sent time.Time, metadata string, try int) answer {
	t := p.table
	attempt := ctx.attempt(sent.Add(t.retry.attemptTimeout(len(p.body))))
	defer attempt.end()
	attrs, err := t.store.PutIfAbsent(attempt, p.key, p.body, backends.PutOptions{Metadata: metadata})
	came := time.Now()
	took := between(sent, came)
	t.rivals.tookPut(came.Sub(sent), err == nil)
	t.attempted(ctx, AttemptInfo{Version: p.version, Key: p.key, Try: try, Elapsed: took, Err: err})
	return answer{sent, came, attrs, err}
}

// settle decides what an answer means. It returns the version once it is proven
// to be committed, an error once it is proven that it is not or that it cannot
// be told, and neither when the PUT may be sent again.
func (p *publication) settle(ctx context.Context, a answer) (Version, error) {
	switch {
	case a.err == nil:
		return p.table.created(p.candidate, a.attrs), nil
	case errors.Is(a.err, backends.ErrContended):
		return Version{}, nil
	case errors.Is(a.err, backends.ErrNotDurable):
		// The store may show the object and lose it in a crash, so no look
		// settles this.
		return Version{}, p.unknown(a.err)
	case errors.Is(a.err, backends.ErrExists), errors.Is(a.err, backends.ErrThrottled):
	case backends.IsDefinite(a.err):
		if p.doubt != nil {
			return Version{}, p.unknown(a.err)
		}
		return Version{}, a.err
	case p.doubt == nil:
		p.doubt = a.err
	}
	return p.look(ctx, a)
}

// look goes to see what is there after an answer that did not say it.
func (p *publication) look(ctx context.Context, a answer) (Version, error) {
	outcome, at, err := p.table.look(ctx, p.candidate)
	chain := known{end: p.base, learned: p.learned}
	if outcome == Absent {
		if errors.Is(a.err, backends.ErrThrottled) && p.doubt == nil {
			return Version{}, nil
		}
		outcome, at, chain, err = p.table.lookPast(ctx, p.candidate)
	}
	switch outcome {
	case Committed:
		return at, nil
	case Conflict:
		return Version{}, p.conflict(chain.end, &at)
	case Unknown:
		if errors.Is(err, errUndecided) && p.doubt == nil {
			// By the contract of the store another has the version, who built
			// the same: nothing of ours was written.
			return Version{}, p.conflict(p.base, nil)
		}
		return Version{}, p.unknown(err)
	}
	if chain.end.Key != p.base.Key || chain.end.ETag != p.base.ETag {
		// Another table is here now, or a clean-up took the end of this one.
		// To send the PUT again could bring back what was removed.
		return Version{}, p.unknown(fmt.Errorf("the chain ended at version %d before the attempt and ends at %d now",
			p.base.Number, chain.end.Number))
	}
	p.learned = chain.learned
	return Version{}, nil
}

// lookOn looks again for what is in doubt and may not be sent again, since the call
// is over: a store can go on with a request that its caller has left. It returns
// what settle does.
func (p *publication) lookOn(ctx *call, a answer) (Version, error) {
	if p.doubt == nil {
		return Version{}, nil
	}
	lasting, cancel := p.table.lasting(ctx)
	defer cancel()
	pause := lookPause
	for range moreLooks {
		if sleep(lasting, pause) != nil {
			break
		}
		if v, err := p.look(ctx, a); err != nil || v.exists() {
			return v, err
		}
		pause *= 2
	}
	return Version{}, nil
}

// conflict says that others have the version. The end of the chain is at least
// the version then.
func (p *publication) conflict(end Version, winner *Version) error {
	latest := max(end.Number, p.version)
	return &ConflictError{Version: p.version, Key: p.key, Latest: latest, Next: latest + 1, Winner: winner}
}

// unknown says that the outcome cannot be proven, and why.
func (p *publication) unknown(cause error) error {
	if p.doubt != nil && p.doubt != cause {
		cause = fmt.Errorf("%w; then: %w", p.doubt, cause)
	}
	return &UnknownOutcomeError{Version: p.version, Key: p.key, Cause: cause}
}

// giveUp ends a publication that has used up its bounds, after the last answer.
func (p *publication) giveUp(left *budget, last, why error) error {
	spent := fmt.Errorf("%w (%s in %v)", why, counted(left.tries, "PUT"), elapsed(left.started).Round(time.Millisecond))
	switch {
	case p.doubt != nil:
		return p.unknown(spent)
	case errors.Is(last, backends.ErrExists):
		return fmt.Errorf("%w: it refuses to create %s because it exists, and says that it does not (%w)",
			ErrInconsistentStore, p.key, spent)
	case errors.Is(last, backends.ErrContended):
		return fmt.Errorf("%w: %w: %w", ErrContention, spent, last)
	default:
		return fmt.Errorf("%w: %w", spent, last)
	}
}
