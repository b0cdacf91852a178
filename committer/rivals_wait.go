package committer

import (
	"context"
	"time"
)

const (
	// patience is how many runs in a row a writer lets end without a rest. Whose
	// they are does not know of it.
	patience = 4
	// presses is how many tries in a row do not wait for a rest after that.
	presses = 4
)

// A wait is how an update lets rivals go first where it is their time. A HEAD
// here says to wait on, or to list again; it never says what the end of the chain
// is. The errors are those of the context.
type wait struct {
	*Table
	ctx context.Context
	// until is when waiting is over, whatever the rivals do.
	until time.Time
	// press is how many of the next tries do not wait.
	press int
}

// newWait returns the waits of an update that begins now. They take half of its
// time at the most.
func (t *Table) newWait(ctx context.Context) *wait {
	most := t.retry.MaxElapsed
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(deadline))
	}
	w := &wait{Table: t, ctx: ctx, until: time.Now().Add(most / 2)}
	if _, recent := t.rivals.newest(); !recent {
		// Those who have the table do not know of this one.
		w.press = presses
	}
	return w
}

// first waits before the first try.
func (w *wait) first() error {
	rest, listen := w.rivals.due()
	if rest > 0 {
		return w.rest(rest)
	}
	if k := w.remember(); listen && k.end.exists() && w.isThere(k.end.Number+1) {
		w.forget()
	}
	return nil
}

// rest waits until a rival has begun its run, and then for its turn after that.
// It looks less and less often, since it is in no hurry.
func (w *wait) rest(d time.Duration) error {
	w.forget()
	own, _ := w.rivals.newest()
	put, _ := w.rivals.times()
	step := max(put, time.Millisecond)
	over := time.Now().Add(min(d, time.Until(w.until)))
	for time.Now().Before(over) {
		if err := w.sleep(min(step, time.Until(over))); err != nil {
			return err
		}
		if w.isThere(own + 1) {
			w.rivals.meet()
			return w.queue(own + 1)
		}
		step *= 2
	}
	w.rivals.wasted()
	return nil
}

// afterLoss waits after a lost race. Where the winner goes on at once, it is in
// a run.
func (w *wait) afterLoss() error {
	if w.press > 0 {
		w.press--
		return nil
	}
	k, err := w.list(w.ctx)
	if err != nil || !k.end.exists() {
		// The try lists again, and says what is wrong.
		return nil
	}
	put, _ := w.rivals.times()
	if err := w.sleep(put * 3 / 2); err != nil {
		return err
	}
	if next := k.end.Number + 1; w.isThere(next) {
		return w.queue(next)
	}
	return nil
}

// queue waits for a rest and for its turn, beginning at a version of a rival
// that is there.
func (w *wait) queue(version uint64) error {
	for restless := 0; restless < patience; {
		end := w.rivals.end(version)
		running, err := w.follow(version, end)
		if err != nil {
			return err
		}
		if !running {
			break
		}
		if err := w.sleep(w.rivals.turn(end)); err != nil {
			return err
		}
		if version = end + 1; w.isThere(version) {
			restless++
			continue
		}
		restless = 0
		k, err := w.list(w.ctx)
		if err != nil {
			return nil
		}
		// What takes longer than a PUT can have missed one.
		if put, list := w.rivals.times(); k.end.Number == end && (list <= put || !w.isThere(version)) {
			return nil
		}
		version = max(version, k.end.Number)
	}
	w.press = presses
	w.forget()
	return nil
}

// follow waits until the end of a run is there, beginning at a version that is.
// It is false when versions come too slowly for a run.
func (w *wait) follow(version, end uint64) (running bool, err error) {
	put, _ := w.rivals.times()
	for version < end {
		// Half of what is left, and a little early: who was late for one version
		// is not late for the end.
		ahead := (end - version + 1) / 2
		expected := put * time.Duration(ahead)
		if err := w.sleep(expected * 3 / 4); err != nil {
			return false, err
		}
		for tries := 0; !w.isThere(version + ahead); tries++ {
			if tries == 2 {
				return false, nil
			}
			if err := w.sleep(max(expected/4, put/2)); err != nil {
				return false, err
			}
		}
		version += ahead
	}
	return true, nil
}

// isThere reports whether a version is there, as far as that can be told: a LIST
// will say what is wrong.
func (w *wait) isThere(version uint64) bool {
	if !time.Now().Before(w.until) {
		return false
	}
	_, err := w.reads.Head(w.ctx, w.key(w.remember().scheme, version))
	return err == nil
}

func (w *wait) sleep(d time.Duration) error {
	return sleep(w.ctx, min(d, time.Until(w.until)))
}
