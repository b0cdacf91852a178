package simulation

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

// run lives and crashes and lives again, until the world is over.
func (p *process) run() {
	workers := make([]*worker, p.config.Workers)
	for i := range workers {
		workers[i] = &worker{process: p, rng: rand.New(rand.NewPCG(p.rng.Uint64(), 0))}
	}
	for p.more() {
		l := p.start()
		var crash *time.Timer
		if mean := p.config.CrashEvery; mean > 0 {
			crash = time.AfterFunc(time.Duration(p.rng.ExpFloat64()*float64(mean)), func() { close(l.over) })
		}
		var busy sync.WaitGroup
		for _, w := range workers {
			busy.Go(w.work)
		}
		busy.Wait()
		if crash != nil {
			crash.Stop()
		}
		if l.isOver() {
			p.crashed()
			time.Sleep(time.Duration(p.rng.Int64N(int64(2 * time.Second))))
		}
	}
	p.injector.Wait()
}

func (p *process) crashed() {
	p.truth.mu.Lock()
	defer p.truth.mu.Unlock()
	p.report.Crashes++
	p.tracef("process %d crashed", p.id)
}

// A worker is a goroutine of a process. What it has in hand outlives a crash, as
// a file would.
type worker struct {
	*process
	rng *rand.Rand
	// pending is the commit whose outcome it does not know.
	pending *call
	// seen is the newest version that Latest showed it, or that it committed;
	// listed the newest that Versions showed.
	seen, listed uint64
	made         int
}

func (w *worker) work() {
	life := w.network.life
	if w.pending != nil {
		w.settle()
	}
	for w.more() && !life.isOver() {
		w.idle()
		switch at := w.rng.IntN(100); {
		case at < 45 && !w.config.NoUpdates:
			w.update()
		case at < 60 && w.config.Staged:
			w.create()
		case at < 80:
			w.commitNext()
		case at < 88:
			w.commitAnything()
		case at < 98:
			w.latest()
		default:
			w.versions()
		}
	}
}

// idle is a pause, sometimes so long that the end of the chain grows stale, or
// nearly.
func (w *worker) idle() {
	if w.rng.IntN(1000) < w.config.Lingering {
		stale := w.config.StaleAfter
		time.Sleep(stale - time.Duration(w.rng.Int64N(int64(stale/10)+1)))
		return
	}
	switch at := w.rng.IntN(100); {
	case at < 50:
		time.Sleep(time.Duration(w.rng.Int64N(int64(20 * time.Millisecond))))
	case at < 97:
		time.Sleep(time.Duration(w.rng.Int64N(int64(500 * time.Millisecond))))
	default:
		time.Sleep(time.Duration(w.rng.Int64N(int64(8 * time.Second))))
	}
}

// patience is how long calls may take.
func (w *worker) patience() (context.Context, context.CancelFunc) {
	d := 20*time.Second + time.Duration(w.rng.Int64N(int64(20*time.Second)))
	if w.rng.IntN(20) == 0 {
		d = time.Duration(w.rng.Int64N(int64(500 * time.Millisecond)))
	}
	return context.WithTimeout(context.Background(), d)
}

// manifest makes bytes that only this call has or, sometimes, that others make,
// too. All have one size, so that no look is done at the size.
func (w *worker) manifest(version uint64) []byte {
	w.made++
	note := fmt.Sprintf("%03d/%06d", w.id, w.made)
	if w.rng.IntN(5) == 0 {
		note = "the same.."
	}
	return testmanifest.New(version, "", note)
}

func (w *worker) update() {
	ctx, cancel := w.patience()
	defer cancel()
	c := &call{name: "Update", update: true}
	ctx = w.newCall(ctx, w.rng, c)
	w.pending = c
	v, err := w.table.Update(ctx, func(ctx context.Context, base committer.Version) ([]byte, error) {
		if w.rng.IntN(10) == 0 && base.Key != "" {
			if _, err := w.table.ReadManifest(ctx, base); err != nil {
				return nil, err
			}
		}
		if w.rng.IntN(50) == 0 {
			time.Sleep(time.Duration(w.rng.Int64N(int64(8 * time.Second))))
			c.last = time.Now()
		}
		body := w.manifest(base.Number + 1)
		w.truth.mu.Lock()
		defer w.truth.mu.Unlock()
		c.version, c.body = base.Number+1, body
		return body, nil
	})
	w.ended(ctx, c, v, err)
}

// commitNext commits on top of what is the latest.
func (w *worker) commitNext() {
	ctx, cancel := w.patience()
	defer cancel()
	latest, err := w.table.Latest(ctx)
	if err != nil && !errors.Is(err, committer.ErrTableNotFound) {
		return
	}
	version := latest.Number + 1
	w.commit(ctx, "Commit", version, w.manifest(version))
}

// commitAnything commits a version that is hardly the next one.
func (w *worker) commitAnything() {
	ctx, cancel := w.patience()
	defer cancel()
	version := 1 + w.rng.Uint64N(w.seen+3)
	w.commit(ctx, "Commit", version, w.manifest(version))
}

func (w *worker) commit(ctx context.Context, name string, version uint64, body []byte) {
	c := &call{name: name, version: version, body: body}
	ctx = w.newCall(ctx, w.rng, c)
	w.pending = c
	v, err := w.table.Commit(ctx, version, body)
	w.ended(ctx, c, v, err)
}

// ended records what a call was told, unless the process is dead by then.
func (w *worker) ended(ctx context.Context, c *call, v committer.Version, err error) {
	w.network.dieIfOver(ctx)
	w.returned(c, v, err)
	if err == nil && c.staged == "" { // The namespace has a handle of its own.
		w.seen = max(w.seen, v.Number)
	}
	if errors.Is(err, committer.ErrUnknownOutcome) && w.rng.IntN(4) > 0 {
		w.settle()
	}
	w.pending = nil
}

// settle asks what became of the commit in hand, and repeats it where it is
// absent, as a program does after a crash.
func (w *worker) settle() {
	version, body := w.pending.version, w.pending.body
	for range 5 {
		if version == 0 {
			break // crashed before it built anything
		}
		ctx, cancel := w.patience()
		c := &call{name: "Resolve", version: version, body: body}
		asked := w.newCall(ctx, w.rng, c)
		outcome, err := w.table.Resolve(asked, version, body)
		w.network.dieIfOver(asked)
		w.resolved(c, outcome, err)
		if outcome == committer.Unknown {
			cancel()
			time.Sleep(time.Duration(w.rng.Int64N(int64(3 * time.Second))))
			continue
		}
		switch {
		case w.rng.IntN(2) > 0:
		case w.pending.staged != "":
			again := &call{name: "Create again", version: version, body: body, staged: w.pending.staged}
			ctx := w.newCall(ctx, w.rng, again)
			v, err := w.createStaged(ctx, again)
			w.network.dieIfOver(ctx)
			w.returned(again, v, err)
		case outcome == committer.Absent:
			again := &call{name: "Commit again", version: version, body: body}
			ctx := w.newCall(ctx, w.rng, again)
			v, err := w.table.Commit(ctx, version, body)
			w.network.dieIfOver(ctx)
			w.returned(again, v, err)
		}
		cancel()
		break
	}
	w.pending = nil
}
