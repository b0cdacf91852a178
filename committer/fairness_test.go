package committer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

// race lets tables on one store update it for a minute, each as a process of its
// own would, and returns how many versions each won. A PUT takes 5 ms and a LIST
// so many times that. Time is that of the bubble, so that the load of the
// machine decides nothing.
func race(t *testing.T, processes, listTimes int) (won []int, total int) {
	store := laid(1)
	var puts atomic.Int64
	slow := intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
		// Half of the time of a request goes by before it takes effect.
		half := 2*time.Millisecond + rand.N(time.Millisecond)
		switch call.Method {
		case "PUT":
			puts.Add(1)
		case "LIST":
			half *= time.Duration(listTimes)
		}
		time.Sleep(half)
		err := do(ctx)
		time.Sleep(half)
		return err
	})
	end := time.Now().Add(time.Minute)
	won = make([]int, processes)
	var writers sync.WaitGroup
	for p := range processes {
		table := committer.NewTable(slow, root)
		writers.Go(func() {
			for time.Now().Before(end) {
				if _, err := table.Update(t.Context(), build); err != nil {
					t.Errorf("update: %v", err)
					return
				}
				won[p]++
			}
		})
	}
	writers.Wait()
	for _, n := range won {
		total += n
	}
	t.Logf("commits %v, %d in all, %.2f PUTs each", won, total, float64(puts.Load())/float64(total))
	return won, total
}

func TestRivalsShareATable(t *testing.T) {
	const processes = 8
	for _, listTimes := range []int{1, 6, 20} {
		t.Run(fmt.Sprintf("a LIST takes %d PUTs", listTimes), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				won, total := race(t, processes, listTimes)
				require.Greater(t, total, 7200, "the table is busy for more than 0.6 of the time")
				for p, n := range won {
					require.Greater(t, n, total/processes/4, "process %d starves: the mean is %d", p, total/processes)
				}
			})
		})
	}
}

func TestAWriterWithoutRivalsIsNotHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, total := race(t, 1, 6)
		require.Greater(t, total, 11_400, "of 12,000")
	})
}
