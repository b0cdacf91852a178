package committer

import (
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// Errors that callers decide on. After any error but [ErrUnknownOutcome] and
// [ErrStaleCommit], nothing that the call was given is in the table, and it
// never will be through this call. Errors of the store, such as
// backends.ErrPermission, are wrapped and keep that promise.
var (
	// ErrInvalid means that the input was refused before anything was written:
	// a version out of bounds, bytes that are no manifest or one of another
	// version or branch, a malformed root or branch name. It is fs.ErrInvalid.
	ErrInvalid error = &sentinel{text: "invalid input", is: fs.ErrInvalid}
	// ErrConflict means that the version is not free for these bytes: another
	// writer has it, or it is not the next of the chain. See [ConflictError].
	ErrConflict error = &sentinel{text: "the version is not free"}
	// ErrContention means that the call gave up because other writers were
	// faster every time, or because the store did not decide between them. It
	// can be called again.
	ErrContention error = &sentinel{text: "too much contention"}
	// ErrUnknownOutcome means that it could not be proven whether the version
	// was committed. See [UnknownOutcomeError], and [ErrUndecidable] for what no
	// later look tells.
	ErrUnknownOutcome error = &sentinel{text: "the outcome is unknown"}
	// ErrUndecidable means that the staged manifest of a request is not there, and
	// that the version, which is gone, damaged, or does not say where it was
	// staged, does not tell whether it came from it. It is [ErrUnknownOutcome], and
	// stays that however long one waits. The error says what can decide it, if
	// anything.
	ErrUndecidable error = &sentinel{text: "the outcome cannot be decided by waiting", is: ErrUnknownOutcome}
	// ErrStaleCommit means that the version was written behind the end of the
	// chain, or into another table. See [StaleCommitError].
	ErrStaleCommit error = &sentinel{text: "the commit is stale"}
	// ErrTableNotFound means that there is no version at all, or in a
	// [Namespace] that there is no such table. It is fs.ErrNotExist.
	ErrTableNotFound error = &sentinel{text: "there is no such table, or it has no versions", is: fs.ErrNotExist}
	// ErrNamespaceNotFound means that there is nothing at the root of a
	// [Namespace]. It is fs.ErrNotExist.
	ErrNamespaceNotFound error = &sentinel{text: "there is no such namespace", is: fs.ErrNotExist}
	// ErrVersionNotFound means that there is no such version; it may have been
	// cleaned up. It is fs.ErrNotExist.
	ErrVersionNotFound error = &sentinel{text: "the version does not exist", is: fs.ErrNotExist}
	// ErrBranchNotFound means that the branch has no ref: it was never made,
	// is deleted, or is not registered yet. It is fs.ErrNotExist.
	ErrBranchNotFound error = &sentinel{text: "the branch does not exist", is: fs.ErrNotExist}
	// ErrMixedSchemes means that a listing shows V1 and V2 names side by side,
	// so that the chain cannot be told. See [MixedSchemesError].
	ErrMixedSchemes error = &sentinel{text: "the table mixes naming schemes"}
	// ErrInconsistentStore means that the store refused a create because the
	// key is taken, and says that the key is absent, again and again; or that a
	// listing goes round in a circle, or shows what was not asked for. Such a
	// store cannot carry a table.
	ErrInconsistentStore error = &sentinel{text: "the store contradicts itself"}
	// ErrStagedChanged means that the staged manifest is not the one that the
	// request speaks of. It is [ErrConflict].
	ErrStagedChanged error = &sentinel{text: "the staged manifest is another", is: ErrConflict}
	// ErrUnsupported means that this library must not or cannot do what was
	// asked: a table of a child namespace, a table whose versions a catalog
	// keeps, several versions at once. It is errors.ErrUnsupported.
	ErrUnsupported error = &sentinel{text: "not supported", is: errors.ErrUnsupported}
	// ErrBadRef means that a tag or the ref of a branch is there and cannot be
	// understood, so that nobody knows which version it protects. Nothing was
	// deleted because of it.
	ErrBadRef error = &sentinel{text: "a tag or branch ref cannot be understood"}
	// ErrUnfinishedDelete means that some of the versions were deleted, or may have
	// been, and not all. See [UnfinishedDeleteError].
	ErrUnfinishedDelete error = &sentinel{text: "the deletion is not finished"}
	// ErrReentrant means that a build function or a hook called a writing
	// method of the table that it works for.
	ErrReentrant error = &sentinel{text: "called from inside a write of the same table"}
)

// A ConflictError says who has a version, or why it cannot be written now.
// Nothing of the call was written.
type ConflictError struct {
	// Version is the version that was asked for, Key its object.
	Version uint64
	Key     string
	// Latest is the end of the chain, 0 where there is none.
	Latest uint64
	// Next is the version that can be committed now.
	Next uint64
	// Winner is the object that has the version, nil where none was seen:
	// then the version is not the next one, or, up to Latest, gone. Of a version
	// that is gone nobody can tell any more whose it was: what an earlier call
	// that ended as unknown did stays unknown.
	Winner *Version
	// Replaced says that the end of the chain is not the object that it was
	// when this handle last saw it: the table was dropped and made again at the
	// same place. It is reported once by a handle, and not at all once its Latest has
	// returned the new table, or an Update has built on it, in any goroutine. Where
	// an ETag follows from the bytes, as on S3, the same bytes are the same table.
	Replaced bool

	// branch is empty for main.
	branch string
}

// Error names the version asked for, what is there, and what to do.
func (e *ConflictError) Error() string {
	switch {
	case e.Replaced:
		return fmt.Sprintf("version %d was not written: the table was dropped and made again since this handle last saw it, and its latest version is now %d; build on that and commit %d",
			e.Version, e.Latest, e.Next)
	case e.Winner != nil:
		return fmt.Sprintf("version %d exists with other bytes (%s, %d bytes); the latest version is %d: build on it and commit %d",
			e.Version, e.Winner.Key, e.Winner.Size, e.Latest, e.Next)
	case e.Latest == 0:
		return fmt.Sprintf("version %d cannot be committed: %s; commit %d", e.Version, noVersions(e.branch), e.Next)
	case e.Version <= e.Latest:
		return fmt.Sprintf("version %d cannot be committed: the latest version is %d, and %d is gone (if an earlier commit of it ended as unknown, that stays so: keep its files); build on the latest and commit %d",
			e.Version, e.Latest, e.Version, e.Next)
	default:
		return fmt.Sprintf("version %d cannot be committed: the latest version is %d; build on it and commit %d",
			e.Version, e.Latest, e.Next)
	}
}

// Is reports that a ConflictError is [ErrConflict].
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// An UnknownOutcomeError says that a create was sent and its outcome could not
// be proven in time: the version may be there, may not, or may still appear. It may
// have been sent by an earlier call: a [Table.Commit] of a version that the chain is
// past sends nothing, and cannot refuse what it cannot look at.
// Keep every file that the manifest names, and ask [Table.Resolve] later. That
// compares bytes: see [Table.Update] for builds of which two can make the same.
//
// Cause is why. It is not wrapped: an unknown outcome after a denied look is not
// "denied", and one after a cancelled context is not "cancelled".
type UnknownOutcomeError struct {
	Version uint64
	Key     string
	Cause   error
}

// Error names the version and the cause.
func (e *UnknownOutcomeError) Error() string {
	return fmt.Sprintf("version %d may or may not be committed (%s): %v; keep its files and resolve it before you write again",
		e.Version, e.Key, e.Cause)
}

// Is reports that an UnknownOutcomeError is [ErrUnknownOutcome].
func (e *UnknownOutcomeError) Is(target error) bool { return target == ErrUnknownOutcome }

// A StaleCommitError says that the version was written, but too late: since this
// writer learned the end of the chain, others committed past it and cleaned up,
// or dropped the table and made it again. The object Key is there and should
// not be; readers that look for the latest do not see it.
type StaleCommitError struct {
	Version uint64
	Key     string
	// Evidence is the object that proves it: a higher version that is older,
	// or the predecessor that is not the one this version was built on.
	Evidence Version
	// Age is how old the knowledge of the chain's end was.
	Age time.Duration
}

// Error names the object and what proves that it is stale.
func (e *StaleCommitError) Error() string {
	why := "is another object than the one it was built on"
	if e.Evidence.Number > e.Version {
		why = "was there before it"
	}
	return fmt.Sprintf("version %d was written as %s, but version %d %s (the end of the chain was known %v before): remove that object after a look at it",
		e.Version, e.Key, e.Evidence.Number, why, e.Age.Round(time.Millisecond))
}

// Is reports that a StaleCommitError is [ErrStaleCommit].
func (e *StaleCommitError) Is(target error) bool { return target == ErrStaleCommit }

// A MixedSchemesError names one object of each scheme.
type MixedSchemesError struct {
	V1, V2 string
}

// Error names both objects.
func (e *MixedSchemesError) Error() string {
	return fmt.Sprintf("the table has names of both schemes, V1 (%s) and V2 (%s); its chain cannot be told, and nothing is written until one scheme is left",
		e.V1, e.V2)
}

// Is reports that a MixedSchemesError is [ErrMixedSchemes].
func (e *MixedSchemesError) Is(target error) bool { return target == ErrMixedSchemes }

// invalid wraps a reason in ErrInvalid.
func invalid(reason error) error { return fmt.Errorf("%w: %w", ErrInvalid, reason) }

// noVersions says that the chain of a branch is empty.
func noVersions(branch string) string {
	if branch == "" {
		return "the table has no versions yet"
	}
	return fmt.Sprintf("the branch %q has no versions yet", branch)
}

// withLatest adds the end of the chain to the text of a refusal.
func (t *Table) withLatest(refusal error, end Version) error {
	return &withLatest{refusal, end, t.branch}
}

// withLatest is a refusal with the latest version of a branch in its text.
type withLatest struct {
	err    error
	latest Version
	branch string
}

func (e *withLatest) Error() string {
	if !e.latest.exists() {
		return fmt.Sprintf("%v; %s", e.err, noVersions(e.branch))
	}
	return fmt.Sprintf("%v; the latest version is %d", e.err, e.latest.Number)
}

func (e *withLatest) Unwrap() error { return e.err }

// A sentinel is an error that is also a wider one of the standard library.
type sentinel struct {
	text string
	is   error
}

func (s *sentinel) Error() string { return s.text }
func (s *sentinel) Unwrap() error { return s.is }
