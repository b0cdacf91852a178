package committer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/naming"
)

// replay answers for a version that the chain is past. Nothing is written.
func (t *Table) replay(ctx *call, c candidate, end Version, ref branchRef) (Version, error) {
	outcome, at, err := t.look(ctx, c)
	switch {
	case outcome == Committed:
		t.committed(ctx, ctx.called, CommittedInfo{Version: at})
		return at, nil
	case outcome != Unknown && !ref.registered:
		return Version{}, t.zombie(end)
	case outcome == Unknown:
		// This call sent nothing, but an earlier one of the same bytes may
		// have: a refusal would be a guess.
		return Version{}, &UnknownOutcomeError{Version: c.version, Key: c.key, Cause: err}
	}
	conflict := &ConflictError{Version: c.version, Key: c.key, Latest: end.Number, Next: end.Number + 1}
	if outcome == Conflict {
		conflict.Winner = &at
	}
	return Version{}, t.lost(ctx, conflict)
}

// replayGone answers a request whose staged manifest is gone: it was sent before
// and succeeded, or its manifest was never there. Only what the version itself
// says can tell. It costs one GET, and a LIST before it while the version was not
// seen.
func (t *Table) replayGone(
	ctx context.Context, e *CreateTableVersionEntry, s staging, end Version, called time.Time,
) (Version, string, error) {
	version := uint64(e.Version)
	if end.Number < version {
		// The end was learned before the staged manifest was looked for, so the
		// same request may have succeeded in between and removed it.
		chain, err := t.list(ctx)
		if err != nil {
			return Version{}, "", err
		}
		end = chain.end
	}
	c := t.at(candidate{version: version}, end.Scheme)
	if end.Number < version {
		wrong := &InvalidRequestError{}
		wrong.add("manifest_path", "there is no object %s; stage the manifest first", s.key)
		return Version{}, "", t.withLatest(wrong, end)
	}
	unknown := func(cause error) (Version, string, error) {
		return Version{}, "", &UnknownOutcomeError{Version: version, Key: c.key, Cause: cause}
	}
	undecidable := func(format string, args ...any) (Version, string, error) {
		return Version{}, "", &undecidableError{UnknownOutcomeError{Version: version, Key: c.key, Cause: fmt.Errorf(format, args...)}}
	}
	var body []byte
	var attrs backends.Attrs
	var gone bool
	err := t.persist(ctx, func(ctx context.Context) (err error) {
		body, attrs, err = t.reads.Get(ctx, c.key)
		if gone = errors.Is(err, backends.ErrNotExist); gone {
			return nil
		}
		return err
	})
	switch {
	case err != nil:
		return unknown(fmt.Errorf("the staged manifest %s is gone, and to look at the version failed: %w", s.key, err))
	case gone:
		return undecidable("there is no staged manifest %s, or the path is mistyped, and the version is gone, so that nobody can tell any more whose it was; "+
			"see whether the latest version, %d, has what it was to bring, keep its files until you know, and build on the latest", s.key, end.Number)
	}
	v := c.found(attrs)
	switch {
	case e.ManifestSize != nil && *e.ManifestSize != attrs.Size:
		return Version{}, "", t.lost(ctx, &ConflictError{
			Version: version, Key: c.key, Latest: end.Number, Next: end.Number + 1, Winner: &v,
		})
	case v.staged != s.name:
		from := "does not say where it was staged"
		if v.staged != "" {
			from = fmt.Sprintf("says that it was staged as %q", naming.Join(t.table, v.staged))
		}
		return undecidable("there is no staged manifest %s, or the path is mistyped, and the version %s; only its bytes can tell: "+
			"keep its files, stage the same bytes under that name again, and repeat the request", s.key, from)
	}
	info, err := manifest.Inspect(body)
	if err != nil {
		return undecidable("the version came from the staged manifest %s, and is damaged now: %w; keep its files, and restore it from a copy", s.key, err)
	}
	t.committed(ctx, called, CommittedInfo{Version: v})
	return v, info.TransactionID, nil
}
