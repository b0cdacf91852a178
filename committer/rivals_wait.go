package committer

import (
	"context"
	"time"
)

const (
	// patience is how many runs a writer lets end without a turn of its own.
	// Whoever goes on then does not know of it.
	patience = 6
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
			w.rivals.appeared(own + 1)
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
	for range patience {
		end := w.rivals.runEnd(version)
		running, err := w.follow(version, end)
		if err != nil || !running {
			return err
		}
		if err := w.sleep(w.rivals.turn(end)); err != nil {
			return err
		}
		k, err := w.list(w.ctx)
		if err != nil {
			// The try lists again, and says what is wrong.
			return nil
		}
		// What takes longer than a PUT can have missed one.
		put, list := w.rivals.times()
		if version = k.end.Number; version == end && (list <= put || !w.isThere(end+1)) {
			return nil
		}
		version = max(version, end+1)
	}
	w.press = presses
	w.forget()
	return nil
}

// follow waits until the end of a run is there, beginning at a version that is.
// It is false when nobody goes on, and the table is free.
func (w *wait) follow(version, end uint64) (running bool, err error) {
	for version < end {
		// Most of what is left, and a little early: to see a version appear is what
		// corrects the pace, and the rest is enough to be there in time.
		next := end - (end-version)/4
		in, each := w.rivals.expected(next)
		if err := w.sleep(in*3/4 - each); err != nil {
			return false, err
		}
		there, err := w.appears(next, max(each*time.Duration(next-version)/8, each/2))
		if err != nil {
			return false, err
		}
		if !there {
			if next, there, err = w.goesOn(); err != nil || !there {
				return false, err
			}
		}
		version = next
	}
	return true, nil
}

// appears looks for a version, three times more when it is not there, and each
// time after twice as long a pause.
func (w *wait) appears(version uint64, pause time.Duration) (bool, error) {
	if w.isThere(version) {
		return true, nil
	}
	for range 3 {
		if err := w.sleep(pause); err != nil {
			return false, err
		}
		if w.isThere(version) {
			w.rivals.appeared(version)
			return true, nil
		}
		pause *= 2
	}
	return false, nil
}

// goesOn reports how far rivals have gone on since the end of the chain was seen
// last, and whether they still do.
func (w *wait) goesOn() (version uint64, running bool, err error) {
	was := w.rivals.seen()
	k, err := w.list(w.ctx)
	if err != nil || k.end.Number <= was {
		// With an error, the try lists again, and says what is wrong.
		return 0, false, nil
	}
	put, _ := w.rivals.times()
	if err := w.sleep(2 * put); err != nil {
		return 0, false, err
	}
	version = k.end.Number + 1
	return version, w.isThere(version), nil
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
