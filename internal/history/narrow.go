package history

import (
	"maps"
	"slices"
	"time"
)

// narrow returns the history with its operations narrowed to when they can have
// taken effect, which spares the search from trying them at other times. Versions
// are made in their order. So a version was made after all that began with it, or
// one before it, absent, and before all that ended with it, or a later one, there;
// an update made its version itself, who saw it did so later, and who found it
// absent earlier. Where updates have waited for long beside many others, the search
// would otherwise not end. What can be explained and what cannot stays the same.
func narrow(operations []Operation) []Operation {
	after, before := make(map[uint64]time.Duration), make(map[uint64]time.Duration)
	for _, o := range operations {
		v := o.seen()
		if o.Result == Absent || o.Kind == Update && o.Result == Done {
			after[v] = max(after[v], o.Call)
		}
		if there(o) {
			if at, ok := before[v]; !ok || o.Return < at {
				before[v] = o.Return
			}
		}
	}
	latest := time.Duration(0)
	for _, v := range slices.Sorted(maps.Keys(after)) {
		latest = max(latest, after[v])
		after[v] = latest
	}
	earliest := time.Duration(1<<63 - 1)
	for _, v := range slices.Backward(slices.Sorted(maps.Keys(before))) {
		earliest = min(earliest, before[v])
		before[v] = earliest
	}
	narrowed := slices.Clone(operations)
	for i, o := range narrowed {
		call, end := o.Call, o.Return
		if there(o) {
			call = max(call, after[o.Version])
		}
		if at, ok := before[o.Version]; ok && (o.Result == Absent || o.Kind == Update && o.Result == Done) {
			end = min(end, at)
		}
		// Otherwise nothing explains it, and the search says so.
		if call <= end {
			narrowed[i].Call, narrowed[i].Return = call, end
		}
	}
	return narrowed
}

// there reports whether an operation says that its version is there.
func there(o Operation) bool {
	return o.Kind != Latest && o.Result == Done || o.Kind == Resolve && o.Result == Conflict
}
