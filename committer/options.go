package committer

import (
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/naming"
)

// An Option sets up a [Table] or a [Namespace]. A nil one says nothing.
type Option func(*config)

type config struct {
	branch     string
	newBranch  uint64
	isNew      bool
	scheme     naming.Scheme
	staleAfter time.Duration
	retry      RetryPolicy
	hooks      Hooks
	logger     *slog.Logger
	hint       bool
	watchEvery time.Duration
	// keepUpTo is the largest manifest, in bytes, that a handle keeps for the
	// next build.
	keepUpTo int

	// Of a namespace.
	atTable, keepStaged, allowManaged bool
}

func newConfig(opts []Option) config {
	c := config{
		scheme:     naming.V2,
		staleAfter: 5 * time.Second,
		hint:       hintFromEnvironment(),
		watchEvery: time.Second,
		keepUpTo:   8 << 20,
	}
	for _, opt := range opts {
		if opt != nil {
			opt(&c)
		}
	}
	c.retry = c.retry.withDefaults()
	return c
}

// hintFromEnvironment reads the switch that Lance has for the hint file.
func hintFromEnvironment() bool {
	switch strings.ToLower(os.Getenv("LANCE_USE_VERSION_HINT")) {
	case "0", "false", "off":
		return false
	default:
		return true
	}
}

// WithBranch works on a branch of the table. "main" and the empty name are the
// table's own root. The branch must have a ref, which LanceDB writes when it
// makes the branch; without it calls fail with [ErrBranchNotFound]. The ref is
// read once and remembered for a minute, at one GET; two where the name has a
// slash and the store keeps it as it is.
func WithBranch(name string) Option {
	return func(c *config) { c.branch = name }
}

// WithNewBranch lets a table with [WithBranch] commit the first version of a
// branch that has no ref yet. That version has the number of the one that it
// forks from, its parent version. All later ones need the ref, so that a
// writer that stalls cannot revive a deleted branch.
func WithNewBranch(parentVersion uint64) Option {
	return func(c *config) { c.newBranch, c.isNew = parentVersion, true }
}

// WithScheme sets the naming scheme of a table that has no versions yet. The
// default is V2. Where there are versions, their scheme wins. All who make a
// table must ask for the same: version 1 has another name in each scheme, so
// that two writers who differ both succeed and leave [ErrMixedSchemes].
func WithScheme(scheme naming.Scheme) Option {
	return func(c *config) { c.scheme = scheme }
}

// WithStaleAfter sets for how long the end of the chain counts as known after
// it was learned. The default is 5 s. A commit that starts later lists first,
// and one whose answer comes later lists again to prove that it is not stale.
//
// Inside that time the assumption is that nobody deletes the newest versions.
// Zero verifies every commit, for tables whose clean-up runs with an age near
// zero; a commit then costs two LISTs more, an Update three, and V1 names are
// listed one page after the other.
func WithStaleAfter(d time.Duration) Option {
	return func(c *config) { c.staleAfter = max(d, 0) }
}

// WithRetry sets the retry policy.
func WithRetry(policy RetryPolicy) Option {
	return func(c *config) { c.retry = policy }
}

// WithHooks sets functions that are called as the table works.
func WithHooks(hooks Hooks) Option {
	return func(c *config) { c.hooks = hooks }
}

// WithLogger logs every request's outcome at debug level. A table without a
// logger does not log.
func WithLogger(logger *slog.Logger) Option {
	return func(c *config) { c.logger = logger }
}

// WithVersionHint says whether commits on an unordered store write the hint
// file for Lance's readers. The default is true, unless the environment has
// LANCE_USE_VERSION_HINT set to 0, false or off.
func WithVersionHint(write bool) Option {
	return func(c *config) { c.hint = write }
}

// WithWatchInterval sets how often [Table.Watch] lists. The default is 1 s.
func WithWatchInterval(d time.Duration) Option {
	return func(c *config) { c.watchEvery = max(d, time.Millisecond) }
}

// AtTable makes the root of a [Namespace] the location of one table. Ids are not
// looked at then, and there is no catalog to ask. It is the way to tables of
// child namespaces, and to any other whose place is known.
func AtTable() Option {
	return func(c *config) { c.atTable = true }
}

// KeepStaged leaves a staged manifest where it is after its version is
// committed. [Table.Sweep] removes it later.
func KeepStaged() Option {
	return func(c *config) { c.keepStaged = true }
}

// WithCatalogManaged lets a [Namespace] write versions of tables whose catalog
// keeps the versions itself. Readers that ask the catalog do not see them, so
// this is for repairs by somebody who tells the catalog, too.
func WithCatalogManaged() Option {
	return func(c *config) { c.allowManaged = true }
}
