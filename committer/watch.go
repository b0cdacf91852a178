package committer

import (
	"context"
	"iter"
	"slices"
)

// Watch yields the versions above after, oldest first, and goes on with those
// that land later. It ends with the context's error, or the first error of the
// store; call it again with the last version seen. Versions that are cleaned up
// before they are seen are left out.
//
// It lists at once and then at the interval of [WithWatchInterval]: one LIST of
// 8 keys in a V2 table on an ordered store, a whole listing elsewhere. The
// iterator runs in the caller's goroutine.
func (t *Table) Watch(ctx context.Context, after uint64) iter.Seq2[Version, error] {
	return func(yield func(Version, error) bool) {
		for {
			landed, err := t.above(ctx, after)
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
