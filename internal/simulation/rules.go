package simulation

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

// A Rule is what must hold, as the text of a violation has it.
type Rule string

// The rules.
const (
	OneContent  Rule = "a version has one content for ever"
	Visible     Rule = "success means that the version is there"
	Foreign     Rule = "a conflict means other bytes, or not the next version"
	NeverAppear Rule = "after an error but unknown or stale the bytes never appear"
	Own         Rule = "an Update makes one version, its own"
	NoGap       Rule = "a commit follows the end of the chain"
	StaleIsTrue Rule = "a stale commit is behind the end of the chain"
	Resolves    Rule = "Resolve says what is there"
	Forward     Rule = "the latest version never goes back, and is no older than promised"
	Swept       Rule = "a staged manifest goes when its version is there, or when it is old and its version is taken"
	Progress    Rule = "the table goes on"
)

// A Violation is a rule that a world broke.
type Violation struct {
	Rule Rule
	Text string
}

func (v Violation) String() string { return string(v.Rule) + ": " + v.Text }

// A call is one call of a writing method, or of Resolve.
type call struct {
	name    string
	process int
	update  bool
	version uint64
	// staged is the key of the manifest that a create is of.
	staged string
	// body is what was to be committed; of an Update, what was built last.
	body []byte

	invoked, returned moment
	err               error

	// mu guards what follows: a create reads and lists side by side.
	mu sync.Mutex
	// last is when the store answered last, puts how many creates were sent.
	last time.Time
	puts int
	rng  *rand.Rand
	// creates are what the store made of it.
	creates []*create
	trace   func(string)
}

func (c *call) answered(made intercept.Call, err error) {
	c.mu.Lock()
	c.last = time.Now()
	c.mu.Unlock()
	if c.trace != nil {
		c.trace(fmt.Sprintf("%s: %s: %v", c, made, err))
	}
}

func (c *call) String() string {
	return fmt.Sprintf("%s of version %d by process %d", c.name, c.version, c.process)
}

// open reports whether the caller was not told what became of the call: it
// crashed, or was told so.
func (c *call) open() bool {
	return c.returned == 0 || errors.Is(c.err, committer.ErrUnknownOutcome) || errors.Is(c.err, committer.ErrStaleCommit)
}

// breaks records a violation. The truth is locked.
func (w *world) breaks(rule Rule, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.report.Violations = append(w.report.Violations, Violation{rule, text})
	w.tracef("VIOLATION %s: %s", rule, text)
}

// returned checks what a writing call was told.
func (w *world) returned(c *call, v committer.Version, err error) {
	w.truth.mu.Lock()
	defer w.truth.mu.Unlock()
	w.truth.now++
	c.returned, c.err = w.truth.now, err
	w.count(c, err)
	var conflict *committer.ConflictError
	var stale *committer.StaleCommitError
	switch {
	case err == nil:
		w.succeeded(c, v)
	case errors.Is(err, committer.ErrUnknownOutcome):
	case errors.As(err, &stale):
		for _, made := range c.creates {
			if made.key == stale.Key && made.end+1 != made.version {
				return
			}
		}
		w.breaks(StaleIsTrue, "%s: %v", c, err)
	case errors.As(err, &conflict):
		w.refused(c, conflict)
	}
}

// succeeded checks a call that returned no error.
func (w *world) succeeded(c *call, v committer.Version) {
	for _, made := range w.truth.of[v.Number] {
		if made.key != v.Key || made.etag != v.ETag {
			continue
		}
		switch {
		case c.update && made.by != c:
			w.breaks(Own, "%s took version %d of %v", c, v.Number, made.by)
		case !bytes.Equal(made.body, c.body):
			w.breaks(Visible, "%s succeeded, and the version has other bytes", c)
		case !made.there(c.invoked, c.returned):
			w.breaks(Visible, "%s succeeded, and the version was gone before the call", c)
		}
		return
	}
	w.breaks(Visible, "%s returned %s with ETag %s, which never was there", c, v.Key, v.ETag)
}

// refused checks a call that returned a conflict.
func (w *world) refused(c *call, conflict *committer.ConflictError) {
	if c.update {
		w.breaks(Own, "%s returned a conflict instead of building again", c)
	}
	if conflict.Winner != nil {
		for _, made := range w.truth.of[c.version] {
			if made.etag == conflict.Winner.ETag && !bytes.Equal(made.body, c.body) && made.there(c.invoked, c.returned) {
				return
			}
		}
		w.breaks(Foreign, "%s was refused for a winner that was not there: %v", c, conflict)
		return
	}
	if w.config.consistent() &&
		!w.truth.wasEnd(c.invoked, c.returned, func(end uint64) bool { return end+1 != c.version }) {
		w.breaks(Foreign, "%s was refused, and was the next version all the time: %v", c, conflict)
	}
}

// resolved checks an answer of Resolve.
func (w *world) resolved(c *call, outcome committer.Outcome, err error) {
	w.truth.mu.Lock()
	defer w.truth.mu.Unlock()
	w.truth.now++
	c.returned, c.err = w.truth.now, err
	w.happened("%s: %v", c, outcome)
	same, other := false, false
	for _, made := range w.truth.of[c.version] {
		if made.there(c.invoked, c.returned) {
			same = same || bytes.Equal(made.body, c.body)
			other = other || !bytes.Equal(made.body, c.body)
		}
	}
	ok := err == nil
	switch outcome {
	case committer.Committed:
		ok = ok && same
	case committer.Conflict:
		ok = ok && other
	case committer.Absent:
		ok = ok && (!w.config.consistent() ||
			w.truth.wasEnd(c.invoked, c.returned, func(end uint64) bool { return end < c.version }))
	default:
		ok = err != nil
	}
	if !ok {
		w.breaks(Resolves, "%s: %v, %v", c, outcome, err)
	}
	w.report.Resolved[outcome]++
}

// final checks everything once nothing is under way any more.
func (w *world) final() {
	w.truth.mu.Lock()
	defer w.truth.mu.Unlock()
	for _, c := range w.calls {
		w.judge(c)
	}
	for version, creates := range w.truth.of {
		for _, made := range creates[1:] {
			if !bytes.Equal(made.body, creates[0].body) && (made.by == nil || !made.by.open()) {
				w.breaks(OneContent, "version %d of %v was made again by %v", version, creates[0].by, made.by)
			}
		}
	}
}

// judge checks what the store made of a call against what it was told.
func (w *world) judge(c *call) {
	for i, made := range c.creates {
		if i > 0 && made.version != c.creates[0].version {
			w.breaks(Own, "%s made the versions %d and %d", c, c.creates[0].version, made.version)
		}
		switch {
		case c.open():
		case c.err != nil:
			w.breaks(NeverAppear, "%s made version %d, and was told: %v", c, made.version, c.err)
		case i == 0 && made.end+1 != made.version:
			w.breaks(NoGap, "%s made version %d when the chain ended at %d", c, made.version, made.end)
		}
	}
}
