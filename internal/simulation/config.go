package simulation

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/fault"
	"github.com/lancecommit/lancecommit/naming"
)

// root is the table's.
const root = "db/t.lance"

// A Config is one world.
type Config struct {
	Seed uint64
	// Commits is how many versions are made.
	Commits int
	// Processes is how many write, each with Workers goroutines on one table.
	Processes, Workers int
	// Readers is how many processes only read; one of them watches.
	Readers int
	Store   memory.Options
	Scheme  naming.Scheme
	// StaleAfter is that of all tables.
	StaleAfter time.Duration
	// CleanUp is whether versions are deleted that have not been the latest for
	// CleanUpAge.
	CleanUp    bool
	CleanUpAge time.Duration
	// Staged has some of the commits made by CreateTableVersion of a staged
	// manifest.
	Staged bool
	// Sweep is whether old leftovers are there from the begin, and a process
	// sweeps.
	Sweep bool
	// Careless lets the clean-up remove a version that somebody was refused for
	// while that one's own request is still under way. No committer can be right
	// then: it was told of a rival, truly, and its bytes appear all the same once
	// the rival's version is gone.
	Careless bool
	// CrashEvery is the mean life of a process, 0 for ever.
	CrashEvery time.Duration
	// Faults and MaxDelay make the script of each process.
	Faults   fault.Rates
	MaxDelay time.Duration
	// Script, where set, makes the script of a process instead.
	Script func(process int) *fault.Script
	// Slow is how many of 1,000 ways take up to Slowest.
	Slow    int
	Slowest time.Duration
	// Paused is how many of 1,000 creates leave up to LongestPause later than the
	// committer meant them to, as when a machine sleeps.
	Paused       int
	LongestPause time.Duration
	Retry        committer.RetryPolicy
	// Lingering is how many of 1,000 pauses between two calls of a process last
	// nearly StaleAfter: the next call comes at the last moment at which what the
	// handle knows of the chain's end still counts.
	Lingering int
	// NoUpdates leaves the versions to Commit.
	NoUpdates bool
	// Decorate, where set, is put between a process's table and its store.
	Decorate func(backends.Store) backends.Store
	// KeepGoing goes on after a rule was broken.
	KeepGoing bool
	// Trace keeps a line for each request.
	Trace bool
}

// weather is how often faults happen.
var weather = []struct {
	name string
	rate float64
}{{"calm", 0.002}, {"fair", 0.02}, {"rough", 0.08}, {"storm", 0.2}}

// Draw returns the world of a seed.
func Draw(seed uint64, commits int) Config {
	rng := rand.New(rand.NewPCG(seed, 1))
	c := Config{
		Seed:      seed,
		Commits:   commits,
		Processes: 1 + rng.IntN(5),
		Workers:   1 + rng.IntN(2),
		Readers:   1 + rng.IntN(2),
		Store: memory.Options{
			Unordered:  rng.IntN(5) == 0,
			NoMetadata: rng.IntN(5) == 0,
		},
		Scheme:       naming.V2,
		StaleAfter:   5 * time.Second,
		Paused:       rng.IntN(10),
		LongestPause: time.Minute,
		CleanUp:      rng.IntN(3) > 0,
		MaxDelay:     3 * time.Second,
		Slow:         rng.IntN(20),
		Slowest:      []time.Duration{100 * time.Millisecond, 2 * time.Second, 15 * time.Second}[rng.IntN(3)],
		Retry: committer.RetryPolicy{
			MaxElapsed:     []time.Duration{5 * time.Second, 30 * time.Second}[rng.IntN(2)],
			AttemptTimeout: []time.Duration{time.Second, 10 * time.Second}[rng.IntN(2)],
			Grace:          []time.Duration{time.Second, 5 * time.Second}[rng.IntN(2)],
			// The gate makes the pauses.
			MinPause: 1, MaxPause: 1,
		},
	}
	rate := weather[rng.IntN(len(weather))].rate
	if rng.IntN(5) == 0 {
		c.Scheme = naming.V1
	}
	if rate < 0.05 && rng.IntN(2) == 0 {
		// Not so small that a listing which fails often never comes to its end.
		c.Store.PageSize = 1 + rng.IntN(9)
		if c.Store.Unordered || c.Scheme == naming.V1 {
			c.Store.PageSize += 30
		}
	}
	if rng.IntN(5) == 0 {
		c.StaleAfter = 0
	}
	if rng.IntN(3) > 0 {
		c.CrashEvery = time.Duration(5+rng.IntN(60)) * time.Second
	}
	c.Faults = fault.Rates{
		fault.Before: rate, fault.After: rate, fault.Late: rate / 2, fault.Contended: rate / 4,
		fault.Throttled: rate / 4, fault.Stall: rate / 20, fault.Denied: rate / 8,
		fault.Short: rate, fault.Shuffled: rate,
	}
	if rng.IntN(6) == 0 {
		// A create that is sent twice and answered as taken breaks what a store
		// promises. Commit bears it, since equal bytes are one commit, and
		// Update where the metadata says whose they are.
		c.Faults[fault.Duplicate] = rate
		c.NoUpdates = c.Store.NoMetadata
	}
	if rng.IntN(6) == 0 {
		// A listing that is old breaks what is assumed of a store. What holds
		// even then holds as long as nothing is deleted.
		c.Faults[fault.Stale] = rate
		c.CleanUp = false
	}
	c.CleanUpAge = c.StaleAfter
	c.Staged, c.Sweep = rng.IntN(2) == 0, rng.IntN(3) == 0
	c.Lingering = []int{0, 20, 200}[rng.IntN(3)]
	if rng.IntN(2) == 0 {
		c.CleanUpAge += time.Duration(rng.Int64N(int64(c.StaleAfter) + 1))
	}
	return c
}

// longestFlight is how long after the end of its call a request can land.
func (c Config) longestFlight() time.Duration { return c.MaxDelay + c.Slowest + time.Second }

// consistent reports whether listings show what is there.
func (c Config) consistent() bool { return c.Faults[fault.Stale] == 0 }

// String describes the world in one line.
func (c Config) String() string {
	return fmt.Sprintf("seed %d: %d commits, %d processes of %d, %d readers, store %+v, %v, stale after %v, clean-up %v after %v, "+
		"staged %v, sweep %v, crash every %v, faults %v up to %v, slow %d‰ up to %v, paused %d‰ up to %v, lingering %d‰, retry %+v",
		c.Seed, c.Commits, c.Processes, c.Workers, c.Readers, c.Store, c.Scheme, c.StaleAfter, c.CleanUp, c.CleanUpAge,
		c.Staged, c.Sweep, c.CrashEvery, c.Faults, c.MaxDelay, c.Slow, c.Slowest, c.Paused, c.LongestPause, c.Lingering, c.Retry)
}
