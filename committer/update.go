package committer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lancecommit/lancecommit/naming"
)

// A BuildFunc returns the manifest of version base.Number+1, built on base. For
// a table or branch without versions, base has no Key and there is nothing to
// read. The context is that of the update. A build must not write with the table
// that it builds for: with this context that is [ErrReentrant], with another
// context the call waits for the update, and the update for it, until that
// context ends.
type BuildFunc func(ctx context.Context, base Version) ([]byte, error)

var errNoBuild = errors.New("there is no build function")

// Update commits one version on top of the latest: it learns the latest, calls
// build, commits what build returns, and begins again when another writer was
// faster. build is called once for each try, never concurrently, and may read
// the base with [Table.ReadManifest].
//
// Unlike [Table.Commit], Update never takes equal bytes of another writer for
// its own: two calls that build the same manifest make two versions. [Table.Resolve]
// after an unknown outcome compares bytes, so a build should put something of its
// own into the manifest. Lance's writers do: each transaction has a UUID.
//
// An error of build ends the update and is wrapped; nothing was written then.
// The other errors are those of Commit. [ErrConflict] is not among them:
// a writer that loses until its bounds are reached gets [ErrContention].
//
// It costs one PUT while the end of the chain is known and fresh, one LIST
// before it otherwise, and for each lost race a PUT and two or three HEADs, up to 13
// where a LIST takes longer than these; with a LIST where others are further ahead,
// or what was known is no longer fresh, and a GET where the store keeps no metadata
// and the winner has the same size.
// ReadManifest inside build costs nothing when this handle committed the base.
//
// After a lost race it tries again after a short pause. On a busy table, where
// versions follow each other about as fast as the store allows, that would be in
// vain. There processes take turns of several versions each, and lose few races.
// An update that finds rivals at work can wait for its turn, for half of the call's
// time at the most, and looks for it by HEADs. A writer that never pauses rests now
// and then for the time of some PUTs, so that others get in, and more and more
// seldom while none do.
func (t *Table) Update(ctx context.Context, build BuildFunc) (Version, error) {
	switch {
	case t.broken != nil:
		return Version{}, t.broken
	case build == nil:
		return Version{}, fmt.Errorf("update: %w", invalid(errNoBuild))
	}
	turn, err := t.begin(ctx, t.startOfCall())
	if err != nil {
		return Version{}, fmt.Errorf("update: %w", err)
	}
	defer turn.end()
	v, err := t.update(turn, build)
	if err != nil {
		return Version{}, fmt.Errorf("update: %w", err)
	}
	return v, nil
}

func (t *Table) update(ctx *call, build BuildFunc) (Version, error) {
	w := t.newWait(ctx)
	if err := w.beforeUpdate(); err != nil {
		return Version{}, fmt.Errorf("nothing was written, rivals went first: %w", err)
	}
	var losses int
	var latest uint64
	contended := func(why error) error {
		return fmt.Errorf("%w: %w after %s in %v; the latest version is at least %d",
			ErrContention, why, counted(losses, "lost race"), elapsed(ctx.left.started).Round(time.Millisecond), latest)
	}
	for {
		v, lost, err := t.tryUpdate(ctx, build)
		switch {
		case lost != nil:
			losses, latest = losses+1, lost.Latest
		case losses > 0 && errors.Is(err, errNotSent):
			return Version{}, contended(errSpent)
		case err == nil:
			t.rivals.won(v.Number)
			return v, nil
		default:
			return v, err
		}
		ctx.left.built = 0
		if why := w.afterLoss(lost, losses); why != nil {
			return Version{}, contended(why)
		}
	}
}

// tryUpdate builds and publishes once. A lost race is no error.
func (t *Table) tryUpdate(ctx *call, build BuildFunc) (v Version, lost *ConflictError, err error) {
	before, version, err := t.toBuildOn(ctx)
	if err != nil {
		return Version{}, nil, err
	}
	t.isReplaced() // The build has what is there now as its base.
	t.rivals.builtOn(before.end.Number)
	base := before.end
	base.Number = version - 1
	began := time.Now()
	body, err := build(ctx, base)
	if err != nil {
		return Version{}, nil, fmt.Errorf("build version %d: %w", version, err)
	}
	c, err := t.newCandidate(version, body)
	if err != nil {
		return Version{}, nil, fmt.Errorf("build version %d: %w", version, err)
	}
	c.ours = true
	ctx.left.built = elapsed(began)
	// A build may take its time.
	chain, next, err := t.toBuildOn(ctx)
	if err != nil {
		return Version{}, nil, err
	}
	c = t.at(c, chain.end.Scheme)
	if chain.end.Key != base.Key || chain.end.ETag != base.ETag {
		err = t.lost(ctx, &ConflictError{Version: version, Key: c.key, Latest: chain.end.Number, Next: next})
	} else {
		v, err = t.publish(ctx, c, chain, time.Now())
	}
	if errors.As(err, &lost) {
		return Version{}, lost, nil
	}
	return v, nil, err
}

// toBuildOn returns the end of the chain, from memory while that is fresh, and
// which version can follow it.
func (t *Table) toBuildOn(ctx *call) (chain known, next uint64, err error) {
	ref, err := t.ready(ctx)
	if err != nil {
		return known{}, 0, err
	}
	if chain = t.remember(); !chain.fresh(t.staleAfter, time.Now()) {
		if chain, err = t.listInTurn(ctx); err != nil {
			return known{}, 0, err
		}
	}
	next = nextOf(chain.end, ref)
	if err := naming.CheckVersion(next); err != nil {
		return known{}, 0, invalid(fmt.Errorf("the latest version is the last one that a table can have: %w", err))
	}
	if err := t.allows(ref, next); err != nil {
		return known{}, 0, err
	}
	if chain.end.exists() && !ref.registered {
		return known{}, 0, t.zombie(chain.end)
	}
	return chain, next, nil
}
