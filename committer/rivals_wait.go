package committer

import "time"

const (
	// patience is how many runs a writer lets end without a turn of its own.
	// Whoever goes on then does not know of it.
	patience = 6
	// presses is how many tries in a row do not wait for a rest after that, nor where
	// rivals are not known to take runs.
	presses = 4
	// soonLooks is how many more looks are made for a version that is soon there.
	// The first pause between them is a version's time, or a part of the way that
	// was left, one in wayPerPause: a guess that goes far ahead is off by more, and
	// with a finer one the many that wait for one end would all be there at once.
	soonLooks, wayPerPause = 3, 24
)

// A wait is how an update lets rivals go first where it is their time. A HEAD
// here says to wait on, or to list again; it never says what the end of the chain
// is. The errors are those of the context.
type wait struct {
	*Table
	ctx *call
	// until is when waiting is over, whatever the rivals do.
	until time.Time
	// press is how many of the next tries do not wait.
	press int
	// onTurn says that the next try is the one for which the turn has come.
	onTurn bool
}

// newWait returns the waits of an update that begins now. They take half of its
// time at the most.
func (t *Table) newWait(ctx *call) *wait {
	most := t.retry.MaxElapsed
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(deadline))
	}
	w := &wait{Table: t, ctx: ctx, until: time.Now().Add(most / 2)}
	if !t.rivals.takeRuns() {
		w.press = presses
	}
	return w
}

// beforeUpdate waits before the first try.
func (w *wait) beforeUpdate() error {
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
// Before the time of a start nobody can have. It looks less and less often then,
// since it is in no hurry.
func (w *wait) rest(d time.Duration) error {
	w.forget()
	next := w.rivals.last + 1
	step := max(w.rivals.start(), time.Millisecond)
	over := time.Now().Add(min(d, time.Until(w.until)))
	for time.Now().Before(over) {
		if err := w.sleep(min(step, time.Until(over))); err != nil {
			return err
		}
		if w.isThere(next) {
			w.rivals.meet()
			w.rivals.saw(next, time.Now())
			return w.queue(next)
		}
		step *= 2
	}
	w.rivals.wasted()
	return nil
}

// afterLoss waits after so many lost races in a row, the last for a version. On a
// busy table, where the winner goes on at once, it is in a run, and so is one that
// was first where it was our turn.
func (w *wait) afterLoss(version uint64, losses int) error {
	w.rivals.meet()
	if err := w.ctx.left.pause(w.ctx, w.rivals.pause(losses)); err != nil {
		return err
	}
	if w.press > 0 {
		w.press--
		return nil
	}
	if !w.rivals.isBusy() {
		// Nobody is in a run.
		return nil
	}
	if w.onTurn {
		return w.queue(version)
	}
	next, running, err := w.goOn()
	if err != nil || !running {
		return err
	}
	return w.queue(next)
}

// queue waits for a rest and for its turn, beginning at a version of a rival
// that is there.
func (w *wait) queue(version uint64) error {
	w.onTurn = false
	for range patience {
		end := w.rivals.runEnd(version)
		running, err := w.follow(version, end)
		if err != nil || !running {
			return err
		}
		if err := w.sleep(w.rivals.turn(end)); err != nil {
			return err
		}
		// Mostly another was first, which a HEAD tells for less than a LIST.
		if version = end + 1; w.isThere(version) {
			w.rivals.saw(version, time.Now())
			continue
		}
		k, err := w.listInTurn(w.ctx)
		if err != nil {
			// The try lists again, and says what is wrong.
			return nil
		}
		// What takes longer than a PUT can have missed one.
		if k.end.Number == end && (w.rivals.list <= w.rivals.put || !w.isThere(version)) {
			w.onTurn = true
			return nil
		}
		version = max(version, k.end.Number)
	}
	w.press = presses
	w.forget()
	return nil
}

// follow waits until the end of a run is there, beginning at a version that is.
// It is false when nobody goes on, and the table is free.
func (w *wait) follow(version, end uint64) (running bool, err error) {
	for version < end {
		pause := w.rivals.each * time.Duration(max(1, (end-version)/wayPerPause))
		// A little early: to see a version appear is what corrects the pace.
		if err := w.sleep(w.rivals.until(end)*3/4 - pause); err != nil {
			return false, err
		}
		there, err := w.appears(end, pause)
		if err != nil {
			return false, err
		}
		if w.rivals.foresaw(there); there {
			return true, nil
		}
		if version, running, err = w.goOn(); err != nil || !running {
			return false, err
		}
	}
	return true, nil
}

// appears looks for a version, and soonLooks times more when it is not there, each
// time after twice as long a pause.
func (w *wait) appears(version uint64, pause time.Duration) (bool, error) {
	if w.isThere(version) {
		return true, nil
	}
	for range soonLooks {
		if err := w.sleep(pause); err != nil {
			return false, err
		}
		if w.isThere(version) {
			w.rivals.saw(version, time.Now())
			return true, nil
		}
		pause *= 2
	}
	return false, nil
}

// goOn lists, and reports whether rivals go on at once, with the version after
// the end.
func (w *wait) goOn() (next uint64, running bool, err error) {
	k, err := w.listInTurn(w.ctx)
	if err != nil || !k.end.exists() {
		// With an error, the try lists again, and says what is wrong.
		return 0, false, nil
	}
	// In a run, the next PUT ends within the time of one and a half.
	if err := w.sleep(w.rivals.put * 3 / 2); err != nil {
		return 0, false, err
	}
	next = k.end.Number + 1
	return next, w.isThere(next), nil
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
