package committer

import (
	"bytes"
	"time"

	"github.com/lancecommit/lancecommit/naming"
)

// keepManifest is the largest manifest, in bytes, of which a table keeps a copy
// for the next build.
const keepManifest = 8 << 20

// known is what a table remembers of its chain.
type known struct {
	// scheme is that of the names seen, zero while none was.
	scheme naming.Scheme
	// end is the newest version, or one without a key when the chain is empty.
	end Version
	// learned is when end was the end, zero when that is not known. The end is
	// learned by a LIST, or by own commits on top of one, and by nothing else:
	// a HEAD cannot tell the end from a hole that a clean-up left.
	learned time.Time
	// listed is when the last LIST began.
	listed time.Time
	// body is the manifest of end, where this table committed it.
	body []byte
}

// fresh reports whether the end is known well enough to commit on it.
func (k known) fresh(staleAfter time.Duration) bool {
	return !k.learned.IsZero() && elapsed(k.learned) < staleAfter
}

// remember returns what is known.
func (t *Table) remember() known {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known
}

// remembered returns the manifest of v where it is kept.
func (t *Table) remembered(v Version) []byte {
	k := t.remember()
	if k.end.Key == v.Key && k.end.ETag == v.ETag && v.ETag != "" {
		return k.body
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
	if k.end.Key == t.known.end.Key && k.end.ETag == t.known.end.ETag {
		k.body = t.known.body
	}
	t.known = k
}

// learnCommit records an own commit whose PUT was sent at a time.
func (t *Table) learnCommit(v Version, sent time.Time, body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if sent.Before(t.known.learned) && t.known.end.Number > v.Number {
		return
	}
	t.known.scheme, t.known.end, t.known.learned, t.known.body = v.Scheme, v, sent, nil
	if len(body) <= keepManifest {
		t.known.body = bytes.Clone(body)
	}
}

// learnScheme records the scheme of a name that was read.
func (t *Table) learnScheme(scheme naming.Scheme) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known.scheme = scheme
}

// forget makes the next call list.
func (t *Table) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known = known{scheme: t.known.scheme}
}
