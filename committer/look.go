package committer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/lancecommit/lancecommit/backends"
)

const (
	// refusedLooks is how often a look is made that the store refuses.
	refusedLooks = 5
	// moreLooks is how often a look is made again that found nothing, when the call
	// is over. With the pauses between, that is 0.7 s.
	moreLooks = 3
	// lookPause is the first pause between looks. It doubles, up to longLookPause.
	lookPause     = 100 * time.Millisecond
	longLookPause = 2 * time.Second
)

// errUndecided says that a look cannot tell whose bytes are there.
var errUndecided = errors.New("the same bytes are there, and the store keeps no metadata to tell whose they are")

// look finds out what is at the candidate's key: these bytes (Committed), others
// (Conflict), or nothing (Absent). A look that fails is repeated; when it keeps
// failing, or cannot tell, the outcome is Unknown and err says why.
//
// It costs one HEAD, and one GET when sizes are equal and the object has no
// record of ours.
func (t *Table) look(ctx context.Context, c candidate) (outcome Outcome, at Version, err error) {
	err = t.persist(ctx, func(ctx context.Context) error {
		outcome, at, err = t.lookOnce(ctx, c)
		return err
	})
	if err != nil {
		outcome, err = Unknown, fmt.Errorf("look at %s: %w", c.key, err)
	}
	t.resolved(ctx, ResolvedInfo{Version: c.version, Key: c.key, Outcome: outcome, Err: err})
	return outcome, at, err
}

// persist repeats a read that fails as long as there is time, under a context of
// its own, so that a caller who was cancelled still learns what happened. A read
// that the store refuses is soon given up, and one of a closed store at once.
func (t *Table) persist(ctx context.Context, read func(context.Context) error) error {
	ctx, cancel := t.lasting(ctx)
	defer cancel()
	pause := lookPause
	for try := 1; ; try++ {
		err := read(ctx)
		switch {
		case err == nil, errors.Is(err, errUndecided), errors.Is(err, ErrMixedSchemes), errors.Is(err, fs.ErrClosed):
			return err
		case backends.IsRefusal(err) && try >= refusedLooks, sleep(ctx, pause) != nil:
			return err
		}
		pause = min(2*pause, longLookPause)
	}
}

func (t *Table) lookOnce(ctx context.Context, c candidate) (Outcome, Version, error) {
	attrs, err := t.reads.Head(ctx, c.key)
	switch {
	case errors.Is(err, backends.ErrNotExist):
		return Absent, Version{}, nil
	case err != nil:
		return Unknown, Version{}, err
	}
	outcome := c.compareRecord(attrs)
	if outcome == Unknown {
		var body []byte
		body, attrs, err = t.reads.getSized(ctx, c.key, int64(len(c.body)))
		switch {
		case errors.Is(err, backends.ErrNotExist):
			return Absent, Version{}, nil
		case err != nil:
			return Unknown, Version{}, err
		case !bytes.Equal(body, c.body):
			outcome = Conflict
		case c.ours:
			return Unknown, Version{}, errUndecided
		default:
			outcome = Committed
		}
	}
	return outcome, c.found(attrs), nil
}

// compareRecord tells from the attributes alone whether an object is the
// candidate. It is Unknown when only the bytes can tell.
func (c candidate) compareRecord(attrs backends.Attrs) Outcome {
	rec, ok := parseRecord(attrs.Metadata)
	same := rec.SHA256 == c.sha256.String()
	known := ok && rec.SHA256 != ""
	if c.ours {
		same = rec.ID == string(c.id[:])
		known = ok && rec.ID != ""
	}
	switch {
	case attrs.Size != int64(len(c.body)):
		return Conflict
	case !known:
		return Unknown
	case same:
		return Committed
	default:
		return Conflict
	}
}

// lookPast follows a look that found nothing. It lists, and when the chain has
// come to the version it looks once more, since the version can have appeared in
// between. Absent means that the end of the chain is before the version.
func (t *Table) lookPast(ctx context.Context, c candidate) (outcome Outcome, at Version, chain known, err error) {
	err = t.persist(ctx, func(ctx context.Context) (err error) {
		chain, err = t.list(ctx)
		return err
	})
	if err != nil {
		return Unknown, Version{}, known{}, err
	}
	if !chain.end.exists() || chain.end.Number < c.version {
		return Absent, Version{}, chain, nil
	}
	outcome, at, err = t.look(ctx, c)
	if outcome == Absent {
		outcome = Unknown
		err = fmt.Errorf("the chain has come to version %d, and %s is gone: nobody can tell whose it was", chain.end.Number, c.key)
	}
	return outcome, at, chain, err
}
