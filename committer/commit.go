package committer

import (
	"context"
	"fmt"
	"time"
)

// Commit makes the manifest the given version of the table, or says exactly why
// not. The manifest must say that version, and the table's branch. It is not
// modified or kept.
//
// Equal bytes are one commit: when the version is there with these bytes, Commit
// succeeds, whoever wrote them, so that it can be repeated after a crash.
//
// Errors: [ErrInvalid] (input), [ErrConflict] (the version is taken, or is not
// the next one), [ErrUnknownOutcome] (sent, by this call or perhaps by an earlier
// one of the same bytes, and not proven in time),
// [ErrStaleCommit], [ErrContention], [ErrBranchNotFound], [ErrMixedSchemes],
// [ErrInconsistentStore], [ErrReentrant], and the definite errors of the store.
//
// It costs one PUT while the end of the chain is known and fresh, and one LIST
// before it otherwise; on an unordered store one write of the hint file more. A
// lost race costs a HEAD, and a GET when sizes are equal and the winner was not
// written by this library. A refusal of the input costs a LIST while the end of the
// chain is not known, since its text names the latest version.
func (t *Table) Commit(ctx context.Context, version uint64, manifest []byte) (Version, error) {
	if t.broken != nil {
		return Version{}, t.broken
	}
	called := t.startOfCall()
	c, err := t.newCandidate(version, manifest)
	if err != nil {
		return Version{}, fmt.Errorf("commit: %w", t.refuse(ctx, err))
	}
	v, err := t.commitInTurn(ctx, c, called)
	if err != nil {
		return Version{}, fmt.Errorf("commit version %d: %w", version, err)
	}
	return v, nil
}

// commitInTurn commits a candidate when its turn comes.
func (t *Table) commitInTurn(ctx context.Context, c candidate, called time.Time) (Version, error) {
	turn, err := t.begin(ctx, called)
	if err != nil {
		return Version{}, err
	}
	defer turn.end()
	return t.commit(turn, c)
}

// commit is Commit in its turn.
func (t *Table) commit(ctx *call, c candidate) (Version, error) {
	ref, err := t.ready(ctx)
	if err != nil {
		return Version{}, err
	}
	if err := t.allows(ref, c.version); err != nil {
		return Version{}, err
	}
	chain, now, err := t.endFor(ctx, c.version, ref)
	if err != nil {
		return Version{}, err
	}
	end := chain.end
	c = t.at(c, end.Scheme)
	switch {
	case end.exists() && end.Number >= c.version:
		return t.replay(ctx, c, end, ref)
	case end.exists() && !ref.registered:
		return Version{}, t.zombie(end)
	}
	next, replaced := nextOf(end, ref), t.isReplaced()
	if c.version != next || replaced {
		return Version{}, t.lost(ctx, &ConflictError{
			Version: c.version, Key: c.key, Latest: end.Number, Next: next, Replaced: replaced,
		})
	}
	return t.publish(ctx, c, chain, now)
}

// endFor returns the end of the chain, fresh enough to commit version on it. An
// end that was learned a moment ago and does not fit is learned again, so that
// nobody is refused for what has changed since. It also returns what time it is
// then.
func (t *Table) endFor(ctx context.Context, version uint64, ref branchRef) (k known, now time.Time, err error) {
	k, now = t.remember(), time.Now()
	if k.fresh(t.staleAfter, now) && (version <= k.end.Number || version == nextOf(k.end, ref)) {
		return k, now, nil
	}
	k, err = t.list(ctx)
	return k, time.Now(), err
}

// nextOf is the only version that can follow the end of a chain. Readers that
// probe upward stop at the first gap.
func nextOf(end Version, ref branchRef) uint64 {
	if !end.exists() {
		return ref.first
	}
	return end.Number + 1
}

// lost reports a conflict, and returns it.
func (t *Table) lost(ctx context.Context, conflict *ConflictError) error {
	conflict.branch = t.branch
	t.conflicted(ctx, conflict)
	return conflict
}
