package simulation_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/fault"
	"github.com/lancecommit/lancecommit/internal/simulation"
	"github.com/lancecommit/lancecommit/naming"
)

// A simulation that finds nothing proves nothing unless it finds what is there
// to find. Each control takes away one thing that makes a commit certain, and
// must break the rule that rests on it.
func TestControls(t *testing.T) {
	const within = 4_000 // commits
	for _, tc := range []struct {
		name   string
		faults fault.Rates
		change func(*simulation.Config)
		breaks simulation.Rule
	}{
		{
			name:   "no look: what failed and is taken counts as others'",
			faults: fault.Rates{fault.After: 0.05},
			change: func(c *simulation.Config) { c.NoUpdates, c.Decorate = true, withoutLook },
			breaks: simulation.NeverAppear,
		},
		{
			name:   "no look, and a client that repeats creates by itself",
			faults: fault.Rates{fault.After: 0.05},
			change: func(c *simulation.Config) {
				c.Decorate = func(s backends.Store) backends.Store { return withoutLook(repeating{s}) }
			},
			breaks: simulation.Own,
		},
		{
			name:   "an unknown outcome does not stick",
			faults: fault.Rates{fault.Late: 0.05, fault.Denied: 0.1},
			change: func(c *simulation.Config) {
				c.Decorate = func(s backends.Store) backends.Store { return undoubting{s} }
			},
			breaks: simulation.NeverAppear,
		},
		{
			name: "the end of the chain is learned by HEAD, where a clean-up leaves holes",
			change: func(c *simulation.Config) {
				c.CleanUp, c.CrashEvery, c.KeepGoing = true, 20*time.Second, true
				c.Decorate = func(s backends.Store) backends.Store { return &probing{Store: s, known: 1} }
			},
			breaks: simulation.NoGap,
		},
		{
			name:   "a clean-up removes a winner before the loser's request has landed",
			faults: fault.Rates{fault.Late: 0.1},
			change: func(c *simulation.Config) { c.CleanUp, c.CleanUpAge, c.Careless = true, 0, true },
			breaks: simulation.NeverAppear,
		},
		{
			name: "a commit that a look proved counts as one that was answered",
			change: func(c *simulation.Config) {
				late(c)
				c.Decorate = func(s backends.Store) backends.Store { return answering{s} }
			},
			breaks: simulation.NoGap,
		},
		{
			name: "a success that comes late is not confirmed",
			change: func(c *simulation.Config) {
				asleep(c)
				c.Decorate = withoutConfirmation
			},
			breaks: simulation.NoGap,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			broken := make(map[simulation.Rule]int)
			made := 0
			for seed := *seed; made < within && broken[tc.breaks] == 0; seed++ {
				config := plain(seed)
				config.Faults = tc.faults
				tc.change(&config)
				report := run(t, config)
				made += report.Commits
				for _, violation := range report.Violations {
					broken[violation.Rule]++
				}
			}
			t.Logf("after %d commits: %v", made, broken)
			require.Positive(t, broken[tc.breaks], "the rule that it must break: %s", tc.breaks)
		})
	}
}

// The world of the controls holds without what they take away.
func TestTheWorldOfTheControlsHolds(t *testing.T) {
	for _, cleanUp := range []bool{false, true} {
		config := plain(*seed)
		config.CleanUp, config.CrashEvery = cleanUp, 20*time.Second
		config.Faults = fault.Rates{fault.After: 0.05, fault.Late: 0.05, fault.Denied: 0.1}
		require.Empty(t, run(t, config).Violations)
	}
}

// A create that something in between sends twice harms nobody who looks.
func TestTheWorldOfTheControlsHoldsWhereCreatesAreSentTwice(t *testing.T) {
	config := plain(*seed)
	config.Faults = fault.Rates{fault.After: 0.05, fault.Duplicate: 0.1}
	require.Empty(t, run(t, config).Violations)
}

// plain is a world without faults.
func plain(seed uint64) simulation.Config {
	config := simulation.Draw(seed, 250)
	config.Processes, config.Workers = 4, 1
	config.Store.Unordered, config.Store.PageSize, config.Store.NoMetadata = false, 0, false
	config.Scheme = naming.V2
	config.StaleAfter = 5 * time.Second
	config.MaxDelay, config.Slow, config.Paused = 3*time.Second, 0, 0
	config.CleanUp, config.CleanUpAge = false, 10*time.Second
	config.CrashEvery, config.Lingering = 0, 0
	config.NoUpdates = false
	return config
}

// withoutLook makes the look after a create that failed find others' bytes.
func withoutLook(store backends.Store) backends.Store {
	return &blind{Store: store, failed: make(map[string]bool)}
}

type blind struct {
	backends.Store
	mu     sync.Mutex
	failed map[string]bool
}

func (s *blind) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	attrs, err := s.Store.PutIfAbsent(ctx, key, body, opts)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed[key] = err != nil
	return attrs, err
}

func (s *blind) Head(ctx context.Context, key string) (backends.Attrs, error) {
	attrs, err := s.Store.Head(ctx, key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.failed[key] {
		attrs.Size++ // others', as their size tells
	}
	return attrs, err
}

// repeating sends a create again whose outcome is not known, as SDKs do.
type repeating struct{ backends.Store }

func (s repeating) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (attrs backends.Attrs, err error) {
	for range 3 {
		attrs, err = s.Store.PutIfAbsent(ctx, key, body, opts)
		if err == nil || backends.IsDefinite(err) {
			break
		}
	}
	return attrs, err
}

// undoubting says of every create that failed that nothing was written.
type undoubting struct{ backends.Store }

func (s undoubting) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	attrs, err := s.Store.PutIfAbsent(ctx, key, body, opts)
	if err != nil && !backends.IsDefinite(err) {
		err = &backends.Error{Op: "put", Key: key, Err: backends.ErrThrottled}
	}
	return attrs, err
}

// probing lists what it finds going up from the newest version that it knows.
type probing struct {
	backends.Store
	mu    sync.Mutex
	known uint64
}

func (s *probing) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	s.mu.Lock()
	next := s.known
	s.mu.Unlock()
	var page backends.Page
	for ; ; next++ {
		key := in.Prefix + naming.V2.Final(next)
		attrs, err := s.Head(ctx, key)
		if errors.Is(err, backends.ErrNotExist) {
			break
		}
		if err != nil {
			return backends.Page{}, err
		}
		attrs.Metadata = ""
		page.Objects = slices.Insert(page.Objects, 0, backends.Object{Key: key, Attrs: attrs})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = max(s.known, next-1)
	return page, nil
}
