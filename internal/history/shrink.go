package history

import (
	"slices"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// shrinkTimeout bounds each search for a smaller history that is wrong.
const shrinkTimeout = 5 * time.Second

// shrink returns a small part of a history that cannot be explained, and which
// cannot be either, with the version at which the chain ends before it. The
// part stops as soon as something is wrong, and has only the newest versions
// that are needed to see it.
func shrink(operations []Operation) (part []Operation, from uint64) {
	wrong := func(part []Operation, from uint64) bool {
		return porcupine.CheckOperationsTimeout(model(from), entries(part), shrinkTimeout) == porcupine.Illegal
	}
	var ends []time.Duration
	for _, o := range operations {
		ends = append(ends, o.Return)
	}
	slices.Sort(ends)
	at := sort.Search(len(ends)-1, func(i int) bool { return wrong(essence(until(operations, ends[i])), 0) })
	whole := essence(until(operations, ends[at]))
	var newest uint64
	for _, o := range whole {
		newest = max(newest, o.Version)
	}
	for versions := uint64(4); versions < newest; versions *= 2 {
		from := newest - versions
		part := slices.DeleteFunc(slices.Clone(whole), func(o Operation) bool { return o.Version <= from })
		if wrong(part, from) {
			return part, from
		}
	}
	return whole, 0
}

// until is the history as it was at a moment: what had not ended by then is
// unknown.
func until(operations []Operation, end time.Duration) (part []Operation) {
	for _, o := range operations {
		switch {
		case o.Return <= end:
		case o.Call > end || !o.Kind.writes() || o.Version == 0:
			continue
		default:
			o.Result, o.ETag = Unknown, ""
		}
		part = append(part, o)
	}
	return part
}
