package committer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/naming"
)

// warmFor is for how long after a LIST the latest version is found by a HEAD.
const warmFor = time.Minute

// Latest returns the newest version. Errors: [ErrTableNotFound] (no versions),
// [ErrBranchNotFound], [ErrMixedSchemes], [ErrInconsistentStore], [ErrInvalid] (the
// arguments of [NewTable]), and those of the store.
//
// Cold, it costs one LIST of 8 keys in a V2 table on an ordered store, whatever
// the number of versions, and a whole listing elsewhere. That of a V1 table on
// an ordered store takes 2 LISTs up to 1,000 versions, and up to 10 at once
// beyond: 19 for 10,000 versions in the time of 4, 109 for 100,000 in that of
// 14, and then about one for each 1,000 versions. A listing that took longer than
// StaleAfter, and came to less than this handle has seen, is made once more. Warm,
// while the last LIST is younger than a minute, and nobody saw a later version by
// this handle since, it costs one HEAD of the next name, and a LIST more when that
// is there. So where others commit several versions and clean up all but the last,
// or drop the table, make it again or restore an older copy, a warm handle sees it
// within a minute; commits do not rely on it and list.
func (t *Table) Latest(ctx context.Context) (Version, error) {
	if _, err := t.ready(ctx); err != nil {
		return Version{}, err
	}
	k := t.remember()
	if k.end.exists() && !k.listed.IsZero() && elapsed(k.listed) < warmFor && k.end.Number < naming.MaxVersion {
		_, err := t.reads.Head(ctx, t.key(k.scheme, k.end.Number+1))
		switch {
		case errors.Is(err, backends.ErrNotExist):
			t.showed(k.end)
			return k.end, nil
		case err != nil:
			return Version{}, fmt.Errorf("latest version: %w", err)
		}
	}
	k, err := t.list(ctx)
	if err != nil {
		return Version{}, err
	}
	t.showed(k.end)
	if !k.end.exists() {
		return Version{}, t.notFound()
	}
	return k.end, nil
}

// notFound says that there is no version, and where.
func (t *Table) notFound() error {
	if t.branch != "" {
		return fmt.Errorf("%w: %s, nothing under %q; commit the version that it forks from",
			ErrTableNotFound, noVersions(t.branch), t.versions)
	}
	return fmt.Errorf("%w: nothing under %q is the manifest of a version; check the location, or commit version 1",
		ErrTableNotFound, t.versions)
}

// Version returns one version, its metadata included. A version that is not
// there is [ErrVersionNotFound]: it was never committed, or is cleaned up. It
// costs one HEAD, and one more where it is not there by the names that the table
// had last; while none was seen, a LIST tells a version from a bucket that is not
// there.
func (t *Table) Version(ctx context.Context, number uint64) (Version, error) {
	if err := naming.CheckVersion(number); err != nil {
		return Version{}, invalid(err)
	}
	if _, err := t.ready(ctx); err != nil {
		return Version{}, err
	}
	known := t.remember().scheme
	// The other, too: names are migrated, and tables made again.
	schemes := []naming.Scheme{naming.V2, naming.V1}
	if known == naming.V1 {
		slices.Reverse(schemes)
	}
	var missing error
	for _, scheme := range schemes {
		key := t.key(scheme, number)
		attrs, err := t.reads.Head(ctx, key)
		if err == nil {
			t.learnScheme(scheme)
			t.saw(number)
			return newVersion(key, naming.Name{Version: number, Scheme: scheme}, attrs), nil
		}
		if !errors.Is(err, backends.ErrNotExist) {
			return Version{}, fmt.Errorf("version %d: %w", number, err)
		}
		missing = versionError(number, err)
	}
	if known == 0 {
		// Nothing was seen yet, and to a HEAD a bucket that is not there looks
		// like a version that is not.
		if _, err := t.list(ctx); err != nil {
			return Version{}, fmt.Errorf("version %d: %w", number, err)
		}
	}
	return Version{}, missing
}

// versionError turns the store's "no such object" into "no such version".
func versionError(number uint64, err error) error {
	if errors.Is(err, backends.ErrNotExist) {
		return fmt.Errorf("%w: %d was never committed, or is cleaned up", ErrVersionNotFound, number)
	}
	return err
}

// VersionsOptions narrow [Table.Versions].
type VersionsOptions struct {
	// Limit ends the sequence after so many versions. Zero or less means all.
	Limit int
}

// Versions yields the versions of the table, newest first. It yields nothing for
// a table without versions, and stops after an error: those of [Table.Latest] but
// [ErrTableNotFound].
//
// In a V2 table on an ordered store it costs one LIST a page of 1,000 and keeps
// one page in memory. Elsewhere it costs a whole listing before the first
// version, as that of [Table.Latest], since names are not in the order of
// versions, and keeps a [Version] of each.
func (t *Table) Versions(ctx context.Context, opts VersionsOptions) iter.Seq2[Version, error] {
	return func(yield func(Version, error) bool) {
		if _, err := t.ready(ctx); err != nil {
			yield(Version{}, err)
			return
		}
		left := opts.Limit
		began, first := time.Now(), true
		for v, err := range t.newestFirst(ctx, pageFor(opts.Limit)) {
			if err == nil && first {
				// So that Latest does not go back behind it.
				if k := (known{scheme: v.Scheme, end: v, learned: began, listed: began}); !t.wasOvertaken(k) {
					t.learnList(k)
				}
				first = false
			}
			if !yield(v, err) || err != nil {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

// pageFor is the size of the first page for so many versions, with room for the
// staged manifests among them.
func pageFor(limit int) int {
	if limit <= 0 {
		return fullPage
	}
	return min(limit+firstPage, fullPage)
}

// newestFirst yields the chain from its end. The first page has a size of its
// own.
func (t *Table) newestFirst(ctx context.Context, first int) iter.Seq2[Version, error] {
	return func(yield func(Version, error) bool) {
		var collected []Version
		for finals, err := range t.pages(ctx, first) {
			if err != nil {
				yield(Version{}, err)
				return
			}
			if !t.ordered() || len(finals) > 0 && finals[0].Scheme == naming.V1 {
				collected = append(collected, finals...)
				continue
			}
			for _, v := range finals {
				if !yield(v, nil) {
					return
				}
			}
		}
		slices.SortFunc(collected, func(a, b Version) int { return cmp.Compare(b.Number, a.Number) })
		for _, v := range collected {
			if !yield(v, nil) {
				return
			}
		}
	}
}
