package committer

import (
	"cmp"
	"time"

	"github.com/lancecommit/lancecommit/naming"
)

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
// here says to wait on, to list again, or which version others have come to; that
// this is the end of the chain, none can tell. The errors are those of the context.
type wait struct {
	table  *Table
	rivals *rivals // the table's
	ctx    *call
	// until is when waiting is over, whatever the rivals do.
	until time.Time
	// press is how many of the next tries do not wait.
	press int
	// onTurn says that the next try is the one for which the turn has come.
	onTurn bool
	// seen is the newest version of others that was seen to be there.
	seen Version
}

// newWait returns the waits of an update that begins now. They take half of its
// time at the most.
func (t *Table) newWait(ctx *call) *wait {
	most := t.retry.MaxElapsed
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(deadline))
	}
	w := &wait{table: t, rivals: &t.rivals, ctx: ctx, until: time.Now().Add(most / 2)}
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
	if k := w.table.remember(); listen && k.end.exists() && w.isThere(k.end.Number+1) {
		w.table.othersPassed()
	}
	return nil
}

// rest waits until a rival has begun its run, and then for its turn after that.
// Before the time of a start nobody can have. It looks less and less often then,
// since it is in no hurry.
func (w *wait) rest(d time.Duration) error {
	next := w.rivals.last + 1
	step := max(w.rivals.start(), time.Millisecond)
	over := time.Now().Add(min(d, time.Until(w.until)))
	for time.Now().Before(over) {
		if err := w.sleep(min(step, time.Until(over))); err != nil {
			return err
		}
		if w.isThere(next) {
			w.table.othersPassed()
			w.rivals.meet()
			w.rivals.saw(next, time.Now())
			return w.waitForTurn(next)
		}
		step *= 2
	}
	w.rivals.wasted()
	return nil
}

// afterLoss waits after so many lost races in a row, and finds out what to build on
// then. On a busy table, where the winner goes on at once, it is in a run, and so is
// one that was first where it was our turn.
func (w *wait) afterLoss(lost *ConflictError, losses int) error {
	w.rivals.meet()
	if lost.Winner != nil {
		w.seen = *lost.Winner
	}
	pause := min(w.rivals.pause(losses), w.table.retry.MaxPause)
	if err := w.ctx.left.pause(w.ctx, pause); err != nil {
		return err
	}
	switch {
	case w.press > 0:
		w.press--
	case !w.rivals.isBusy():
		// Nobody is in a run.
	case w.onTurn:
		return w.waitForTurn(lost.Version)
	default:
		running, err := w.isContinued(lost.Version)
		if err != nil {
			return err
		}
		if running {
			return w.waitForTurn(lost.Version + 1)
		}
		w.buildOn(lost.Version)
		return nil
	}
	if w.seen.Number == lost.Version {
		w.catchUp()
	}
	return nil
}

// catchUp goes on from the version seen last to the end, if that is near. Otherwise
// the next try lists.
func (w *wait) catchUp() {
	for end := w.seen.Number + w.rivals.steps(); w.seen.Number < end; {
		if version := w.seen.Number; !w.isThere(version + 1) {
			w.buildOn(version)
			return
		}
	}
}

// waitForTurn waits for a rest and for its turn, beginning at a version of a rival
// that is there.
func (w *wait) waitForTurn(version uint64) error {
	w.onTurn = false
	for range patience {
		if !w.rivals.isBusy() {
			// Nobody is in a run: the others pause.
			break
		}
		end := w.rivals.runEnd(version)
		running, err := w.waitForEnd(version, end)
		if err != nil || !running {
			return err
		}
		if err := w.sleep(w.rivals.handover(end)); err != nil {
			return err
		}
		// Mostly another was first.
		if version = end + 1; w.isThere(version) {
			w.rivals.saw(version, time.Now())
			continue
		}
		if w.buildOn(end) {
			w.onTurn = true
			return nil
		}
		k, err := w.table.listInTurn(w.ctx)
		if err != nil {
			// The try lists again, and says what is wrong.
			return nil
		}
		// A LIST takes long enough to have missed one.
		if k.end.Number == end && !w.isThere(version) {
			w.onTurn = true
			return nil
		}
		version = max(version, k.end.Number)
	}
	w.press = presses
	w.table.othersPassed()
	return nil
}

// buildOn has the next try build on a version of others, without a LIST, where that
// is the one seen last and what is known is fresh until then. It reports whether
// that is so.
func (w *wait) buildOn(version uint64) bool {
	now := time.Now()
	return w.seen.Number == version && now.Before(w.until) && w.table.moveOn(w.seen, now.Add(w.rivals.start()))
}

// waitForEnd waits until the end of a run is there, beginning at a version that is.
// It is false when nobody goes on, and the table is free.
func (w *wait) waitForEnd(version, end uint64) (running bool, err error) {
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
		if version, running, err = w.lookForRun(); err != nil || !running {
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

// lookForRun lists, and reports whether rivals go on at once, with the version after
// the end.
func (w *wait) lookForRun() (next uint64, running bool, err error) {
	k, err := w.table.listInTurn(w.ctx)
	if err != nil || !k.end.exists() {
		// With an error, the try lists again, and says what is wrong.
		return 0, false, nil
	}
	running, err = w.isContinued(k.end.Number)
	return k.end.Number + 1, running, err
}

// isContinued reports whether a version comes after another at once: in a run, the next
// PUT ends within the time of one and a half.
func (w *wait) isContinued(version uint64) (bool, error) {
	if err := w.sleep(w.rivals.put * 3 / 2); err != nil {
		return false, err
	}
	return w.isThere(version + 1), nil
}

// isThere reports whether a version is there, as far as that can be told: the next
// LIST or PUT will say what is wrong.
func (w *wait) isThere(version uint64) bool {
	if !time.Now().Before(w.until) {
		return false
	}
	name := naming.Name{Version: version, Scheme: cmp.Or(w.table.remember().scheme, w.table.scheme)}
	key, began := w.table.key(name.Scheme, version), time.Now()
	attrs, err := w.table.reads.Head(w.ctx, key)
	w.rivals.tookHead(time.Since(began))
	if err != nil {
		return false
	}
	w.seen = newVersion(key, name, attrs)
	return true
}

func (w *wait) sleep(d time.Duration) error {
	return sleep(w.ctx, min(d, time.Until(w.until)))
}
