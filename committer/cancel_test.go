package committer_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
)

func TestACancelledCommitIsStillResolved(t *testing.T) {
	for _, tc := range []struct {
		name string
		// applied is whether the PUT took effect before the context ended.
		applied bool
		want    error
	}{
		{"the write took effect", true, nil},
		{"the write did not take effect yet", false, committer.ErrUnknownOutcome},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			table, puts := scripted(laid(1), []step{func(ctx context.Context, do func(context.Context) error) error {
				if tc.applied {
					_ = do(ctx)
				}
				cancel()
				return ctx.Err()
			}})
			_, err := table.Commit(ctx, 2, manifestOf(2, "mine"))
			require.ErrorIs(t, err, tc.want)
			require.NotErrorIs(t, err, context.Canceled)
			require.Equal(t, 1, *puts)
		})
	}
}

func TestAContextThatEndedBeforeThePutIsDefinite(t *testing.T) {
	store := laid(1)
	table := committer.NewTable(store, root)
	_, err := table.Latest(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = table.Commit(ctx, 2, manifestOf(2, "mine"))
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, committer.ErrUnknownOutcome)
	require.Len(t, keys(t, store), 1)
}

func TestEachAttemptHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, puts := scripted(laid(1), []step{func(ctx context.Context, _ func(context.Context) error) error {
			<-ctx.Done()
			return ctx.Err()
		}, pass})
		began := time.Now()
		_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
		require.NoError(t, err)
		require.Equal(t, 2, *puts)
		require.InDelta(t, 10, time.Since(began).Seconds(), 1)
	})
}

func TestThePauseThatTheStoreAsksForIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		throttled := &backends.Error{Op: "put", RetryAfter: 7 * time.Second, Err: backends.ErrThrottled}
		table, _ := scripted(laid(1), []step{answers(throttled), pass})
		began := time.Now()
		_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
		require.NoError(t, err)
		require.GreaterOrEqual(t, time.Since(began), 7*time.Second)
	})
}

func TestAStoreThatAsksToWaitForEverIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		throttled := &backends.Error{Op: "put", RetryAfter: math.MaxInt64, Err: backends.ErrThrottled}
		table, _ := scripted(laid(1), []step{func(context.Context, func(context.Context) error) error {
			time.Sleep(5 * time.Millisecond)
			return throttled
		}, pass})
		began := time.Now()
		_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
		require.ErrorIs(t, err, backends.ErrThrottled)
		require.Less(t, time.Since(began), time.Second)
	})
}

func TestADeadlineEndsACallWithoutAPauseInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		table, _ := scripted(laid(1), []step{answers(errReset)})
		began := time.Now()
		_, err := table.Commit(ctx, 2, manifestOf(2, "mine"))
		require.ErrorIs(t, err, committer.ErrUnknownOutcome)
		require.Less(t, time.Since(began), time.Second)
	})
}

func TestAPolicyWithoutBoundsStillWrites(t *testing.T) {
	for _, forever := range []time.Duration{math.MaxInt64, -1} {
		table := committer.NewTable(laid(1), root, committer.WithRetry(committer.RetryPolicy{
			MaxElapsed: forever, MinPause: forever, MaxPause: forever, Grace: forever,
			AttemptTimeout: forever, AttemptTimeoutPerMiB: forever,
		}))
		_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
		require.NoError(t, err)
	}
}
