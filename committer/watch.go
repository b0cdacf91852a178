package committer

import (
	"context"
	"iter"
	"slices"

	"github.com/lancecommit/lancecommit/naming"
)

// Watch yields the versions above after, oldest first, and goes on with those
// that land later. It ends with the context's error, or the first error of the
// store; call it again with the last version seen. Versions that are cleaned up
// before they are seen are left out.
//
// A table that is not there is waited for: ask [Table.Latest] first where that
// would be a mistake. One that is made again yields nothing until it has passed the
// last version seen. Errors: the context's, and those of [Table.Versions].
//
// It lists at once and then at the interval of [WithWatchInterval]: one LIST of
// 8 keys in a V2 table on an ordered store, a whole listing elsewhere, and
// another one where versions seem to be missing. The
// iterator runs in the caller's goroutine.
func (t *Table) Watch(ctx context.Context, after uint64) iter.Seq2[Version, error] {
	return func(yield func(Version, error) bool) {
		for {
			landed, err := t.landed(ctx, after)
			if err != nil {
				yield(Version{}, err)
				return
			}
			for _, v := range landed {
				if !yield(v, nil) {
					return
				}
				after = v.Number
			}
			if err := sleep(ctx, t.watchEvery); err != nil {
				yield(Version{}, err)
				return
			}
		}
	}
}

// landed returns the versions above one, oldest first, without leaving one out.
func (t *Table) landed(ctx context.Context, after uint64) ([]Version, error) {
	seen, err := t.above(ctx, after)
	if err != nil || !hasGap(after, seen) || t.ordered() && seen[0].Scheme == naming.V2 {
		return seen, err
	}
	// The listing has several pages and does not begin with the newest name: a
	// version can have landed behind the page that it belongs to, and a later
	// one before its own. What a second listing does not have is cleaned up.
	last := seen[len(seen)-1].Number
	if seen, err = t.above(ctx, after); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(seen, func(v Version) bool { return v.Number > last }), nil
}

// hasGap reports whether a version is missing behind after.
func hasGap(after uint64, seen []Version) bool {
	return len(seen) > 0 && seen[len(seen)-1].Number-after != uint64(len(seen))
}

// above returns the versions above one, oldest first.
func (t *Table) above(ctx context.Context, after uint64) ([]Version, error) {
	if _, err := t.ready(ctx); err != nil {
		return nil, err
	}
	var landed []Version
	for v, err := range t.newestFirst(ctx, firstPage) {
		if err != nil {
			return nil, err
		}
		if v.Number <= after {
			break
		}
		landed = append(landed, v)
	}
	slices.Reverse(landed)
	return landed, nil
}
