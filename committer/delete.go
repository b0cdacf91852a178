package committer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// settled is how old the successor of a version must be. A reader that found the
// version as the latest has had as long to read it.
const settled = time.Hour

// DeleteOptions say how [Table.DeleteVersions] works.
type DeleteOptions struct {
	// Force deletes tagged versions, fork points and young ones, too. The tag or
	// branch is then broken. Use it only while nobody writes or reads the table:
	// a commit counts on it that nobody deletes the newest versions, see
	// [WithStaleAfter].
	Force bool
	// DryRun deletes nothing. The result is what a call without it would do.
	DryRun bool
	// Progress is called after each batch with how many versions were deleted
	// so far, of how many. It runs in the caller's goroutine. Nil is skipped.
	Progress func(done, total int)
}

// A DeleteResult is what became of the versions in the ranges.
type DeleteResult struct {
	// Deleted is how many versions were there and are proven to be gone.
	Deleted int
	// Unproven is how many more may be gone: the store was asked to delete them,
	// and its answer does not tell.
	Unproven int
	// Kept are the versions that must stay, in order.
	Kept []KeptVersion
}

// A KeptVersion is one that was in a range and was not deleted.
type KeptVersion struct {
	Number uint64
	Reason KeepReason
	// Name is that of the tag or branch that needs the version, the first in
	// order where there are several.
	Name string
}

// A KeepReason is why a clean-up left something. Where there are several, the
// first of them is given.
type KeepReason uint8

// The reasons.
const (
	// KeptLatest is the latest version, which is never deleted.
	KeptLatest KeepReason = iota + 1
	// KeptTagged is a version that a tag names.
	KeptTagged
	// KeptForkPoint is a version from which a branch was made. The branch reads
	// the version's files.
	KeptForkPoint
	// KeptTooYoung is a version that was the latest less than an hour ago, or a
	// leftover that may still belong to a writer.
	KeptTooYoung
	// KeptAboveEnd is a leftover of a version that is not committed. It can be
	// the only copy that an external manifest store has.
	KeptAboveEnd
	// KeptUnknownAge is a leftover of which the store does not tell the age.
	KeptUnknownAge
)

// String returns the reason in a few words.
func (r KeepReason) String() string {
	switch r {
	case KeptLatest:
		return "latest"
	case KeptTagged:
		return "tagged"
	case KeptForkPoint:
		return "fork point"
	case KeptTooYoung:
		return "too young"
	case KeptAboveEnd:
		return "above the end"
	case KeptUnknownAge:
		return "unknown age"
	default:
		return "unknown"
	}
}

// DeleteVersions deletes the manifests of the versions in the ranges, oldest
// first. It deletes no data and no transaction files. It never deletes
//
//   - the latest version;
//   - a version that a tag of this branch names;
//   - a version from which a branch was made;
//   - a version whose successor, the next higher one in the chain, is younger
//     than an hour by the store's clock. A store that does not tell its time
//     (Google Cloud Storage through its client) is taken to be at the newest
//     time that the listing shows, which keeps more and never less.
//
// Force lifts all but the first. What was kept is in the result, and no error.
// Nor is a version that is not there; it is not counted. Ranges may overlap.
//
// One listing decides which versions there are. Tags and branches are read after
// it, and again before each later batch, so one that is made during the call may
// come too late for the batch under way. A branch counts once its ref is
// written. Deleting is safe while others commit: they only add versions above
// the latest.
//
// The result is right in every case; after an error it is what was done until
// then. No ranges, a start below 0, an end below -1, an empty or inverted range,
// and more than 1,000,000 versions in all are [ErrInvalid], and nothing is
// deleted; the error names every range that is wrong. Nor is anything after
// [ErrMixedSchemes], [ErrTableNotFound], [ErrBranchNotFound], when a tag or
// branch ref cannot be read at first, and when the store refuses all of the first
// batch; a ref that makes no sense is [ErrBadRef]. When anything else ends the
// call after the first delete was sent, the error is an
// [*UnfinishedDeleteError]: call it again with the same ranges.
//
// It costs LISTs of 1,000 keys from the top down to the lowest start in a V2
// table on an ordered store, and the whole listing elsewhere; for each batch two
// LISTs for tags and branches and one GET for each of these that is new or has
// changed (none of this with Force); and one request for each batch of 1,000
// versions on S3 and 256 on Azure, or one for each version elsewhere, eight side
// by side in batches of 100.
func (t *Table) DeleteVersions(ctx context.Context, ranges []VersionRange, opts DeleteOptions) (DeleteResult, error) {
	var wrong faults
	if wrong.checkRanges(ranges); len(wrong.Fields) > 0 {
		return DeleteResult{}, t.refuse(ctx, invalid(errors.New(wrong.reasons())))
	}
	spans := spansOf(ranges)
	if _, err := t.ready(ctx); err != nil {
		return DeleteResult{}, err
	}
	s, err := t.survey(ctx, spans)
	if err != nil {
		return DeleteResult{}, err
	}
	d := deletion{table: t, survey: s, opts: opts, refs: refReader{table: t}, remover: newRemover(t.reads)}
	err = d.run(ctx)
	slices.SortFunc(d.result.Kept, func(a, b KeptVersion) int { return cmp.Compare(a.Number, b.Number) })
	return d.result, err
}

