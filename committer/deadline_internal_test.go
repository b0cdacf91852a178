package committer

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Each rule holds for the context of the standard library, too.
var deadlines = map[string]func(ctx context.Context, at time.Time) (context.Context, func()){
	"a deadline": func(ctx context.Context, at time.Time) (context.Context, func()) {
		d := withDeadline(ctx, at)
		return d, d.end
	},
	"a deadline that somebody waits for": func(ctx context.Context, at time.Time) (context.Context, func()) {
		d := withDeadline(ctx, at)
		_ = d.Done()
		return d, d.end
	},
	"the standard library's": func(ctx context.Context, at time.Time) (context.Context, func()) {
		return context.WithDeadline(ctx, at)
	},
}

func TestADeadlineIsAContextLikeOthers(t *testing.T) {
	type key struct{}
	for name, with := range deadlines {
		// In a bubble, time passes only when everybody waits.
		rule := func(rule string, check func(t *testing.T)) {
			t.Run(name+" "+rule, func(t *testing.T) { synctest.Test(t, check) })
		}
		rule("lasts until its time", func(t *testing.T) {
			ctx, end := with(t.Context(), time.Now().Add(time.Minute))
			defer end()
			time.Sleep(59 * time.Second)
			require.NoError(t, ctx.Err())
			time.Sleep(time.Second)
			synctest.Wait()
			require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
			require.ErrorIs(t, context.Cause(ctx), context.DeadlineExceeded)
			<-ctx.Done()
		})
		rule("wakes who waits at its time", func(t *testing.T) {
			began := time.Now()
			ctx, end := with(t.Context(), began.Add(time.Minute))
			defer end()
			<-ctx.Done()
			require.Equal(t, time.Minute, time.Since(began))
			require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
		})
		rule("ends with the context around", func(t *testing.T) {
			around, cancel := context.WithCancel(t.Context())
			ctx, end := with(around, time.Now().Add(time.Minute))
			defer end()
			cancel()
			require.ErrorIs(t, ctx.Err(), context.Canceled)
			<-ctx.Done()
		})
		rule("is over at its end", func(t *testing.T) {
			ctx, end := with(t.Context(), time.Now().Add(time.Minute))
			require.NoError(t, ctx.Err())
			end()
			require.ErrorIs(t, ctx.Err(), context.Canceled)
			<-ctx.Done()
			time.Sleep(time.Hour)
			require.ErrorIs(t, ctx.Err(), context.Canceled)
		})
		rule("ends its children", func(t *testing.T) {
			ctx, end := with(t.Context(), time.Now().Add(time.Minute))
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			require.NoError(t, child.Err())
			end()
			require.ErrorIs(t, child.Err(), context.Canceled)
		})
		rule("has the values around", func(t *testing.T) {
			ctx, end := with(context.WithValue(t.Context(), key{}, 7), time.Now().Add(time.Minute))
			defer end()
			require.Equal(t, 7, ctx.Value(key{}))
		})
		rule("says the earlier time", func(t *testing.T) {
			now := time.Now()
			around, cancel := context.WithDeadline(t.Context(), now.Add(time.Minute))
			defer cancel()
			for own, want := range map[time.Duration]time.Duration{time.Second: time.Second, time.Hour: time.Minute} {
				ctx, end := with(around, now.Add(own))
				at, ok := ctx.Deadline()
				require.True(t, ok)
				require.Equal(t, now.Add(want), at)
				end()
			}
		})
	}
}

func TestADeadlineCostsOneAllocationUntilSomebodyWaits(t *testing.T) {
	ctx, at := context.Background(), time.Now().Add(time.Hour)
	var err error
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		d := withDeadline(ctx, at)
		err = context.Context(d).Err()
		d.end()
	}), 1.0)
	require.NoError(t, err)
}
