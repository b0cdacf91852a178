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
	// cores is how many requests the store works on at a time. Zero is all.
	cores int
}

// asked counts the requests to a store.
type asked struct{ puts, heads, lists atomic.Int64 }

// slow returns a store that takes its time, and counts its requests.
func slow(p pace) (store backends.Store, requests *asked) {
	requests = new(asked)
	cores := make(chan struct{}, max(1, p.cores))
	return intercept.Wrap(laid(1), func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
		took := float64(p.put) * (0.95 + rand.Float64()/10) * math.Exp(p.jitter*rand.NormFloat64()-p.jitter*p.jitter/2)
		switch call.Method {
		case "PUT":
			requests.puts.Add(1)
		case "LIST":
			requests.lists.Add(1)
			took *= p.list
		default:
			requests.heads.Add(1)
			took *= 0.3
		}
		if p.cores > 0 {
			cores <- struct{}{}
			defer func() { <-cores }()
		}
		// Half of the time of a request goes by before it takes effect.
		half := time.Duration(took / 2)
		time.Sleep(half)
		err := do(ctx)
		time.Sleep(half)
		return err
	}), requests
}

// A contest is what became of processes that updated one table for a minute.
type contest struct {
	won     []int
	total   float64
	elapsed []time.Duration // of the updates, in order of length
	over    time.Duration   // how long the updates that were under way at the end took
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
	c.over = time.Since(end)
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
		heads, lists      float64
	}{
		{"two", 2, 1, pace{put: 5 * ms, list: 1}, 0.8, 0.7, 1.05, time.Second, 0.5, 0.02},
		{"four, unsteady times", 4, 1, pace{put: 5 * ms, list: 2.5, jitter: 0.5}, 0.6, 0.8, 1.06, time.Second, 1.1, 0.06},
		{"eight, a quick LIST", 8, 1, pace{put: 5 * ms, list: 0.3}, 0.5, 0.8, 1.1, 1500 * ms, 1.5, 0.08},
		{"eight, a LIST like a PUT", 8, 1, pace{put: 5 * ms, list: 1}, 0.4, 0.8, 1.1, 1500 * ms, 1.5, 0.08},
		{"eight, a slow LIST", 8, 1, pace{put: 5 * ms, list: 6}, 0.4, 0.8, 1.1, 1500 * ms, 1.4, 0.08},
		{"eight, a very slow LIST", 8, 1, pace{put: 5 * ms, list: 20}, 0.3, 0.75, 1.1, 2 * time.Second, 1.3, 0.1},
		{"eight of eight goroutines", 8, 8, pace{put: 5 * ms, list: 2.5}, 0.4, 0.8, 1.1, 3 * time.Second, 1.5, 0.1},
		{"eight of eight goroutines, unsteady times", 8, 8, pace{put: 5 * ms, list: 2.5, jitter: 0.5}, 0.5, 0.85, 1.1, 3 * time.Second, 1.7, 0.15},
		{"eight of eight goroutines, a store of one core", 8, 8, pace{put: 5 * ms, list: 1, jitter: 0.3, cores: 1}, 0.4, 0.6, 1.1, 4 * time.Second, 1.3, 0.13},
		{"eight of eight goroutines, a slow LIST on one core", 8, 8, pace{put: 5 * ms, list: 4, jitter: 0.3, cores: 1}, 0.25, 0.42, 1.15, 8 * time.Second, 1.4, 0.2},
		{"sixteen", 16, 1, pace{put: 5 * ms, list: 2.5}, 0.35, 0.85, 1.18, 3 * time.Second, 2.4, 0.22},
		{"eight, a PUT of 2 ms", 8, 1, pace{put: 2 * ms, list: 2.5}, 0.4, 0.85, 1.05, 1500 * ms, 0.5, 0.05},
		{"eight of eight goroutines, a PUT of 2 ms on one core", 8, 8, pace{put: 2 * ms, list: 2, jitter: 0.5, cores: 1}, 0.3, 0.6, 1.1, 3 * time.Second, 0.7, 0.1},
		{"eight, a PUT of 50 ms", 8, 1, pace{put: 50 * ms, list: 1}, 0.6, 0.72, 1.4, 5 * time.Second, 4.5, 0.15},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, requests := slow(tc.pace)
				c := contend(t, store, tc.processes, tc.goroutines)
				each := func(requests *atomic.Int64) float64 { return float64(requests.Load()) / c.total }
				puts, heads, lists := each(&requests.puts), each(&requests.heads), each(&requests.lists)
				t.Logf("commits %v; share %.2f, busy %.2f; each %.2f PUTs, %.2f HEADs, %.2f LISTs; an update took %v, p99 %v, at most %v, over in %v",
					c.won, c.share(), c.busy(tc.pace), puts, heads, lists, c.elapsed[len(c.elapsed)/2], c.p99(), c.elapsed[len(c.elapsed)-1], c.over)
				require.Greater(t, c.share(), tc.share, "no process starves")
				require.Greater(t, c.busy(tc.pace), tc.busy, "the table is busy for most of the time")
				require.Less(t, puts, tc.puts, "few PUTs are in vain")
				require.Less(t, heads, tc.heads, "who waits knows when to look")
				require.Less(t, lists, tc.lists)
				require.Less(t, c.p99(), tc.p99)
				require.Less(t, c.over, 2*tc.p99, "who is left does not wait for those who have gone")
			})
		})
	}
}

func TestAWriterWithoutRivalsIsNotHeldUp(t *testing.T) {
	for _, goroutines := range []int{1, 64} {
		synctest.Test(t, func(t *testing.T) {
			p := pace{put: 5 * time.Millisecond, list: 6}
			store, requests := slow(p)
			c := contend(t, store, 1, goroutines)
			require.Greater(t, c.busy(p), 0.95)
			require.Less(t, float64(requests.puts.Load())/c.total, 1.001)
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
				store, _ := slow(pace{put: 5 * time.Millisecond, list: 1})
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
			store, _ := slow(pace{put: 5 * time.Millisecond, list: list})
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

// One that hung, say, or a connection that had to be made first.
func TestOnePUTThatTookLongDoesNotMakeALostRaceLong(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			store := laid(1)
			puts := 0
			table := committer.NewTable(intercept.Wrap(store, func(
				ctx context.Context, call intercept.Call, do func(context.Context) error,
			) error {
				if call.Method == "PUT" {
					if puts++; puts == 1 {
						time.Sleep(9 * time.Second)
					}
				}
				time.Sleep(5 * time.Millisecond)
				return do(ctx)
			}), root)
			_, err := table.Update(t.Context(), build)
			require.NoError(t, err)
			began, built := time.Now(), 0
			v, err := table.Update(t.Context(), func(ctx context.Context, base committer.Version) ([]byte, error) {
				if built++; built == 1 {
					lay(store, naming.V2, base.Number+1)
				}
				return build(ctx, base)
			})
			require.NoError(t, err)
			require.EqualValues(t, 4, v.Number)
			require.Less(t, time.Since(began), 3*time.Second)
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
		require.Equal(t, []string{put(3), head(3), head(4), put(4)}, update(), "nobody was known")
		time.Sleep(time.Second)
		other()
		require.Equal(t, []string{head(5), listFirst, put(6)}, update(), "a HEAD instead of a PUT in vain")
		time.Sleep(time.Second)
		require.Equal(t, []string{head(7), put(7)}, update())
		time.Sleep(6 * time.Second)
		require.Equal(t, []string{listFirst, put(8)}, update(), "they seem to be gone")
	})
}
