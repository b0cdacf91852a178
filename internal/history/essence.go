package history

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// A claim is what one answer says of one version: that it is there (with a
// content, where that is known), that it is there with another content, or that
// it is not there.
type claim struct {
	version uint64
	kind    claimKind
	content string
}

type claimKind uint8

const (
	isThere claimKind = iota
	isOther
	isAbsent
)

// essence returns a smaller history that can be explained exactly when the whole
// can be. In a chain that only grows
//
//   - a version that is there stays, so that of all answers that say so only the
//     one that ended first decides;
//   - a version that is absent was so before, so that of all answers that say so
//     only the one that began last decides;
//   - "the latest is n" is "n is there" and "n+1 is absent": if each is true at
//     some moment of a call, both are at one;
//   - a write of unknown outcome whose bytes nobody can have seen might as well
//     not have been.
func essence(operations []Operation) []Operation {
	e := newEvidence(operations)
	for _, o := range operations {
		e.take(o)
	}
	return e.decisive()
}

// An evidence gathers the claims of a history.
type evidence struct {
	// highest is the newest version that was seen.
	highest uint64
	// seen has the contents that were seen of a version.
	seen map[uint64][]string
	// writers are those who can have made a content a version.
	writers map[claim]bool
	// there is when the first answer ended from which it is known that a version
	// is there, and its content.
	there map[uint64]time.Duration

	claims map[claim]Operation
	writes []Operation
}

func newEvidence(operations []Operation) *evidence {
	e := &evidence{
		seen: make(map[uint64][]string), writers: make(map[claim]bool),
		there: make(map[uint64]time.Duration), claims: make(map[claim]Operation),
	}
	for _, o := range operations {
		if o.Kind.writes() && (o.Result == Done || o.Result == Unknown) {
			e.writers[claim{version: o.Version, content: o.Content}] = true
		}
		switch {
		case o.Result == Done && o.Kind != Latest:
			e.see(o.Version, o.Content)
			if at, ok := e.there[o.Version]; o.Content != "" && (!ok || o.Return < at) {
				e.there[o.Version] = o.Return
			}
		case o.taken():
			e.see(o.Version, "")
		case o.Result == Done || o.Result == Conflict:
			e.see(o.End, "")
		}
	}
	return e
}

func (e *evidence) see(version uint64, content string) {
	e.highest = max(e.highest, version)
	if content != "" && !slices.Contains(e.seen[version], content) {
		e.seen[version] = append(e.seen[version], content)
	}
}

// take keeps what an operation says.
func (e *evidence) take(o Operation) {
	switch {
	case o.Result == Failed, o.Result == Unknown && !o.Kind.writes():
	case o.Result == Unknown:
		contents := e.seen[o.Version]
		if o.Version <= e.highest && (len(contents) == 0 || slices.Contains(contents, o.Content)) {
			e.writes = append(e.writes, o)
		}
	case o.Result == Done && o.Kind.writes():
		e.writes = append(e.writes, o)
	case o.Result == Absent:
		e.add(claim{o.Version, isAbsent, ""}, o)
	case o.Kind == Update: // a conflict, which it must not answer
		e.writes = append(e.writes, o)
	case o.taken():
		if e.writers[claim{version: o.Version, content: o.Content}] {
			e.add(claim{o.Version, isOther, o.Content}, o)
		} else {
			e.add(claim{o.Version, isThere, ""}, o)
		}
	case o.Result == Conflict && o.End+1 == o.Version: // was free
		e.writes = append(e.writes, o)
	case o.Result == Conflict || o.Kind == Latest:
		if o.End > 0 {
			e.add(claim{o.End, isThere, ""}, o)
		}
		e.add(claim{o.End + 1, isAbsent, ""}, o)
	default:
		e.add(claim{o.Version, isThere, o.Content}, o)
	}
}

// add keeps the operation if no other decides more.
func (e *evidence) add(c claim, o Operation) {
	if was, ok := e.claims[c]; ok {
		if c.kind == isAbsent && was.Call >= o.Call || c.kind != isAbsent && was.Return <= o.Return {
			return
		}
	}
	e.claims[c] = o
}

func (e *evidence) decisive() []Operation {
	list := e.writes
	for c, o := range e.claims {
		if at, ok := e.there[c.version]; ok && c.kind == isThere && c.content == "" && at <= o.Return {
			continue
		}
		list = append(list, c.operation(o))
	}
	slices.SortFunc(list, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(a.Call, b.Call), cmp.Compare(a.Return, b.Return), cmp.Compare(a.Version, b.Version))
	})
	return list
}

// operation returns one that says the claim and nothing else.
func (c claim) operation(of Operation) Operation {
	o := Operation{
		Client: of.Client, Kind: Read, Version: c.version, Content: c.content, Result: Done, Call: of.Call, Return: of.Return,
	}
	switch c.kind {
	case isOther:
		o.Kind, o.Result = Resolve, Conflict
	case isAbsent:
		o.Result = Absent
	}
	o.of = fmt.Sprintf("%s, so %d %s", of, c.version, [...]string{"is there", "is there and another", "is absent"}[c.kind])
	return o
}
