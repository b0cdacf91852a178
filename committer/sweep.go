package committer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/naming"
)

// leastSweepAge is the least age of what a sweep may take. Lance takes younger
// staged files for those of a writer that is still at work.
const leastSweepAge = 7 * 24 * time.Hour

const (
	// ownTemporary starts the names of the temporary files that backends/file
	// leaves when its process is killed.
	ownTemporary = ".tmp_lancecommit_"
	// lanceTemporary starts those of Lance, ".tmp_{final name}_{uuid}".
	lanceTemporary = ".tmp_"
)

// SweepOptions say how [Table.Sweep] works.
type SweepOptions struct {
	// DryRun deletes nothing. The result is what a call without it would do.
	DryRun bool
	// Progress is called after each batch with how many objects were deleted so
	// far, of how many. It runs in the caller's goroutine. Nil is skipped.
	Progress func(done, total int)
}

// A SweepResult is what became of the leftovers.
type SweepResult struct {
	// Removed are the leftovers that are proven to be gone.
	Removed []SweptObject
	// Bytes is the size of these in all.
	Bytes int64
	// Kept are the leftovers that must stay.
	Kept []KeptObject
}

// A SweptObject is a leftover.
type SweptObject struct {
	Key string
	// Version is the one that the object was staged for. A temporary file of
	// this library's own has none, and the number is 0.
	Version uint64
	// Size is in bytes.
	Size int64
	// Modified is when the object was written, by the store's clock.
	Modified time.Time
}

// A KeptObject is a leftover that was not deleted.
type KeptObject struct {
	SweptObject
	// Reason is KeptAboveEnd, KeptTooYoung or KeptUnknownAge.
	Reason KeepReason
}

// Sweep deletes what writers left in _versions/ and nobody will publish, as
// Lance never does (lance#9061):
//
//   - staged manifests, "{final name}-{uuid}", and the temporary manifests of
//     Lance on disk, ".tmp_{final name}_{uuid}", of versions up to the end of
//     the chain: such a version is taken, whoever has it;
//   - the temporary files of backends/file, whose names say no version.
//
// All must be older than olderThan by the store's clock, which is at least 7
// days; less is [ErrInvalid]. A leftover above the end of the chain stays
// whatever its age, since it can be the only copy that an external manifest
// store has of a version. A store that does not tell its time (Google Cloud
// Storage through its client) is taken to be at the newest time that the listing
// shows: the leftovers of a table that nobody writes to stay. What stays is in the result
// with the reason, and no error. Other names are left alone: a temporary name
// that is not unique, such as "…#1", may be in use again.
//
// The names of leftovers are never used twice, so that the listing is the only
// look at their age. Of all versions the listing reads the names only.
//
// A table with names of both schemes is [ErrMixedSchemes], and nothing is
// deleted. A location without any object is [ErrTableNotFound]. After an error
// of the store the result is what was done until then; call it again.
//
// It costs the whole listing, and one request for each batch of 1,000 objects on
// S3 and 256 on Azure, or one for each object elsewhere, eight side by side. It
// keeps the leftovers in memory.
func (t *Table) Sweep(ctx context.Context, olderThan time.Duration, opts SweepOptions) (SweepResult, error) {
	if olderThan < leastSweepAge {
		return SweepResult{}, invalid(fmt.Errorf("sweep what is older than %v: the least is %v, since what is younger may belong to a writer",
			olderThan, leastSweepAge))
	}
	if _, err := t.ready(ctx); err != nil {
		return SweepResult{}, err
	}
	left, err := t.leftovers(ctx)
	if err != nil {
		return SweepResult{}, err
	}
	var result SweepResult
	var old []SweptObject
	for _, object := range left.objects {
		if reason := left.keeps(object, olderThan); reason != 0 {
			result.Kept = append(result.Kept, KeptObject{object, reason})
		} else {
			old = append(old, object)
		}
	}
	if opts.DryRun {
		result.add(old)
		return result, nil
	}
	err = t.sweep(ctx, old, opts, &result)
	return result, err
}

// sweep deletes the objects.
func (t *Table) sweep(ctx context.Context, old []SweptObject, opts SweepOptions, result *SweepResult) error {
	r, total := newRemover(t.reads), len(old)
	for len(old) > 0 {
		batch := old[:min(r.batch(), len(old))]
		old = old[len(batch):]
		keys := make([]string, len(batch))
		for i, object := range batch {
			keys[i] = object.Key
		}
		fates, err := r.remove(ctx, keys)
		for i, fate := range fates {
			if fate == fateGone {
				result.add(batch[i : i+1])
			}
		}
		t.log(ctx, "sweep", "objects", len(batch), "err", err)
		if opts.Progress != nil {
			opts.Progress(len(result.Removed), total)
		}
		if err != nil {
			return fmt.Errorf("at least %d of %d leftovers were deleted, and then: %w", len(result.Removed), total, err)
		}
	}
	return nil
}

func (r *SweepResult) add(objects []SweptObject) {
	r.Removed = append(r.Removed, objects...)
	for _, object := range objects {
		r.Bytes += object.Size
	}
}

// leftovers are what a listing shows of them.
type leftovers struct {
	objects []SweptObject
	// end is the end of the chain, 0 where there is none.
	end   uint64
	clock clock
}

// leftovers lists all of _versions/.
func (t *Table) leftovers(ctx context.Context) (leftovers, error) {
	var left leftovers
	var schemes MixedSchemesError
	seen := 0
	in := backends.ListInput{Prefix: t.versions}
	for page, err := range listings(ctx, t.reads, in) {
		if err != nil {
			return left, fmt.Errorf("list versions: %w", err)
		}
		finals := finalsOf(page, in.Prefix)
		if err := schemes.add(finals); err != nil {
			return left, err
		}
		for _, v := range finals {
			left.end = max(left.end, v.Number)
		}
		left.clock.see(page)
		seen += len(page.Objects)
		for _, object := range page.Objects {
			if version, ok := leftover(strings.TrimPrefix(object.Key, in.Prefix)); ok {
				left.objects = append(left.objects, SweptObject{
					Key: object.Key, Version: version, Size: object.Size, Modified: object.Modified,
				})
			}
		}
	}
	if seen == 0 {
		return left, t.notFound()
	}
	return left, nil
}

// leftover reads the version out of the name of a leftover in _versions/, 0 where
// it has none. Other names are not ok.
func leftover(name string) (version uint64, ok bool) {
	parsed := naming.Parse(name)
	switch {
	case parsed.Kind == naming.StagingManifest:
		return parsed.Version, true
	case parsed.Kind != naming.Temporary:
		return 0, false
	case strings.HasPrefix(name, ownTemporary):
		return 0, true
	}
	final, uuid, _ := strings.Cut(strings.TrimPrefix(name, lanceTemporary), "_")
	parsed = naming.Parse(naming.Staging(final, uuid))
	return parsed.Version, parsed.Kind == naming.StagingManifest
}

// keeps returns why a leftover must stay, 0 if it need not.
func (l *leftovers) keeps(object SweptObject, olderThan time.Duration) KeepReason {
	switch {
	case object.Version > l.end:
		return KeptAboveEnd
	case object.Modified.IsZero():
		return KeptUnknownAge
	case l.clock.atLeast().Sub(object.Modified) <= olderThan:
		return KeptTooYoung
	}
	return 0
}
