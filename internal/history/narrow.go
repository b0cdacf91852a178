package history

import (
	"maps"
	"slices"
	"time"
)

// narrow returns the history with the updates that made a version narrowed to when
// they can have taken effect, which spares the search from trying them at other
// times. Versions are made in their order. So an update took effect after all that
// began with its version, or one before it, absent, and before all that ended with
// its version, or a later one, there. Where an update has waited for long beside
// many others, the search would otherwise not end. What can be explained and what
// cannot stays the same.
func narrow(operations []Operation) []Operation {
	after, before := make(map[uint64]time.Duration), make(map[uint64]time.Duration)
	for _, o := range operations {
		v := o.seen()
		if o.Result == Absent || o.Kind == Update && o.Result == Done {
			after[v] = max(after[v], o.Call)
		}
		if o.Kind != Latest && o.Result == Done || o.Kind == Resolve && o.Result == Conflict {
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
		if o.Kind != Update || o.Result != Done {
			continue
		}
		call, end := max(o.Call, after[o.Version]), min(o.Return, before[o.Version])
		// Otherwise nothing explains it, and the search says so.
		if call <= end {
			narrowed[i].Call, narrowed[i].Return = call, end
		}
	}
	return narrowed
}
