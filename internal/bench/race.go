package bench

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/lancecommit/lancecommit/committer"
)

const (
	// openShare is the part of a race's time in which updates begin. In the rest
	// those under way come to their end.
	openShare = 0.75
	// enough is how many commits a writer must have in the mean before the share
	// of the slowest says anything.
	enough = 4
)

// A race is writers of one table on their way.
type race struct {
	bench *bench
	// last is the version that nothing is committed beyond.
	last uint64
	// Updates begin from began until open, and go on until closes. Where nothing
	// was committed by then, they go on until something is.
	began, open, closes time.Time
	ended               chan struct{}
	logs                []writerLog

	mu        sync.Mutex
	committed int
	// full says that there are as many versions as there may be, and lost that a
	// writer had to give up, which ends the race.
	full, lost bool
}

// A writerLog is what one writer did.
type writerLog struct {
	took   []time.Duration
	at     []time.Time // when an update was committed
	cutOff []time.Duration
	// stopped is how many updates the limit of objects ended.
	stopped  int
	failures failures
	err      error
}

// run has all writers begin at the same moment, and ends when all have.
func (r *race) run(ctx context.Context, tables []*committer.Table) {
	defer close(r.ended)
	var running sync.WaitGroup
	for i, table := range tables {
		running.Go(func() { r.write(ctx, table, &r.logs[i]) })
	}
	running.Wait()
}

// watch waits for the end.
func (r *race) watch(progress func()) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-r.ended:
			return
		case <-ticker.C:
			progress()
		}
	}
}

// Why an update ends without a commit.
var (
	errCutOff = errors.New("the time is up")
	errFull   = errors.New("there are as many versions as there may be")
)

// write updates the table again and again.
func (r *race) write(ctx context.Context, table *committer.Table, log *writerLog) {
	for r.goesOn(r.open) {
		began := time.Now()
		_, err := table.Update(ctx, func(ctx context.Context, base committer.Version) ([]byte, error) {
			return r.build(ctx, table, base)
		})
		ended := time.Now()
		switch {
		case errors.Is(err, errCutOff), errors.Is(err, committer.ErrContention):
			log.cutOff = append(log.cutOff, ended.Sub(began))
			continue
		case errors.Is(err, errFull):
			log.stopped++
			return
		case err == nil:
			r.mu.Lock()
			r.committed++
			r.mu.Unlock()
			log.took, log.at = append(log.took, ended.Sub(began)), append(log.at, ended)
		}
		if log.err = log.failures.add(ctx, err); log.err != nil {
			r.mu.Lock()
			r.lost = true
			r.mu.Unlock()
			return
		}
	}
}

// build does what a writer does: it reads the manifest that it builds on. It ends
// an update when it is time, before anything is written.
func (r *race) build(ctx context.Context, table *committer.Table, base committer.Version) ([]byte, error) {
	switch next := base.Number + 1; {
	case !r.goesOn(r.closes):
		return nil, errCutOff
	case next > r.last:
		r.mu.Lock()
		r.full = true
		r.mu.Unlock()
		return nil, errFull
	default:
		if _, err := table.ReadManifest(ctx, base); err != nil {
			return nil, err
		}
		return r.bench.manifest(next)
	}
}

// goesOn reports whether the time until then is not used up. Where nothing was
// committed yet, it is not.
func (r *race) goesOn(until time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bench.over() == nil && !r.lost && (time.Now().Before(until) || r.committed == 0)
}

// err returns why a writer had to give up.
func (r *race) err() error {
	for _, log := range r.logs {
		if log.err != nil {
			return log.err
		}
	}
	return nil
}

// result sums the race up.
func (r *race) result() Contention {
	c := Contention{Writers: len(r.logs)}
	var times []time.Duration
	var at []time.Time
	fewest := len(r.logs[0].took)
	for _, log := range r.logs {
		times = append(append(times, log.took...), log.cutOff...)
		at = append(at, log.at...)
		c.Commits += len(log.took)
		c.CutOff += len(log.cutOff) + log.stopped
		c.Failed += log.failures.all
		fewest = min(fewest, len(log.took))
	}
	c.Times = timesOf(times)
	c.PerSecond = rounded(r.perSecond(at), 1)
	if mean := float64(c.Commits) / float64(c.Writers); mean >= enough {
		share := rounded(float64(fewest)/mean, 2)
		c.Slowest = &share
	}
	return c
}

// perSecond is the rate of commits while all writers were at work.
func (r *race) perSecond(at []time.Time) float64 {
	if len(at) == 0 {
		return 0
	}
	slices.SortFunc(at, time.Time.Compare)
	end, n := r.open, 0
	for _, one := range at {
		if !one.After(r.open) {
			n++
		}
	}
	if n == 0 || r.full {
		// All that there is, up to the last.
		n, end = len(at), at[len(at)-1]
	}
	return float64(n) / end.Sub(r.began).Seconds()
}
