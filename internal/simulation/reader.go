package simulation

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
)

// read reads until the world is over.
func (p *process) read() {
	p.start()
	w := &worker{process: p, rng: rand.New(rand.NewPCG(p.rng.Uint64(), 0))}
	for w.goesOn() {
		w.idle()
		if w.rng.IntN(12) == 0 {
			w.versions()
		} else {
			w.latest()
		}
	}
	p.injector.Wait()
}

func (w *world) goesOn() bool {
	select {
	case <-w.over:
		return false
	default:
		return true
	}
}

// holes is for how long a warm table may take the version before a hole for the
// latest.
const holes = time.Minute

// latest asks for the latest version and checks the answer.
func (w *worker) latest() {
	ctx, cancel := w.patience()
	defer cancel()
	from, began := w.truth.tick(), time.Now()
	v, err := w.table.Latest(ctx)
	w.network.dieIfOver(ctx)
	if err != nil && !errors.Is(err, committer.ErrTableNotFound) {
		return
	}
	w.truth.mu.Lock()
	defer w.truth.mu.Unlock()
	w.tracef("process %d: Latest %d", w.id, v.Number)
	if !w.config.consistent() {
		return
	}
	least := w.truth.endAt(from)
	if w.config.CleanUp {
		least = w.truth.endWhen(began.Add(-holes))
	}
	w.shown("Latest", &w.seen, v.Number, least)
}

// shown checks the number of a newest version. The truth is locked.
func (w *worker) shown(what string, seen *uint64, number, least uint64) {
	most := w.truth.lastEnd().number
	if number < *seen || number < least || number > most {
		w.breaks(Forward, "%s of process %d said %d; it had seen %d, and the chain ended at %d to %d",
			what, w.id, number, *seen, least, most)
	}
	*seen = max(*seen, number)
}

// versions lists the table and checks the answer.
func (w *worker) versions() {
	ctx, cancel := w.patience()
	defer cancel()
	from, began := w.truth.tick(), time.Now()
	listed := make(map[uint64]bool)
	var newest, before uint64
	for v, err := range w.table.Versions(ctx, committer.VersionsOptions{}) {
		if err != nil {
			return
		}
		if newest == 0 {
			newest = v.Number
		} else if v.Number >= before {
			w.truth.mu.Lock()
			w.breaks(Forward, "Versions gave %d after %d", v.Number, before)
			w.truth.mu.Unlock()
		}
		before = v.Number
		listed[v.Number] = true
	}
	w.network.dieIfOver(ctx)
	w.truth.mu.Lock()
	defer w.truth.mu.Unlock()
	if !w.config.consistent() {
		return
	}
	if w.endStayed(began) {
		w.shown("Versions", &w.listed, newest, w.truth.endAt(from))
	}
	for _, c := range w.truth.present {
		if c.at < from && !listed[c.version] {
			w.breaks(Forward, "Versions left out %d, which was there all the time", c.version)
		}
	}
}

// watch follows the versions until the world is over.
func (p *process) watch() {
	p.start()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-p.over
		cancel()
	}()
	var after uint64
	for p.goesOn() {
		limited, stop := context.WithTimeout(ctx, 20*time.Second)
		for v, err := range p.table.Watch(limited, after) {
			if err != nil {
				break
			}
			p.watched(v.Number, after)
			after = v.Number
		}
		stop()
	}
	p.injector.Wait()
}

// watched checks that Watch left out no version that is there.
func (p *process) watched(number, after uint64) {
	p.truth.mu.Lock()
	defer p.truth.mu.Unlock()
	if number <= after {
		p.breaks(Forward, "Watch gave %d after %d", number, after)
	}
	if !p.config.consistent() {
		return
	}
	var at moment
	for _, c := range p.truth.present {
		if c.version == number {
			at = c.at
		}
	}
	for _, c := range p.truth.present {
		if c.version > after && c.version < number && c.at < at {
			p.breaks(Forward, "Watch gave %d after %d and left out %d", number, after, c.version)
		}
	}
}

// cleanUp deletes old versions until the world is over. It leaves every tenth,
// as clean-ups leave tags.
func (p *process) cleanUp() {
	p.start()
	for p.goesOn() {
		time.Sleep(time.Duration(p.rng.Int64N(int64(3 * time.Second))))
		for _, key := range p.old() {
			_ = backends.Store(p.network).Delete(context.Background(), key)
		}
	}
}

// old are the versions that have not been the latest for CleanUpAge.
func (p *process) old() (keys []string) {
	p.truth.mu.Lock()
	defer p.truth.mu.Unlock()
	before := p.truth.endWhen(time.Now().Add(-p.config.CleanUpAge))
	for _, c := range p.truth.creates {
		if c.deleted == 0 && c.version < before && c.version%10 != 0 &&
			time.Since(c.time) > p.config.CleanUpAge && p.rng.IntN(4) > 0 {
			keys = append(keys, c.key)
		}
	}
	return keys
}

// endStayed reports whether the end of the chain at a time cannot be cleaned up
// yet. A listing that takes longer comes upon it too late, and can be past the
// names of later versions by then.
func (w *world) endStayed(at time.Time) bool {
	return !w.config.CleanUp || time.Since(at) < w.config.CleanUpAge
}