// A deletion is the state of DeleteVersions.
type deletion struct {
	table   *Table
	survey  survey
	opts    DeleteOptions
	refs    refReader
	remover remover
	result  DeleteResult
}

func (d *deletion) run(ctx context.Context) error {
	protected, err := d.protected(ctx)
	if err != nil {
		return d.stopped(0, err)
	}
	todo := d.plan(protected)
	if d.opts.DryRun {
		d.result.Deleted = len(todo)
		return nil
	}
	total := len(todo)
	for first := true; len(todo) > 0; first = false {
		batch := todo[:min(d.remover.batch(), len(todo))]
		todo = todo[len(batch):]
		if !first {
			// A tag may have been made while the batch before was deleted.
			if protected, err = d.protected(ctx); err != nil {
				return d.stopped(total, err)
			}
			named := len(batch)
			batch = d.unprotected(batch, protected)
			total -= named - len(batch)
		}
		err := d.delete(ctx, batch)
		if d.opts.Progress != nil {
			d.opts.Progress(d.result.Deleted, total)
		}
		if err != nil {
			return d.stopped(total, err)
		}
	}
	return nil
}

// protected returns what tags and branches need.
func (d *deletion) protected(ctx context.Context) (map[uint64]protection, error) {
	if d.opts.Force {
		return nil, nil
	}
	return d.refs.protected(ctx)
}

// plan returns the versions to delete, oldest first, and records the others.
func (d *deletion) plan(protected map[uint64]protection) []uint64 {
	var todo []uint64
	for _, v := range d.unprotected(d.survey.numbers(), protected) {
		switch {
		case v == d.survey.latest.Number:
			d.keep(v, protection{reason: KeptLatest})
		case !d.opts.Force && !d.survey.isSettled(v):
			d.keep(v, protection{reason: KeptTooYoung})
		default:
			todo = append(todo, v)
		}
	}
	return todo
}

// unprotected returns the versions that no tag or branch needs, and records the
// others. The latest is not theirs to keep.
func (d *deletion) unprotected(versions []uint64, protected map[uint64]protection) []uint64 {
	var free []uint64
	for _, v := range versions {
		if by, ok := protected[v]; ok && v != d.survey.latest.Number {
			d.keep(v, by)
		} else {
			free = append(free, v)
		}
	}
	return free
}

func (d *deletion) keep(version uint64, why protection) {
	d.result.Kept = append(d.result.Kept, KeptVersion{Number: version, Reason: why.reason, Name: why.name})
}

// delete deletes one batch.
func (d *deletion) delete(ctx context.Context, batch []uint64) error {
	keys := make([]string, len(batch))
	for i, v := range batch {
		keys[i] = d.table.key(d.survey.latest.Scheme, v)
	}
	fates, err := d.remover.remove(ctx, keys)
	for _, fate := range fates {
		switch fate {
		case fateGone:
			d.result.Deleted++
		case fateUnproven:
			d.result.Unproven++
		}
	}
	d.table.log(ctx, "delete", "versions", len(batch), "err", err)
	return err
}

// stopped is the error of a call that ends before its time.
func (d *deletion) stopped(total int, err error) error {
	if d.result.Deleted+d.result.Unproven == 0 {
		return fmt.Errorf("nothing was deleted: %w", err)
	}
	return &UnfinishedDeleteError{Deleted: d.result.Deleted, Unproven: d.result.Unproven, Total: total, Cause: err}
}

// An UnfinishedDeleteError says how far a deletion came. Nothing that had to be
// kept is gone. Call it again with the same ranges: what is gone is not counted
// then.
type UnfinishedDeleteError struct {
	// Deleted is how many versions are proven to be gone, Unproven how many
	// more may be, and Total how many there were to delete.
	Deleted, Unproven, Total int
	// Cause is why the call ended.
	Cause error
}

// Error says how many versions are gone at least.
func (e *UnfinishedDeleteError) Error() string {
	return fmt.Sprintf("at least %d of %d versions were deleted, and then: %v; delete the same again, what is gone is not counted",
		e.Deleted, e.Total, e.Cause)
}

// Is reports that an UnfinishedDeleteError is [ErrUnfinishedDelete].
func (e *UnfinishedDeleteError) Is(target error) bool { return target == ErrUnfinishedDelete }

// Unwrap returns the cause.
func (e *UnfinishedDeleteError) Unwrap() error { return e.Cause }
