package committer

import (
	"context"
	"fmt"
)

// An Outcome is what became of a commit.
type Outcome uint8

// The outcomes.
const (
	// Unknown means that it cannot be told, or not now.
	Unknown Outcome = iota
	// Committed means that the version is there with these bytes.
	Committed
	// Conflict means that the version is there with other bytes.
	Conflict
	// Absent means that the version is not there, and that the chain has not
	// come to it. A request that is still under way somewhere can make it
	// appear.
	Absent
)

// String returns the outcome in one word.
func (o Outcome) String() string {
	switch o {
	case Committed:
		return "committed"
	case Conflict:
		return "conflict"
	case Absent:
		return "absent"
	default:
		return "unknown"
	}
}

// Resolve says what became of an earlier commit of these bytes as this version,
// for a writer that crashed or got [ErrUnknownOutcome]. It writes nothing. It
// compares bytes: those of another writer who made the same are committed, too.
//
// Unknown comes with the error that says why: the store did not answer, or the
// chain is past the version and the version is gone, so that nobody can tell
// whose it was. The other outcomes come without an error. Malformed input is
// [ErrInvalid].
//
// It costs a HEAD, one LIST where the naming scheme is not known, one LIST and
// perhaps a HEAD more when the version is not there, and a GET when sizes are
// equal and the object was not written by this library.
func (t *Table) Resolve(ctx context.Context, version uint64, body []byte) (Outcome, error) {
	c, err := t.newCandidate(version, body)
	if err != nil {
		return Unknown, t.refuse(ctx, err)
	}
	if _, err := t.ready(ctx); err != nil {
		return Unknown, err
	}
	call := t.newCall(ctx)
	defer call.end()
	ctx = call
	chain := t.remember()
	if !chain.end.exists() {
		if chain, err = t.list(ctx); err != nil {
			return Unknown, fmt.Errorf("resolve version %d: %w", version, err)
		}
	}
	c = t.at(c, chain.end.Scheme)
	outcome, _, err := t.look(ctx, c)
	if outcome == Absent {
		outcome, _, _, err = t.lookPast(ctx, c)
	}
	if err != nil {
		return Unknown, fmt.Errorf("resolve version %d: %w", version, err)
	}
	if outcome != Absent {
		t.saw(version)
	}
	return outcome, nil
}
