// Package backendtest is the suite that every store must pass, a stranger's
// included. Each subtest is one rule of the contract in package backends, and
// its name says the rule.
//
//	func TestStore(t *testing.T) {
//		backendtest.Run(t, backendtest.Config{
//			New: func(t testing.TB) backends.Store { return memory.New(memory.Options{}) },
//		})
//	}
//
// A store that several processes can share also sets Config.Address and calls
// [Child] in its TestMain.
package backendtest

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// A Config says what to test, and how far.
type Config struct {
	// New returns a store that is empty, or an empty folder of one. It is
	// called once a rule. What must be closed is left to t.Cleanup.
	New func(t testing.TB) backends.Store
	// Keys is how many keys the races are about. Zero means 200.
	Keys int
	// Inject lays an object under a key that no create could name, such as the
	// marker of a folder "t/_versions/". Nil leaves such objects out.
	Inject func(t testing.TB, store backends.Store, key string, body []byte)
	// Address returns what another process needs to open the same store. Nil
	// leaves the race of processes out.
	Address func(t testing.TB, store backends.Store) string
}

const defaultKeys = 200

// Run tests a store, one subtest a rule.
func Run(t *testing.T, cfg Config) {
	if cfg.Keys == 0 {
		cfg.Keys = defaultKeys
	}
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			store := cfg.New(t)
			s := subject{Store: store, keys: cfg.Keys}
			if cfg.Inject != nil {
				s.inject = func(key string, body []byte) { cfg.Inject(t, store, key, body) }
			}
			r.check(t.Context(), t, s)
		})
	}
	if cfg.Address != nil {
		t.Run("of the creates of one key by several processes exactly one wins", func(t *testing.T) {
			store := cfg.New(t)
			raceProcesses(t.Context(), t, store, cfg.Address(t, store), cfg.Keys)
		})
	}
}

// A rule is one promise of the contract.
type rule struct {
	name  string
	check func(ctx context.Context, t reporter, s subject)
}

// rules returns all of them.
func rules() []rule {
	return slices.Concat(creating, keeping, reading, deleting, naming, cancelling, listing, racing, overwriting, bulkDeleting)
}

// A reporter is as much of testing.T as a rule needs. It is small so that the
// suite's own test can watch a rule fail.
type reporter interface {
	require.TestingT
	Helper()
}

// A subject is an empty store under test.
type subject struct {
	backends.Store
	keys int
	// inject is nil where the store has no such way.
	inject func(key string, body []byte)
}
