package committer

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// winsBeforeRest is the run of wins after which a writer that has rivals
	// stands back: it learns the end of the chain first and would win for ever.
	winsBeforeRest = 3
	// rivalsFor is for how long a writer that lost a race thinks of rivals.
	rivalsFor = time.Second
	// restPuts is for how many PUTs of others it stands back.
	restPuts = 3
	// maxPausePuts bounds the pause after a lost race, in PUTs.
	maxPausePuts = 8
)

// rivals makes processes that update one table share it fairly. Goroutines of
// one process take turns already.
type rivals struct {
	mu sync.Mutex
	// put is how long a PUT takes, a moving average.
	put time.Duration
	// seen is when a race was last lost, wins the run of wins since then.
	seen time.Time
	wins int
}

// measured records how long a PUT took.
func (r *rivals) measured(took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.put == 0 {
		r.put = took
	}
	r.put += (took - r.put) / 4
}

func (r *rivals) lost() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen, r.wins = time.Now(), 0
}

func (r *rivals) won() {
	r.mu.Lock()
	defer r.mu.Unlock()
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

// standBack waits for a few commits of others when it is their turn, and reports
// whether it did.
func (r *rivals) standBack(ctx context.Context) bool {
	r.mu.Lock()
	rest := r.wins >= winsBeforeRest && !r.seen.IsZero() && elapsed(r.seen) < rivalsFor
	d := rand.N(r.put*restPuts + 1)
	if rest {
		r.wins = 0
	}
	r.mu.Unlock()
	return rest && sleep(ctx, d) == nil
}
