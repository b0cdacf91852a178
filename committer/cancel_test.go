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
	"github.com/lancecommit/lancecommit/naming"
)

// A store can go on with a request whose caller has left.
func TestACancelledCommitIsStillResolved(t *testing.T) {
	for _, tc := range []struct {
		name string
		// others make the version meanwhile.
		others bool
		// after is when that takes effect, or the PUT, once the context has ended.
		after time.Duration
		want  error
	}{
		{name: "the write took effect"},
		{name: "it takes effect when its caller has left", after: 50 * time.Millisecond},
		{name: "it takes effect before the last look", after: 650 * time.Millisecond},
		{name: "it takes effect when nobody looks any more", after: time.Second, want: committer.ErrUnknownOutcome},
		{name: "another one was first", others: true, after: 50 * time.Millisecond, want: committer.ErrConflict},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				store := laid(1)
				table, puts := scripted(store, []step{func(ctx context.Context, do func(context.Context) error) error {
					apply := func() {
						if tc.others {
							lay(store, naming.V2, 2)
							return
						}
						_ = do(context.WithoutCancel(ctx))
					}
					if tc.after == 0 {
						apply()
					} else {
						time.AfterFunc(tc.after, apply)
					}
					cancel()
					return ctx.Err()
				}})
				began := time.Now()
				_, err := table.Commit(ctx, 2, manifestOf(2, "mine"))
				require.ErrorIs(t, err, tc.want)
				require.NotErrorIs(t, err, context.Canceled)
				require.Equal(t, 1, *puts)
				require.Less(t, time.Since(began), time.Second)
				time.Sleep(time.Second)
			})
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
		require.Less(t, time.Since(began), 1700*time.Millisecond, "the looks take 0.7 s of the grace")
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
