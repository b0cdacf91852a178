package committer

import (
	"context"
	"time"
)

// Hooks are functions that are called as a table works. Nil ones are skipped.
// They are called in the goroutine of the call that they speak of, and in its
// turn where it writes, so they must be quick, must not write with the same
// table ([ErrReentrant], see [BuildFunc]), and must be safe for concurrent use
// where the table is used concurrently. One that panics ends the call with its
// panic; what was committed by then stays so.
type Hooks struct {
	// Attempt is called after every conditional PUT.
	Attempt func(context.Context, AttemptInfo)
	// Resolved is called after every look at an object whose state was not
	// known, also after one that failed.
	Resolved func(context.Context, ResolvedInfo)
	// Conflict is called when a version turns out to be taken, also when
	// [Table.Update] will build again.
	Conflict func(context.Context, *ConflictError)
	// Committed is called for every proven commit.
	Committed func(context.Context, CommittedInfo)
}

// AttemptInfo describes one conditional PUT.
type AttemptInfo struct {
	Version uint64
	Key     string
	// Try counts the attempts of this version in this call from 1.
	Try int
	// Elapsed is how long the store took to answer.
	Elapsed time.Duration
	// Err is the answer.
	Err error
}

// ResolvedInfo describes what a look found.
type ResolvedInfo struct {
	Version uint64
	Key     string
	Outcome Outcome
	// Err is why the outcome is Unknown.
	Err error
}

// CommittedInfo describes a commit.
type CommittedInfo struct {
	Version Version
	// Attempts is how many PUTs it took. Zero means that the version was there
	// already with these bytes.
	Attempts int
	// Elapsed is the time since the call, including the wait for its turn.
	Elapsed time.Duration
}

func (t *Table) attempted(ctx context.Context, info AttemptInfo) {
	if t.logger != nil {
		t.log(ctx, "put", "version", info.Version, "try", info.Try, "elapsed", info.Elapsed, "err", info.Err)
	}
	if t.hooks.Attempt != nil {
		t.hooks.Attempt(ctx, info)
	}
}

func (t *Table) resolved(ctx context.Context, info ResolvedInfo) {
	t.log(ctx, "look", "version", info.Version, "outcome", info.Outcome, "err", info.Err)
	if t.hooks.Resolved != nil {
		t.hooks.Resolved(ctx, info)
	}
}

func (t *Table) conflicted(ctx context.Context, conflict *ConflictError) {
	t.log(ctx, "conflict", "version", conflict.Version, "latest", conflict.Latest)
	if t.hooks.Conflict != nil {
		t.hooks.Conflict(ctx, conflict)
	}
}

// startOfCall is when a call begins, for committed. It is zero when nobody would
// be told, and the clock is not read then.
func (c *config) startOfCall() time.Time {
	if !c.tellsCommits() {
		return time.Time{}
	}
	return time.Now()
}

func (c *config) tellsCommits() bool { return c.logger != nil || c.hooks.Committed != nil }

// committed reports a commit by a call that began at a time.
func (t *Table) committed(ctx context.Context, began time.Time, info CommittedInfo) {
	if !t.tellsCommits() {
		return
	}
	info.Elapsed = elapsed(began)
	if t.logger != nil {
		t.log(ctx, "committed", "version", info.Version.Number, "attempts", info.Attempts, "elapsed", info.Elapsed)
	}
	if t.hooks.Committed != nil {
		t.hooks.Committed(ctx, info)
	}
}

func (t *Table) log(ctx context.Context, msg string, args ...any) {
	if t.logger != nil {
		t.logger.DebugContext(ctx, "lancecommit: "+msg, append(args, "root", t.root)...)
	}
}
