package committer

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// winsBeforeRest is the least run of wins after which a writer that has
	// rivals stands back.
	winsBeforeRest = 4
	// rivalsFor is for how long a writer that met rivals thinks of them.
	rivalsFor = 5 * time.Second
	// minPatience and maxPatience bound how long a writer that knows of no
	// rival goes on before it stands back once to let one in.
	minPatience = 250 * time.Millisecond
	maxPatience = 8 * time.Second
	// longRest bounds the rests, where a rival needs no more to list and to
	// commit. LanceDB appends in 5 to 25 ms on a local disk, and has to read
	// every version that it missed before.
	longRest = 100 * time.Millisecond
	// maxPausePuts bounds the pause after a lost race, in PUTs.
	maxPausePuts = 8
)

// rivals makes processes that update one table share it fairly. Goroutines of
// one process take turns already.
//
// The winner of a race knows the end of the chain at once, while the others have
// to list, and Lance to read what it missed. Where that takes longer than a PUT,
// the winner would win for ever, and never learn that it has rivals, since it
// loses no race. So a writer stands back from time to time for as long as a
// rival needs to commit: often when it has met rivals, seldom when it goes on
// without a gap and has not.
type rivals struct {
	mu sync.Mutex
	// put and list are how long these take, moving averages.
	put, list time.Duration
	// met is when there was a rival last.
	met time.Time
	// last is the version won last, at lastAt, and wins the number of those
	// won since began without a gap.
	last          uint64
	lastAt, began time.Time
	wins          int
	// patience is how long a run goes on without a rival.
	patience time.Duration
	// rest is how long a rest is beside rivals, learned from whether the last
	// ones let one in. resting says that nobody knows yet of the last one.
	rest    time.Duration
	resting bool
}

// tookPut records how long a PUT took.
func (r *rivals) tookPut(took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	average(&r.put, took)
}

// tookList records how long it took to list.
func (r *rivals) tookList(took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	average(&r.list, took)
}

func average(of *time.Duration, took time.Duration) {
	if *of == 0 {
		*of = took
	}
	*of += (took - *of) / 4
}

// lost records a lost race.
func (r *rivals) lost() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.meet()
	r.wins = 0
}

// saw records the end of the chain that an update builds on.
func (r *rivals) saw(end uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	met := r.last != 0 && end > r.last
	if met {
		r.meet()
	}
	if r.resting {
		r.resting = false
		if met {
			r.rest -= r.rest / 4
		} else {
			r.rest += r.rest / 2
		}
	}
}

func (r *rivals) meet() {
	r.met, r.patience = time.Now(), minPatience
}

// won records a version of our own.
func (r *rivals) won(version uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.lastAt = version, time.Now()
	r.wins++
}

// pause is how long to wait after so many lost races in a row: in proportion to
// the time of a PUT, growing, with jitter, and bounded so that a writer presses
// on rather than starves.
func (r *rivals) pause(losses int) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return rand.N(r.put*time.Duration(min(losses, maxPausePuts)) + time.Millisecond)
}

// standBack waits for a commit of others when it is time for one, and reports
// whether it did. The end of the chain is not known any more then.
func (r *rivals) standBack(ctx context.Context) bool {
	d := r.due()
	return d > 0 && sleep(ctx, d) == nil
}

// due is how long to stand back before the next update, mostly not at all.
func (r *rivals) due() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wins == 0 || elapsed(r.lastAt) > r.put+r.list {
		// A gap lets others in by itself.
		r.wins, r.began = 0, time.Now()
		return 0
	}
	// A rival needs to list and to commit at the least.
	least := r.list + r.put
	if !r.met.IsZero() && elapsed(r.met) < rivalsFor {
		r.rest = min(max(r.rest, least), max(longRest, least))
		// The longer the rests, the longer the runs, so that the table is not
		// idle for most of the time.
		if r.put > 0 && r.wins < winsBeforeRest+int(2*r.rest/r.put) {
			return 0
		}
		r.resting = true
	} else {
		r.patience = max(r.patience, minPatience)
		if elapsed(r.began) < r.patience {
			return 0
		}
		r.rest, least = 0, max(least, min(r.patience/4, longRest))
		r.patience = min(2*r.patience, maxPatience)
	}
	r.wins = 0
	r.began = time.Now().Add(max(r.rest, least))
	return max(r.rest, least) + rand.N(r.put+1)
}
