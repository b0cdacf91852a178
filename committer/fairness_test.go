package committer_test

import (
	"context"
	"math"
	"math/rand/v2"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

// pace is how long the requests to a store take. Time is that of the bubble, so
// that the load of the machine decides nothing.
type pace struct {
	put time.Duration
	// list is how many PUTs a LIST takes. A HEAD takes 0.3.
	list float64
	// jitter is the deviation of the logarithm of a time.
	jitter float64
}

// slow returns a store that takes its time, and the number of its PUTs.
func slow(p pace) (store backends.Store, puts *atomic.Int64) {
	puts = new(atomic.Int64)
	return intercept.Wrap(laid(1), func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
		took := float64(p.put) * (0.95 + rand.Float64()/10) * math.Exp(p.jitter*rand.NormFloat64()-p.jitter*p.jitter/2)
		switch call.Method {
		case "PUT":
			puts.Add(1)
		case "LIST":
			took *= p.list
		default:
			took *= 0.3
		}
		// Half of the time of a request goes by before it takes effect.
		half := time.Duration(took / 2)
		time.Sleep(half)
		err := do(ctx)
		time.Sleep(half)
		return err
	}), puts
}

// A contest is what became of processes that updated one table for a minute.
type contest struct {
	won     []int
	total   float64
	elapsed []time.Duration // of the updates, in order of length
}

// contend lets handles of one table, each as a process of its own would, update
// it for a minute from so many goroutines each.
func contend(t *testing.T, store backends.Store, processes, goroutines int) (c contest) {
	end := time.Now().Add(time.Minute)
	c.won = make([]int, processes)
	var mu sync.Mutex
	var writers sync.WaitGroup
	for p := range processes {
		table := committer.NewTable(store, root)
		for range goroutines {
			writers.Go(func() {
				for time.Now().Before(end) {
					began := time.Now()
					if _, err := table.Update(t.Context(), build); err != nil {
						if t.Context().Err() == nil {
							t.Errorf("update: %v", err)
						}
						return
					}
					mu.Lock()
					c.won[p]++
					c.total++
					c.elapsed = append(c.elapsed, time.Since(began))
					mu.Unlock()
				}
			})
		}
	}
	writers.Wait()
	slices.Sort(c.elapsed)
	return c
}

// share is what the slowest process has of the mean.
func (c contest) share() float64 {
	return float64(slices.Min(c.won)) * float64(len(c.won)) / c.total
}

// busy is the part of the minute that the commits would have taken one by one.
func (c contest) busy(p pace) float64 { return c.total * float64(p.put) / float64(time.Minute) }

func (c contest) p99() time.Duration { return c.elapsed[len(c.elapsed)*99/100] }

func TestRivalsShareATable(t *testing.T) {
	const ms = time.Millisecond
	for _, tc := range []struct {
		name                  string
		processes, goroutines int
		pace
		share, busy, puts float64
		p99               time.Duration
	}{
		{"two", 2, 1, pace{5 * ms, 1, 0}, 0.8, 0.6, 1.1, time.Second},
		{"four, unsteady times", 4, 1, pace{5 * ms, 2.5, 0.5}, 0.5, 0.6, 1.4, 2 * time.Second},
		{"eight, a quick LIST", 8, 1, pace{5 * ms, 0.3, 0}, 0.5, 0.7, 1.6, 2 * time.Second},
		{"eight, a LIST like a PUT", 8, 1, pace{5 * ms, 1, 0}, 0.5, 0.7, 1.6, 2 * time.Second},
		{"eight, a slow LIST", 8, 1, pace{5 * ms, 6, 0}, 0.5, 0.6, 1.6, 3 * time.Second},
		{"eight, a very slow LIST", 8, 1, pace{5 * ms, 20, 0}, 0.35, 0.5, 1.6, 4 * time.Second},
		{"eight of eight goroutines", 8, 8, pace{5 * ms, 2.5, 0}, 0.5, 0.7, 1.6, 3 * time.Second},
		{"eight of eight goroutines, unsteady times", 8, 8, pace{5 * ms, 2.5, 0.5}, 0.4, 0.7, 1.6, 4 * time.Second},
		{"sixteen", 16, 1, pace{5 * ms, 2.5, 0}, 0.35, 0.7, 2, 5 * time.Second},
		{"eight, a PUT of 50 ms", 8, 1, pace{50 * ms, 1, 0}, 0.35, 0.65, 1.6, 15 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, puts := slow(tc.pace)
				c := contend(t, store, tc.processes, tc.goroutines)
				each := float64(puts.Load()) / c.total
				t.Logf("commits %v; share %.2f, busy %.2f, %.2f PUTs each; an update took %v, p99 %v, at most %v", c.won,
					c.share(), c.busy(tc.pace), each, c.elapsed[len(c.elapsed)/2], c.p99(), c.elapsed[len(c.elapsed)-1])
				require.Greater(t, c.share(), tc.share, "no process starves")
				require.Greater(t, c.busy(tc.pace), tc.busy, "the table is busy for most of the time")
				require.Less(t, each, tc.puts, "few PUTs are in vain")
				require.Less(t, c.p99(), tc.p99)
			})
		})
	}
}

