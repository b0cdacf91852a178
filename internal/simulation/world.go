package simulation

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/fault"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

// longest bounds a world in fake time.
const longest = 6 * time.Hour

type world struct {
	config Config
	truth  *truth
	began  time.Time
	// over ends the readers and the clean-up.
	over chan struct{}

	// These are guarded by truth.mu.
	calls    []*call
	report   Report
	stagings int

	scripts []*fault.Script
}

// Run runs a world to its end. It must be called inside a bubble of
// testing/synctest.
func Run(config Config) Report {
	w := &world{
		config: config, truth: newTruth(config.Store), over: make(chan struct{}),
		report: newReport(),
	}
	w.truth.removed = w.unstaged
	if config.Sweep {
		w.layLeftovers()
	}
	w.began = time.Now()
	w.truth.landed = func(c *create) { w.happened("version %d landed by %v, after %d", c.version, c.by, c.end) }
	var writers, others sync.WaitGroup
	for i := range config.Processes {
		p := w.newProcess(i)
		writers.Go(p.run)
	}
	for i := range config.Readers {
		p := w.newProcess(config.Processes + i)
		if i == 0 {
			others.Go(p.read)
		} else {
			others.Go(p.watch)
		}
	}
	if config.CleanUp {
		p := w.newProcess(config.Processes + config.Readers)
		others.Go(p.cleanUp)
	}
	if config.Sweep {
		p := w.newProcess(config.Processes + config.Readers + 1)
		others.Go(p.sweep)
	}
	writers.Wait()
	close(w.over)
	others.Wait()
	// What is still under way lands.
	time.Sleep(config.MaxDelay + config.Slowest + time.Minute)
	w.final()
	return w.finish()
}

func (w *world) finish() Report {
	w.truth.mu.Lock()
	defer w.truth.mu.Unlock()
	w.report.Commits = len(w.truth.creates)
	for _, made := range w.truth.creates {
		if made.by != nil && made.by.staged != "" {
			w.report.Created++
		}
		if made.deleted != 0 {
			w.report.Deleted++
		}
	}
	for _, script := range w.scripts {
		w.report.Scripts = append(w.report.Scripts, script.String())
		for kind, n := range script.Counts() {
			w.report.Faults[kind] += n
		}
	}
	if w.report.Commits < w.config.Commits && len(w.report.Violations) == 0 {
		w.breaks(Progress, "%d of %d commits in %v", w.report.Commits, w.config.Commits, longest)
	}
	w.report.Elapsed = time.Since(w.began)
	return w.report
}

// more reports whether the world goes on.
func (w *world) more() bool {
	w.truth.mu.Lock()
	defer w.truth.mu.Unlock()
	fine := len(w.report.Violations) == 0 || w.config.KeepGoing
	return fine && len(w.truth.creates) < w.config.Commits && time.Since(w.began) < longest
}

// happened adds to the fingerprint and the trace. The truth is locked.
func (w *world) happened(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.report.Fingerprint = crc32.Update(w.report.Fingerprint, crc32.IEEETable, fmt.Append(nil, time.Since(w.began), text))
	w.tracef("%s", text)
}

// tracef adds a line. The truth is locked, or nothing else runs.
func (w *world) tracef(format string, args ...any) {
	if w.config.Trace {
		w.report.Trace = append(w.report.Trace, fmt.Sprintf("%-16v ", time.Since(w.began))+fmt.Sprintf(format, args...))
	}
}

// count counts an answer by its sentinel.
func (w *world) count(c *call, err error) {
	name := "other"
	for _, known := range []struct {
		name string
		err  error
	}{
		{"conflict", committer.ErrConflict}, {"unknown", committer.ErrUnknownOutcome}, {"stale", committer.ErrStaleCommit},
		{"contention", committer.ErrContention}, {"inconsistent", committer.ErrInconsistentStore},
		{"denied", backends.ErrPermission}, {"throttled", backends.ErrThrottled},
		{"cancelled", context.Canceled}, {"out of time", context.DeadlineExceeded},
	} {
		if errors.Is(err, known.err) {
			name = known.name
			break
		}
	}
	if err == nil {
		name = "committed"
	}
	w.report.Answers[name]++
	w.happened("%s ended: %s", c, name)
	w.tracef("%v", err)
}

// A process has a network, faults and, from crash to crash, a table of its own.
type process struct {
	*world
	id  int
	rng *rand.Rand
	// script goes on through crashes.
	script   *fault.Script
	injector *fault.Injector
	network  *network
	table    *committer.Table
	// namespace is another handle of the same table.
	namespace *committer.Namespace
}

func (w *world) newProcess(id int) *process {
	seed := w.config.Seed
	script := fault.FromSeed(rand.New(rand.NewPCG(seed, uint64(id)+100)).Uint64(), w.config.Faults, w.config.MaxDelay)
	if w.config.Script != nil {
		script = w.config.Script(id)
	}
	w.scripts = append(w.scripts, script)
	return &process{
		world: w, id: id, rng: rand.New(rand.NewPCG(seed, uint64(id)+200)),
		script: script, injector: fault.New(script),
	}
}

// start begins a life with a new table.
func (p *process) start() *life {
	l := &life{over: make(chan struct{})}
	p.network = &network{
		truth: p.truth, life: l, slow: p.config.Slow, slowest: p.config.Slowest,
		paused: p.config.Paused, longest: p.config.LongestPause,
		rng: rand.New(rand.NewPCG(p.rng.Uint64(), 0)),
	}
	if !p.config.Careless {
		p.network.flight = p.config.longestFlight()
	}
	store := p.injector.Store(p.network)
	if p.config.Decorate != nil {
		store = p.config.Decorate(store)
	}
	gated := intercept.Wrap(store, p.network.gate)
	options := []committer.Option{
		committer.WithScheme(p.config.Scheme), committer.WithStaleAfter(p.config.StaleAfter), committer.WithRetry(p.config.Retry),
	}
	p.table = committer.NewTable(gated, root, options...)
	p.namespace = committer.NewNamespace(gated, root, append(options, committer.AtTable())...)
	return l
}

// newCall registers a call and returns the context for it.
func (p *process) newCall(ctx context.Context, rng *rand.Rand, c *call) context.Context {
	w := p.world
	w.truth.mu.Lock()
	defer w.truth.mu.Unlock()
	w.truth.now++
	c.process, c.invoked, c.last = p.id, w.truth.now, time.Now()
	if w.config.Trace {
		c.trace = func(line string) {
			w.truth.mu.Lock()
			defer w.truth.mu.Unlock()
			w.tracef("%s", line)
		}
	}
	c.rng = rand.New(rand.NewPCG(rng.Uint64(), 0))
	w.calls = append(w.calls, c)
	return context.WithValue(ctx, callKey{}, c)
}
