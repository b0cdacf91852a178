package committer

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/naming"
)

// listings yields the pages of a prefix. It stops at the first error.
func listings(ctx context.Context, store bounded, in backends.ListInput) iter.Seq2[backends.Page, error] {
	return func(yield func(backends.Page, error) bool) {
		for {
			page, err := store.page(ctx, in)
			if !yield(page, err) || err != nil || page.Token == "" {
				return
			}
			in.Token = page.Token
		}
	}
}

// A clock is the store's time as a listing shows it.
type clock struct {
	// now is the least of the times that the store told, zero if it did not
	// tell one with each page.
	now time.Time
	// newest is when the newest object was written, which is not after now.
	newest time.Time
	pages  int
}

// see takes in a page.
func (c *clock) see(page backends.Page) {
	c.pages++
	if c.pages == 1 || page.Now.Before(c.now) {
		c.now = page.Now
	}
	for _, object := range page.Objects {
		if object.Modified.After(c.newest) {
			c.newest = object.Modified
		}
	}
}

// atLeast returns a time that the store's clock has reached.
func (c *clock) atLeast() time.Time {
	if c.now.IsZero() {
		return c.newest
	}
	return c.now
}

// A survey is what one listing shows of the versions in some spans.
type survey struct {
	// spans are in order and apart.
	spans  []span
	latest Version
	clock  clock
	// inside are the versions in the spans.
	inside []dated
	// next has for each span the lowest version between it and the span behind
	// it, with the number 0 where there is none.
	next []dated
	// chain has both in order, and so the successor of each version inside.
	chain []dated
}

// dated is a version and when it was written.
type dated struct {
	number   uint64
	modified time.Time
}

// survey lists the chain as far as the spans need it, and remembers its end. Its
// memory is for the versions in the spans. A chain without versions is
// ErrTableNotFound.
func (t *Table) survey(ctx context.Context, spans []span) (survey, error) {
	began := time.Now()
	s := survey{spans: spans, next: make([]dated, len(spans))}
	in := backends.ListInput{Prefix: t.versions}
	if t.ordered() {
		in.Limit = fullPage
	}
	var schemes MixedSchemesError
	var wide error
	for page, err := range listings(ctx, t.reads, in) {
		if err != nil {
			return s, fmt.Errorf("list versions: %w", err)
		}
		finals := finalsOf(page, in.Prefix)
		if err := schemes.add(finals); err != nil {
			return s, err
		}
		s.clock.see(page)
		for _, v := range finals {
			if v.Number > s.latest.Number || !s.latest.exists() {
				s.latest = v
			}
		}
		// The latest only grows, so that what is too wide stays so; the listing
		// goes on for the latest that the refusal names.
		if wide = checkWidth(spans, s.latest.Number); wide == nil {
			for _, v := range finals {
				s.see(dated{v.Number, v.Modified})
			}
		}
		// V2 names are in order, newest first.
		if t.ordered() && s.latest.Scheme == naming.V2 && len(finals) > 0 &&
			(wide != nil || finals[len(finals)-1].Number < spans[0].start) {
			break
		}
	}
	if !s.latest.exists() {
		return s, t.notFound()
	}
	t.learnList(known{scheme: s.latest.Scheme, end: s.latest, learned: began, listed: began})
	if wide != nil {
		return s, t.withLatest(invalid(wide), s.latest)
	}
	s.sort()
	return s, nil
}

// see takes in a version.
func (s *survey) see(v dated) {
	// The first span that ends behind the version.
	at, _ := slices.BinarySearchFunc(s.spans, v.number, func(p span, number uint64) int {
		if p.end <= number {
			return -1
		}
		return 1
	})
	if at < len(s.spans) && s.spans[at].start <= v.number {
		s.inside = append(s.inside, v)
		return
	}
	if at > 0 && (s.next[at-1].number == 0 || v.number < s.next[at-1].number) {
		s.next[at-1] = v
	}
}

// sort puts the versions in order. An unordered store may list a name twice.
func (s *survey) sort() {
	byNumber := func(a, b dated) int { return cmp.Compare(a.number, b.number) }
	isSame := func(a, b dated) bool { return a.number == b.number }
	slices.SortFunc(s.inside, byNumber)
	s.inside = slices.CompactFunc(s.inside, isSame)
	s.chain = slices.Clone(s.inside)
	for _, v := range s.next {
		if v.number != 0 {
			s.chain = append(s.chain, v)
		}
	}
	slices.SortFunc(s.chain, byNumber)
}

// numbers returns the versions in the spans, oldest first.
func (s *survey) numbers() []uint64 {
	numbers := make([]uint64, len(s.inside))
	for i, v := range s.inside {
		numbers[i] = v.number
	}
	return numbers
}

// isSettled reports whether the successor of a version in the spans is old
// enough by the store's clock.
func (s *survey) isSettled(version uint64) bool {
	at, _ := slices.BinarySearchFunc(s.chain, version+1, func(v dated, number uint64) int { return cmp.Compare(v.number, number) })
	if at == len(s.chain) {
		return false
	}
	successor := s.chain[at].modified
	return !successor.IsZero() && s.clock.atLeast().Sub(successor) >= settled
}
