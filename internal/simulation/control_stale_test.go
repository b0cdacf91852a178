package simulation_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/fault"
	"github.com/lancecommit/lancecommit/internal/simulation"
	"github.com/lancecommit/lancecommit/naming"
)

// The worlds of the controls of staleness: a clean-up removes what others
// committed as soon as it may.

// late has creates that land after a look did not find them, while their writer
// is asked to wait before it sends them again. And it has writers that commit
// again through the same handle when what they know is nearly stale.
func late(c *simulation.Config) {
	c.Processes, c.CleanUp, c.CleanUpAge = 6, true, c.StaleAfter
	c.Lingering, c.NoUpdates = 300, true
	seed := c.Seed
	c.Script = func(process int) *fault.Script {
		rng := rand.New(rand.NewPCG(seed, uint64(process)))
		var puts []string
		for range c.Commits {
			puts = append(puts, fmt.Sprintf("%d,late:%dms,throttled:%dms", rng.IntN(4), 80+rng.IntN(120), 2000+rng.IntN(1000)))
		}
		script, err := fault.Parse("PUT=" + strings.Join(puts, ","))
		if err != nil {
			panic(err)
		}
		return script
	}
}

// asleep has processes that stop before a create, which succeeds all the same.
func asleep(c *simulation.Config) {
	c.CleanUp, c.CleanUpAge = true, c.StaleAfter
	c.Paused, c.LongestPause = 50, 20*time.Second
	c.Retry.AttemptTimeout = time.Minute
}

// The worlds of the controls of staleness hold without what they take away.
func TestTheWorldsOfTheControlsOfStalenessHold(t *testing.T) {
	const worlds = 8
	for _, change := range []func(*simulation.Config){late, asleep} {
		for n := range worlds {
			config := plain(*seed + uint64(n))
			config.Faults = fault.Rates{fault.After: 0.05, fault.Late: 0.05, fault.Denied: 0.1}
			change(&config)
			require.Empty(t, run(t, config).Violations, "%s", config)
		}
	}
}

// answering looks after a create that failed, and answers with success for what
// is there and its own.
type answering struct{ backends.Store }

func (s answering) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	attrs, err := s.Store.PutIfAbsent(ctx, key, body, opts)
	if err != nil {
		if found, headErr := s.Head(ctx, key); headErr == nil && found.Metadata == opts.Metadata {
			return found, nil
		}
	}
	return attrs, err
}

// withoutConfirmation has the listing that follows a create in the same call, and
// confirms it, show what the writer expects.
func withoutConfirmation(store backends.Store) backends.Store {
	return &expected{Store: store, made: make(map[any]uint64), seen: make(map[uint64]backends.Object)}
}

type expected struct {
	backends.Store
	mu sync.Mutex
	// made is the version that a call has created, seen how each version was when
	// it was seen last.
	made map[any]uint64
	seen map[uint64]backends.Object
}

func (s *expected) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	attrs, err := s.Store.PutIfAbsent(ctx, key, body, opts)
	if name := naming.Parse(key[len(naming.Versions(table)):]); err == nil && name.Kind == naming.Final {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.made[simulation.CallOf(ctx)] = name.Version
		s.seen[name.Version] = backends.Object{Key: key, Attrs: attrs}
	}
	return attrs, err
}

func (s *expected) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	if page, confirms := s.confirmation(ctx); confirms {
		return page, nil
	}
	page, err := s.Store.List(ctx, in)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, object := range page.Objects {
		if name := naming.Parse(object.Key[len(in.Prefix):]); name.Kind == naming.Final {
			s.seen[name.Version] = object
		}
	}
	return page, err
}

// confirmation is the page with what a call has made, and what was before.
func (s *expected) confirmation(ctx context.Context) (page backends.Page, confirms bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	version, confirms := s.made[simulation.CallOf(ctx)]
	for _, number := range []uint64{version, version - 1} {
		if object, ok := s.seen[number]; ok {
			page.Objects = append(page.Objects, object)
		}
	}
	return page, confirms
}
