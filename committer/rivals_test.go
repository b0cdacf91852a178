package committer_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
)

// What is known of rivals belongs to the turn, and readers list without it: the
// race detector tells whether they touch it.
func TestReadersListBesideUpdatesOfTheSameHandle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, _ := slow(pace{put: 5 * time.Millisecond, list: 1, jitter: 0.5})
		var all sync.WaitGroup
		for range 2 {
			table := committer.NewTable(store, root)
			var own atomic.Uint64
			var done atomic.Bool
			all.Go(func() {
				defer done.Store(true)
				for range 200 {
					v, err := table.Update(t.Context(), build)
					if err != nil {
						t.Errorf("update: %v", err)
						return
					}
					own.Store(v.Number)
				}
			})
			all.Go(func() {
				for !done.Load() {
					atLeast := own.Load()
					latest, err := table.Latest(t.Context())
					if err != nil || latest.Number < atLeast {
						t.Errorf("latest %d, %v; %d was committed before", latest.Number, err, atLeast)
					}
					// A version that is not there yet makes it list.
					outcome, err := table.Resolve(t.Context(), latest.Number+1000, manifestOf(latest.Number+1000, "never"))
					if err != nil || outcome != committer.Absent {
						t.Errorf("resolve: %v, %v", outcome, err)
					}
				}
			})
		}
		all.Wait()
		latest, err := committer.NewTable(store, root).Latest(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 401, latest.Number)
	})
}
