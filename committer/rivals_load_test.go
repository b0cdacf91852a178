package committer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
)

// Eight processes that each commit now and then leave the table idle for most of
// the time. None waits for the end of a run then: there are none.
func TestRivalsOfATableThatIsNotBusyTryAgainAtOnce(t *testing.T) {
	const put = 50 * time.Millisecond
	for _, tc := range []struct {
		name          string
		every, spread time.Duration
		p90, p99      time.Duration
		puts          float64
	}{
		{"each at any time in two seconds", 2 * time.Second, 2 * time.Second, 10 * put, 20 * put, 1.5},
		{"each at any time in a second", time.Second, time.Second, 20 * put, 200 * put, 2},
		{"all at once, every two seconds", 2 * time.Second, 0, 20 * put, 50 * put, 3.2},
		{"all at once, every second", time.Second, 0, 20 * put, 200 * put, 3.2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, requests := slow(pace{put: put, list: 1, jitter: 0.3})
				took := nowAndThen(t, 8, tc.every, tc.spread, func() *committer.Table { return committer.NewTable(store, root) })
				puts := float64(requests.puts.Load()) / float64(len(took))
				t.Logf("an update took %v, p90 %v, p99 %v, at most %v; each %.2f PUTs",
					took[len(took)/2], took[len(took)*9/10], took[len(took)*99/100], took[len(took)-1], puts)
				require.Less(t, took[len(took)*9/10], tc.p90)
				require.Less(t, took[len(took)*99/100], tc.p99)
				require.Less(t, puts, tc.puts)
			})
		})
	}
}

// A writer that pauses between its commits, for less than others need to look, build
// and commit, keeps them out as one that does not.
func TestAWriterThatHardlyPausesLetsOthersIn(t *testing.T) {
	const put = time.Millisecond
	for _, periods := range [][]time.Duration{
		{3 * put, 50 * put},
		{put, 500 * put},
		{put, 3 * put, 50 * put, 500 * put, 2000 * put},
	} {
		t.Run(fmt.Sprint(periods), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, _ := slow(pace{put: put, list: 20, jitter: 0.3})
				var writers sync.WaitGroup
				slowest := make([]time.Duration, len(periods))
				commits := make([]int, len(periods))
				end := time.Now().Add(time.Minute)
				for i, period := range periods {
					table := committer.NewTable(store, root)
					writers.Go(func() {
						for time.Now().Before(end) {
							began := time.Now()
							_, err := table.Update(t.Context(), func(ctx context.Context, base committer.Version) ([]byte, error) {
								if _, err := table.ReadManifest(ctx, base); err != nil {
									return nil, err
								}
								return build(ctx, base)
							})
							if err != nil {
								t.Errorf("update: %v", err)
								return
							}
							slowest[i] = max(slowest[i], time.Since(began))
							commits[i]++
							time.Sleep(period)
						}
					})
				}
				writers.Wait()
				t.Logf("commits %v, the slowest of each %v", commits, slowest)
				require.Less(t, slices.Max(slowest), 1500*put)
			})
		})
	}
}

// nowAndThen lets so many processes update a table for two minutes, each once in every
// stretch of time, in the first part of it. It returns what the updates took, in
// order of length.
func nowAndThen(t *testing.T, processes int, every, part time.Duration, table func() *committer.Table) (took []time.Duration) {
	var mu sync.Mutex
	var writers sync.WaitGroup
	began := time.Now()
	for range processes {
		table := table()
		writers.Go(func() {
			for start := time.Duration(0); start < 2*time.Minute; start += every {
				time.Sleep(time.Until(began.Add(start + rand.N(part+1))))
				called := time.Now()
				_, err := table.Update(t.Context(), build)
				mu.Lock()
				if err != nil {
					t.Errorf("update: %v", err)
				}
				took = append(took, time.Since(called))
				mu.Unlock()
			}
		})
	}
	writers.Wait()
	slices.Sort(took)
	return took
}
