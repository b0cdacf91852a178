package committer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lancecommit/lancecommit/naming"
)

const (
	// throughLatest as the end of a range means that it has the latest version.
	throughLatest = -1
	// mostVersions is the most versions that one call may ask for.
	mostVersions = 1_000_000
)

// A VersionRange is a range of versions, as the Lance Namespace specification
// has it.
type VersionRange struct {
	// Start is the first version of the range, 0 or more.
	Start int64 `json:"start_version"`
	// End is the version behind the last one of the range; -1 means that the
	// range goes through the latest version.
	End     int64         `json:"end_version"`
	Unknown UnknownFields `json:"-"`
}

// UnmarshalJSON reads a range with its unknown fields. Both ends must be given: a
// missing one must not be taken for version 0.
func (r *VersionRange) UnmarshalJSON(data []byte) error {
	var given struct {
		Start *int64 `json:"start_version"`
		End   *int64 `json:"end_version"`
	}
	wrong := readFields(data, &given, &r.Unknown)
	if !wrong.isWhole() {
		if given.Start == nil && !wrong.names("start_version") {
			wrong.add("start_version", "it is missing")
		}
		if given.End == nil && !wrong.names("end_version") {
			wrong.add("end_version", "it is missing")
		}
	}
	if err := wrong.orNil(); err != nil {
		return err
	}
	r.Start, r.End = *given.Start, *given.End
	return nil
}

// MarshalJSON writes a range with its unknown fields.
func (r VersionRange) MarshalJSON() ([]byte, error) {
	type plain VersionRange
	return encodeFields(plain(r), r.Unknown)
}

// A span is a range of versions whose end, not its own, is numbered as the chain
// is.
type span struct{ start, end uint64 }

// openEnd is the end of a span that goes through the latest version.
const openEnd = naming.MaxVersion + 1

// spansOf returns ranges that are in order, in order and apart.
func spansOf(ranges []VersionRange) []span {
	spans := make([]span, len(ranges))
	for i, r := range ranges {
		spans[i] = span{uint64(r.Start), uint64(r.End)}
		if r.End == throughLatest {
			spans[i].end = openEnd
		}
	}
	return merge(spans)
}

// checkRanges adds each range that makes no sense, or that all have too many
// versions.
func (f *faults) checkRanges(ranges []VersionRange) {
	if len(ranges) == 0 {
		f.add("ranges", "there are no ranges of versions to delete; for all that may go, ask for the range 0 to %d", throughLatest)
		return
	}
	var closed []VersionRange
	for i, r := range ranges {
		if f.isFull() {
			return
		}
		field := fmt.Sprintf("ranges[%d]", i)
		if f.isUnread(field) {
			// One end without the other says little.
			continue
		}
		before := len(f.Fields)
		f.checkRange(field, r)
		if len(f.Fields) == before && r.End != throughLatest {
			closed = append(closed, r)
		}
	}
	if err := checkWidth(spansOf(closed), 0); err != nil {
		// Whatever range could not be read.
		f.addWhole("ranges", "%v", err)
	}
}

// checkRange adds the ends of a range that makes no sense.
func (f *faults) checkRange(field string, r VersionRange) {
	asked := fmt.Sprintf("the range %d to %d", r.Start, r.End)
	if r.Start < 0 {
		f.add(field+".start_version", "%s: a range starts at 0 or above", asked)
	}
	switch {
	case r.End < throughLatest:
		f.add(field+".end_version", "%s: the end is a version, or %d for all through the latest", asked, throughLatest)
	case r.Start >= 0 && r.End != throughLatest && r.End <= r.Start:
		f.add(field+".end_version", "%s: it is empty, since the end is not part of it; to delete the one version %d, end at %d",
			asked, r.Start, uint64(r.Start)+1)
	}
}

// merge makes one span of those that overlap or touch.
func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	var apart []span
	for _, s := range spans {
		if last := len(apart) - 1; last >= 0 && s.start <= apart[last].end {
			apart[last].end = max(apart[last].end, s.end)
		} else {
			apart = append(apart, s)
		}
	}
	return apart
}

// checkWidth refuses too many versions, those that are not there included.
func checkWidth(spans []span, latest uint64) error {
	var width uint64
	for _, s := range spans {
		if s.end == openEnd {
			s.end = max(s.start, latest+1)
		}
		width += s.end - s.start
	}
	if width > mostVersions {
		return fmt.Errorf("the ranges have %d versions, more than %d; delete them in parts", width, mostVersions)
	}
	return nil
}
