//go:build linux || darwin

package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/lancecommit/lancecommit/naming"
)

const (
	// crew is how many writers are at one table at once, each with a umask of
	// its own.
	crew = 3
	// killsOfATable is after how many kills the table is looked at as a whole
	// and another one begun.
	killsOfATable = 25
	// longest is when a writer is killed that does not come to its moment.
	longest = 2 * time.Second
)

func TestWritersKilledAtAnyMomentTearNothingAndLoseNoSuccess(t *testing.T) {
	t.Logf("-kills %d -seed %d", *kills, *seed)
	began := time.Now()
	var moments tally
	var told, versions int
	for table := 0; moments.total() < *kills; table++ {
		scheme := naming.V2
		if table%3 == 2 {
			scheme = naming.V1
		}
		dir := t.TempDir()
		if table%4 > 0 {
			dir = inMemory(t)
		}
		w := watch(order{Dir: dir, Root: "db/t.lance", Scheme: scheme})
		left := min(*kills-moments.total(), killsOfATable)
		group, ctx := errgroup.WithContext(t.Context())
		for slot := range crew {
			random := rand.New(rand.NewPCG(*seed, uint64(table*crew+slot)))
			share := (left + slot) / crew
			group.Go(func() error { return w.killWriters(ctx, slot, share, random, &moments) })
		}
		require.NoErrorf(t, group.Wait(), "table %d in %s", table, w.folder())
		w.requireWhole(t)
		told, versions = told+len(w.told), versions+len(w.versions)
	}
	t.Logf("%d kills in %v, %d versions, %d successes told; the kills by their moment:%v",
		moments.total(), time.Since(began).Round(time.Second/10), versions, told, &moments)
}

// inMemory returns a folder in memory, where there is one: a kill takes nothing
// from a disk, and without the long syncs the other steps are hit more often.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "lancecommit-crash-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// killWriters kills one writer after the other, and looks at the table after
// each, while other writers go on.
func (w *watched) killWriters(ctx context.Context, slot, kills int, random *rand.Rand, moments *tally) error {
	put := 5 * time.Millisecond
	for n := range kills {
		if ctx.Err() != nil {
			return nil // Another has the error.
		}
		o := w.order
		o.ID = fmt.Sprintf("w%d-%d", slot, n)
		o.Updates = random.IntN(2) == 0
		o.Umask = umaskOf(slot)
		p, err := start(o)
		if err != nil {
			return err
		}
		if put, err = p.followToItsDeath(drawMoment(random, put), put); err != nil {
			return err
		}
		moment, err := w.afterDeath(ctx, p)
		if err != nil {
			return fmt.Errorf("after %v: %w", p.last(), err)
		}
		moments.add(moment)
	}
	return nil
}

// A moment is when a writer is killed: some time after it has told a step for
// the n-th time.
type moment struct {
	step string
	n    int
	wait time.Duration
}

// drawMoment spreads moments over time, so that long steps are hit often, and
// over the steps, so that short ones are hit at all. A PUT takes about put.
func drawMoment(random *rand.Rand, put time.Duration) moment {
	n := 1 + random.IntN(2)
	upTo := func(d time.Duration) time.Duration { return time.Duration(random.Int64N(int64(d))) }
	switch draw := random.IntN(100); {
	case draw < 5:
		return moment{"", 1, upTo(40 * time.Millisecond)}
	case draw < 35:
		return moment{ready, 1, upTo(80 * time.Millisecond)}
	case draw < 60:
		return moment{"PUT", n, upTo(put * 5 / 4)}
	case draw < 75:
		return moment{"PUT", n, upTo(500 * time.Microsecond)}
	case draw < 85:
		return moment{"put", n, upTo(100 * time.Microsecond)}
	case draw < 95:
		return moment{"OVERWRITE", n, upTo(150 * time.Microsecond)}
	}
	return moment{"overwrite", n, upTo(100 * time.Microsecond)}
}

// followToItsDeath kills the process at a moment. It returns how long a PUT takes
// by what it has seen, given what that was before.
func (p *process) followToItsDeath(at moment, put time.Duration) (time.Duration, error) {
	deadline := time.AfterFunc(longest, p.kill)
	defer deadline.Stop()
	if at.step == "" {
		time.Sleep(at.wait)
		p.kill()
	}
	var sent time.Time
	err := p.follow(func(told word) {
		switch told.Step {
		case "PUT":
			sent = time.Now()
		case "put":
			put += (time.Since(sent) - put) / 4
		}
		if told.Step == at.step {
			if at.n--; at.n == 0 {
				pass(at.wait)
				p.kill()
			}
		}
	})
	return put, err
}

// pass waits more exactly than a sleep does.
func pass(wait time.Duration) {
	began := time.Now()
	if wait > 2*time.Millisecond {
		time.Sleep(wait - time.Millisecond)
	}
	for time.Since(began) < wait {
	}
}

// afterDeath checks everything that must hold after a kill, and says when it
// came.
func (w *watched) afterDeath(ctx context.Context, p *process) (moment string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, told := range p.words {
		if told.Step == failed && told.Kind != conflict && told.Kind != contention {
			return "", fmt.Errorf("a call of %s ended with %s", p.ID, told.Text)
		}
	}
	temporary, err := w.examine(false)
	if err != nil {
		return "", err
	}
	if err := w.bury(p); err != nil {
		return "", err
	}
	left, err := w.leftBy(p, temporary)
	if err != nil {
		return "", err
	}
	if err := w.resolves(ctx, p); err != nil {
		return "", err
	}
	return w.momentOf(p, left), w.sweepsNothing(ctx)
}
