package history

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// broken looks for what can be seen without a search, and says it in words that
// name the operations.
func broken(operations []Operation) (lines []string) {
	lines = append(lines, oneForEver(operations, "content", func(o Operation) string {
		if o.Result == Done && o.Kind != Latest {
			return o.Content
		}
		return ""
	})...)
	lines = append(lines, oneForEver(operations, "ETag", func(o Operation) string { return o.ETag })...)
	lines = append(lines, unwritten(operations)...)
	lines = append(lines, twoUpdates(operations)...)
	return append(lines, backwards(operations)...)
}

// oneForEver finds versions that were seen with two different properties.
func oneForEver(operations []Operation, what string, property func(Operation) string) (lines []string) {
	first := make(map[uint64]Operation)
	for _, o := range operations {
		p := property(o)
		if p == "" {
			continue
		}
		was, ok := first[o.seen()]
		switch {
		case !ok:
			first[o.seen()] = o
		case property(was) != p:
			lines = append(lines, fmt.Sprintf("version %d has more than one %s: %s; %s", o.seen(), what, at(was), at(o)))
		}
	}
	return lines
}

// unwritten finds versions whose bytes no write can have made, by what it was
// told.
func unwritten(operations []Operation) (lines []string) {
	writes := make(map[claim]Operation)
	for _, o := range operations {
		c := claim{version: o.Version, content: o.Content}
		if o.Kind.writes() && (o.Result == Done || o.Result == Unknown || writes[c].Kind == "") {
			writes[c] = o
		}
	}
	for _, o := range operations {
		if o.Result != Done || o.Content == "" || o.Kind.writes() {
			continue
		}
		switch w := writes[claim{version: o.Version, content: o.Content}]; {
		case w.Kind == "":
			lines = append(lines, fmt.Sprintf("version %d has bytes that nobody wrote: %s", o.Version, at(o)))
		case w.Result != Done && w.Result != Unknown:
			lines = append(lines, fmt.Sprintf("version %d has the bytes of a write that was refused: %s; then %s", o.Version, at(w), at(o)))
		}
	}
	return lines
}

// twoUpdates finds versions that two updates were told that they had made.
func twoUpdates(operations []Operation) (lines []string) {
	first := make(map[uint64]Operation)
	for _, o := range operations {
		if o.Kind != Update || o.Result != Done {
			continue
		}
		if was, ok := first[o.Version]; ok {
			lines = append(lines, fmt.Sprintf("version %d has two winners: %s; %s", o.Version, at(was), at(o)))
			continue
		}
		first[o.Version] = o
	}
	return lines
}

// backwards finds answers that are older than what another was told before the
// call.
func backwards(operations []Operation) (lines []string) {
	told := slices.DeleteFunc(slices.Clone(operations), func(o Operation) bool { return o.Result != Done })
	slices.SortFunc(told, func(a, b Operation) int { return cmp.Compare(a.Return, b.Return) })
	// high has, for each moment in order, the newest version told by then.
	type high struct {
		at time.Duration
		by Operation
	}
	highs := []high{{at: -1}}
	for _, o := range told {
		if o.seen() > highs[len(highs)-1].by.seen() {
			highs = append(highs, high{o.Return, o})
		}
	}
	before := func(call time.Duration) Operation {
		i, _ := slices.BinarySearchFunc(highs, call, func(h high, t time.Duration) int { return cmp.Compare(h.at, t) })
		return highs[i-1].by
	}
	for _, o := range operations {
		var old bool
		newest := before(o.Call)
		switch {
		case o.Kind == Latest && o.Result == Done:
			old = o.End < newest.seen()
		case o.Result == Absent:
			old = o.Version <= newest.seen()
		}
		if old {
			lines = append(lines, fmt.Sprintf("an answer is older than one before it: %s; then %s", at(newest), at(o)))
		}
	}
	return lines
}

// at writes an operation with its client and times.
func at(o Operation) string {
	return fmt.Sprintf("[%v to %v] client %d: %s", o.Call.Round(time.Microsecond), o.Return.Round(time.Microsecond), o.Client, o)
}