func TestAWriterWithoutRivalsIsNotHeldUp(t *testing.T) {
	for _, goroutines := range []int{1, 64} {
		synctest.Test(t, func(t *testing.T) {
			p := pace{5 * time.Millisecond, 6, 0}
			store, puts := slow(p)
			c := contend(t, store, 1, goroutines)
			require.Greater(t, c.busy(p), 0.95)
			require.Less(t, float64(puts.Load())/c.total, 1.001)
		})
	}
}

// Lance lists, reads what it missed, appends, and tries to commit, all without a
// thought of others.
func TestAStrangerThatIsSlowerGetsIn(t *testing.T) {
	for _, tc := range []struct {
		name   string
		rivals int
	}{{"beside one writer", 1}, {"beside four that hand over quickly", 4}} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, _ := slow(pace{5 * time.Millisecond, 1, 0})
				var all sync.WaitGroup
				all.Go(func() { contend(t, store, tc.rivals, 1) })
				end, appended := time.Now().Add(time.Minute), 0
				for time.Now().Before(end) {
					page, err := store.List(t.Context(), backends.ListInput{Prefix: naming.Versions(root), Limit: 1})
					require.NoError(t, err)
					latest := naming.Parse(page.Objects[0].Key[len(naming.Versions(root)):]).Version
					time.Sleep(10*time.Millisecond + rand.N(20*time.Millisecond))
					key := naming.Versions(root) + naming.V2.Final(latest+1)
					switch _, err := store.PutIfAbsent(t.Context(), key, manifestOf(latest+1, "stranger"), backends.PutOptions{}); {
					case err == nil:
						appended++
					default:
						require.ErrorIs(t, err, backends.ErrExists)
					}
				}
				all.Wait()
				require.Greater(t, appended, 20, "in a minute")
			})
		})
	}
}

// The one that comes seldom has no run, and the other does not know of it.
func TestAWriterThatComesSeldomGetsIn(t *testing.T) {
	for _, list := range []float64{0.3, 6} {
		synctest.Test(t, func(t *testing.T) {
			store, _ := slow(pace{5 * time.Millisecond, list, 0})
			var all sync.WaitGroup
			all.Go(func() { contend(t, store, 1, 1) })
			table := committer.NewTable(store, root)
			for range 5 {
				time.Sleep(8 * time.Second)
				began := time.Now()
				_, err := table.Update(t.Context(), build)
				require.NoError(t, err)
				require.Less(t, time.Since(began), 12*time.Second)
			}
			all.Wait()
		})
	}
}

// Every version that an update asks for is there when it asks.
func TestAnUpdateDoesNotWaitForEver(t *testing.T) {
	endless := func() *committer.Table {
		store, next := laid(1), uint64(2)
		return committer.NewTable(intercept.Wrap(store, func(
			ctx context.Context, call intercept.Call, do func(context.Context) error,
		) error {
			time.Sleep(5 * time.Millisecond)
			for call.Method != "LIST" && next <= naming.Parse(path.Base(call.Key)).Version {
				lay(store, naming.V2, next)
				next++
			}
			return do(ctx)
		}), root)
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := endless().Update(t.Context(), build)
		require.Error(t, err)
		require.NotErrorIs(t, err, committer.ErrUnknownOutcome)
		require.InDelta(t, 30, time.Since(began).Seconds(), 1)
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		began := time.Now()
		_, err := endless().Update(ctx, build)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.InDelta(t, 2, time.Since(began).Seconds(), 0.2)
	})
}

func TestAnUpdateListsAfterOthersHaveGoneOnSinceItsLastOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := laid(1)
		table, log := counted(store)
		update := func() []string {
			_, err := table.Update(t.Context(), build)
			require.NoError(t, err)
			return log.Take()
		}
		require.Equal(t, []string{listFirst, put(2)}, update())
		other := func() {
			_, err := committer.NewTable(store, root).Update(t.Context(), build)
			require.NoError(t, err)
		}
		other()
		require.Equal(t, []string{put(3), head(3), listFirst, head(4), put(4)}, update(), "nobody was known")
		time.Sleep(time.Second)
		other()
		require.Equal(t, []string{head(5), listFirst, put(6)}, update(), "a HEAD instead of a PUT in vain")
		time.Sleep(time.Second)
		require.Equal(t, []string{head(7), put(7)}, update())
		time.Sleep(6 * time.Second)
		require.Equal(t, []string{listFirst, put(8)}, update(), "they seem to be gone")
	})
}
