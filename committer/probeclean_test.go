package committer_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

func TestAProbeCleansUpAfterItsContextHasEnded(t *testing.T) {
	unfinished := 0
	for after := int64(1); after < 290; after += 3 {
		synctest.Test(t, func(t *testing.T) {
			store := newScripted(memory.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			var requests atomic.Int64
			counting := intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
				if requests.Add(1) == after {
					cancel()
				}
				if ctx.Err() != nil && call.Method == "PUT" {
					// It is applied, though nobody waits for it.
					_ = do(context.WithoutCancel(ctx))
					return ctx.Err()
				}
				return do(ctx)
			})
			report, err := committer.Probe(ctx, counting, committer.ProbeOptions{})
			require.Empty(t, below(t, store.Store, ""), "after request %d", after)
			require.Empty(t, report.Left)
			if err == nil {
				return // it had come to an end
			}
			unfinished++
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, committer.ProbeUnfinished, report.Verdict, "after request %d: %+v", after, report.Findings)
			require.False(t, report.Safe())
		})
	}
	require.Greater(t, unfinished, 85)
}

func TestTheCleanUpEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newScripted(memory.Options{})
		store.remove = func(ctx context.Context, _ string) error {
			<-ctx.Done()
			return ctx.Err()
		}
		started := time.Now()
		report, err := committer.Probe(t.Context(), store, committer.ProbeOptions{RequestTimeout: time.Second, Grace: 3 * time.Second})
		require.NoError(t, err)
		require.Equal(t, 4*time.Second, time.Since(started), "one delete, and the grace")
		require.True(t, report.Safe())
		require.ElementsMatch(t, below(t, store.Store, ""), report.Left)
		require.NotEmpty(t, report.Left)
	})
}

func TestWhatLandsAfterTheCleanUpBeganIsRemoved(t *testing.T) {
	store := newScripted(memory.Options{})
	var late sync.Map
	createsOf("pair", func(_ context.Context, key string, body []byte, through func() error) error {
		if strings.HasSuffix(key, "pair-0001") {
			late.Store(key, body)
			return errReset
		}
		return through()
	})(store)
	store.remove = func(ctx context.Context, key string) error {
		err := store.Store.Delete(ctx, key)
		if body, waits := late.LoadAndDelete(key); waits {
			store.Inject(key, body.([]byte))
		}
		return err
	}
	report, err := committer.Probe(t.Context(), store, committer.ProbeOptions{})
	require.NoError(t, err)
	require.True(t, report.Safe())
	require.Equal(t, 1, report.Figures.Unknown)
	require.Equal(t, 4, report.Figures.DecidedPairs)
	require.Contains(t, named(report)["unknown-outcomes"].Seen, "may yet appear")
	require.Empty(t, below(t, store.Store, ""))
	require.Empty(t, report.Left)
}

func TestADeleteThatFailsIsRepeated(t *testing.T) {
	store := newScripted(memory.Options{})
	var tried times
	store.remove = func(ctx context.Context, key string) error {
		if strings.HasSuffix(key, "/inside") && tried.next(key) <= 2 {
			return errReset
		}
		return store.Store.Delete(ctx, key)
	}
	report, err := committer.Probe(t.Context(), store, committer.ProbeOptions{Rounds: 2})
	require.NoError(t, err)
	require.True(t, report.Safe())
	require.Empty(t, report.Left)
	require.Empty(t, below(t, store.Store, ""))
}

func TestCreatesOfARaceThatMayYetLandAreTold(t *testing.T) {
	store := newScripted(memory.Options{})
	createsOf("race", func(_ context.Context, key string, _ []byte, through func() error) error {
		if strings.HasSuffix(key, "race-0001") {
			return errReset
		}
		return through()
	})(store)
	report, err := committer.Probe(t.Context(), store, committer.ProbeOptions{})
	require.NoError(t, err)
	require.True(t, report.Safe())
	require.Equal(t, 19, report.Figures.DecidedRounds)
	require.Contains(t, named(report)["unknown-outcomes"].Seen, "8 creates had no answer that proves anything, and of 8 nothing was seen")
}
