package committer

import (
	"bytes"
	"time"

	"github.com/lancecommit/lancecommit/naming"
)

// known is what a table remembers of its chain.
type known struct {
	// scheme is that of the names seen, zero while none was.
	scheme naming.Scheme
	// end is the newest version, or one without a key when the chain is empty.
	end Version
	// learned is a moment at which end was the newest version, zero when none is
	// known. After moveOn it is a moment at which an earlier version was, and what
	// follows that one is younger. It is learned by a LIST, or by own commits on top
	// of one, and by nothing else: a HEAD cannot tell the end from a hole that a
	// clean-up left.
	learned time.Time
	// passed is when an end was learned that others have gone past, while the end is
	// not known.
	passed time.Time
	// listed is when the last LIST began.
	listed time.Time
	// replaced says that the end is not the object that it was: the table was
	// dropped and made again, and its writer does not know.
	replaced bool
	// body is the manifest of end, where this table committed it. The next commit
	// writes over it, so that only remembered reads it.
	body []byte
}

// fresh reports whether the end is known well enough to commit on it now.
func (k known) fresh(staleAfter time.Duration, now time.Time) bool {
	return !k.learned.IsZero() && between(k.learned, now) < staleAfter
}

// remember returns what is known.
func (t *Table) remember() known {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known
}

// wasOvertaken reports whether a listing that has just ended came to less than was
// seen before, and took longer than StaleAfter: a clean-up can have removed what was
// the end when it began. See pages.
func (t *Table) wasOvertaken(k known) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return elapsed(k.listed) >= t.staleAfter && k.end.Number < t.seen.Number
}

// remembered returns a copy of the manifest of v where it is kept.
func (t *Table) remembered(v Version) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if end := t.known.end; end.Key == v.Key && end.ETag == v.ETag && v.ETag != "" {
		return bytes.Clone(t.known.body)
	}
	return nil
}

// learnList records what a LIST showed, unless more recent knowledge is there:
// the LIST may lie before an own commit.
func (t *Table) learnList(k known) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k.learned.Before(t.known.learned) {
		return
	}
	k.replaced = t.known.replaced
	switch same := k.end.Number == t.seen.Number; {
	case same && k.end.ETag == t.seen.ETag:
		k.body = t.known.body
	case same && k.end.ETag != "" && t.seen.ETag != "":
		k.replaced = true
	}
	t.known, t.seen = k, k.end
}

// isReplaced reports whether the table was made again since its writer last
// looked, and takes it that the writer knows from now on.
func (t *Table) isReplaced() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	replaced := t.known.replaced
	t.known.replaced = false
	return replaced
}

// showed says that the writer was shown an end of the chain, empty for none. Where it
// is the last one seen, the writer knows the table as it is.
func (t *Table) showed(end Version) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if end.Key == t.seen.Key && end.ETag == t.seen.ETag {
		t.known.replaced = false
	}
}

// learnCommit records an own commit. No version followed it at the time learned.
func (t *Table) learnCommit(v Version, learned time.Time, body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if learned.Before(t.known.learned) && t.known.end.Number > v.Number {
		return
	}
	t.known.scheme, t.known.end, t.known.learned, t.known.passed, t.seen = v.Scheme, v, learned, time.Time{}, v
	if len(body) <= t.keepUpTo {
		t.known.body = append(t.known.body[:0], body...)
	} else {
		t.known.body = nil
	}
}

// learnScheme records the scheme of a name that was read. What was known of a
// chain with other names is about a table that is no more.
func (t *Table) learnScheme(scheme naming.Scheme) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known.scheme != scheme {
		t.known = known{scheme: scheme}
	}
}

// othersPassed says that others have gone past the end. The next call lists, unless
// moveOn comes before.
func (t *Table) othersPassed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.passEnd()
}

// saw says that a version was there. Behind the end that is no news. Past it, others
// have gone on: a Latest that looked for the next version only could miss what was
// seen, after a clean-up.
func (t *Table) saw(version uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if version > t.known.end.Number {
		t.passEnd()
	}
}

// passEnd is othersPassed for who has the lock.
func (t *Table) passEnd() {
	k := t.known
	if !k.learned.IsZero() {
		k.passed = k.learned
	}
	t.known = known{scheme: k.scheme, replaced: k.replaced, listed: k.listed, passed: k.passed}
}

// moveOn makes v, a version of others that is there, the end of the chain to commit
// on. It is false when v is not past the end seen last, or that end is not fresh until
// a time. While it is, nobody removes what was made after it, so there is no hole
// before v, and the create of the next version tells whether v is the end. What is
// known stays as old as it was: a HEAD makes it no younger.
func (t *Table) moveOn(v Version, until time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := known{scheme: v.Scheme, end: v, learned: t.known.learned, listed: t.known.listed, replaced: t.known.replaced}
	if k.learned.IsZero() {
		k.learned = t.known.passed
	}
	// Another call can have listed meanwhile, and what is fresh is its end: v may be
	// long before that, and what follows v cleaned up.
	if v.Number <= t.seen.Number || !k.fresh(t.staleAfter, until) {
		return false
	}
	t.known, t.seen = k, v
	return true
}

// forget makes the next call list.
func (t *Table) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known = known{scheme: t.known.scheme, replaced: t.known.replaced}
}
