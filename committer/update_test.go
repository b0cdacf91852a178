package committer_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

// build makes the same bytes for everybody who builds on the same base.
func build(_ context.Context, base committer.Version) ([]byte, error) {
	return manifestOf(base.Number+1, "same"), nil
}

func TestAnUpdateOfAnEmptyTableMakesVersionOne(t *testing.T) {
	store := memory.New(memory.Options{})
	got, err := committer.NewTable(store, root).Update(t.Context(), func(ctx context.Context, base committer.Version) ([]byte, error) {
		require.Zero(t, base)
		return build(ctx, base)
	})
	require.NoError(t, err)
	require.EqualValues(t, 1, got.Number)
}

func TestUpdatesOfManyWritersAreAllInTheChainOnce(t *testing.T) {
	const tables, goroutines, updates = 4, 4, 25
	store := memory.New(memory.Options{})
	var mu sync.Mutex
	owners := make(map[uint64]int)
	var writers sync.WaitGroup
	for range tables {
		table := committer.NewTable(store, root)
		for range goroutines {
			writers.Go(func() {
				for range updates {
					v, err := table.Update(t.Context(), build)
					if !errors.Is(err, nil) {
						t.Errorf("update: %v", err)
						return
					}
					mu.Lock()
					owners[v.Number]++
					mu.Unlock()
				}
			})
		}
	}
	writers.Wait()
	require.Len(t, owners, tables*goroutines*updates, "every update has a version of its own")
	for v := uint64(1); v <= tables*goroutines*updates; v++ {
		require.Equal(t, 1, owners[v], "version %d", v)
	}
}

func TestTwoUpdatesThatBuildTheSameBytesMakeTwoVersions(t *testing.T) {
	for _, tc := range []struct {
		name  string
		first step
	}{
		{"refused as taken", pass},
		{"the reply to the refusal is lost", lostReply},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := laid(1)
				rival := committer.NewTable(store, root)
				table, _ := scripted(store, []step{func(ctx context.Context, do func(context.Context) error) error {
					_, err := rival.Update(ctx, build)
					require.NoError(t, err)
					return tc.first(ctx, do)
				}, pass})
				built := 0
				got, err := table.Update(t.Context(), func(ctx context.Context, base committer.Version) ([]byte, error) {
					built++
					return build(ctx, base)
				})
				require.NoError(t, err)
				require.EqualValues(t, 3, got.Number)
				require.Equal(t, 2, built)
			})
		})
	}
}

func TestAnUpdateWhoseReplyIsLostIsCommittedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := laid(1)
		table, puts := scripted(store, []step{lostReply})
		got, err := table.Update(t.Context(), build)
		require.NoError(t, err)
		require.EqualValues(t, 2, got.Number)
		require.Equal(t, 1, *puts)
		require.Len(t, keys(t, store), 2)
	})
}

// Something between here and the store can send a request twice.
func TestAnUpdateWhoseCreateIsSentTwiceIsCommittedOnce(t *testing.T) {
	twice := func(ctx context.Context, do func(context.Context) error) error {
		_ = do(ctx)
		return do(ctx)
	}
	store := laid(1)
	table, puts := scripted(store, []step{twice, pass})
	v, err := table.Update(t.Context(), func(_ context.Context, base committer.Version) ([]byte, error) {
		return manifestOf(base.Number+1, "mine"), nil
	})
	require.NoError(t, err)
	require.EqualValues(t, 2, v.Number)
	require.Equal(t, 1, *puts)
	require.Len(t, keys(t, store), 2)
}

func TestAnUpdateThatIsRefusedAndFindsTheVersionGoneIsUnknown(t *testing.T) {
	store := laid(1)
	table, puts := scripted(store, []step{func(ctx context.Context, do func(context.Context) error) error {
		_ = do(ctx)
		err := do(ctx)
		lay(store, naming.V2, 3)
		require.NoError(t, store.Delete(ctx, naming.Versions(root)+naming.V2.Final(2)))
		return err
	}})
	_, err := table.Update(t.Context(), build)
	require.ErrorIs(t, err, committer.ErrUnknownOutcome)
	require.Equal(t, 1, *puts)
}

func TestWithoutMetadataAnUpdateThatCannotTellWhoseBytesAreThereIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(memory.Options{NoMetadata: true})
		lay(store, naming.V2, 1)
		table, _ := scripted(store, []step{lostReply})
		_, err := table.Update(t.Context(), build)
		require.ErrorIs(t, err, committer.ErrUnknownOutcome)
	})
}

func TestAWriterThatLosesEveryRaceStopsAtItsBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := laid(1)
		next := uint64(2)
		var tries []time.Time
		learned := 0
		table := committer.NewTable(intercept.Wrap(store, func(
			ctx context.Context, call intercept.Call, do func(context.Context) error,
		) error {
			switch {
			case call.Method == "LIST", call.String() == head(next):
				learned++
			case call.Method == "PUT":
				tries = append(tries, time.Now())
				time.Sleep(10 * time.Millisecond)
				lay(store, naming.V2, next)
				next++
			}
			return do(ctx)
		}), root)
		began := time.Now()
		_, err := table.Update(t.Context(), build)
		require.ErrorIs(t, err, committer.ErrContention)
		require.NotErrorIs(t, err, committer.ErrUnknownOutcome)
		require.InDelta(t, 30, time.Since(began).Seconds(), 1)
		require.GreaterOrEqual(t, learned, len(tries), "the end is learned again before each try")
		// Means, since there is jitter.
		early, late := tries[4].Sub(tries[0])/4, tries[300].Sub(tries[100])/200
		require.Greater(t, late, early, "pauses grow")
	})
}

func TestAnErrorOfBuildEndsTheUpdate(t *testing.T) {
	store := laid(1)
	errBuild := errors.New("no rows")
	_, err := committer.NewTable(store, root).Update(t.Context(), func(context.Context, committer.Version) ([]byte, error) {
		return nil, errBuild
	})
	require.ErrorIs(t, err, errBuild)
	_, err = committer.NewTable(store, root).Update(t.Context(), func(_ context.Context, base committer.Version) ([]byte, error) {
		return manifestOf(base.Number, "not re-versioned"), nil
	})
	require.ErrorIs(t, err, committer.ErrInvalid)
	require.Len(t, keys(t, store), 1)
}

func TestABuildThatTakesLongBuildsAgainWhenTheTableHasChanged(t *testing.T) {
	for _, tc := range []struct {
		name      string
		meanwhile uint64
		want      uint64
	}{
		{"another writer committed", 2, 3},
		{"the table was made again, with as many versions", 1, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := laid(1)
				built := 0
				got, err := committer.NewTable(store, root).Update(t.Context(), func(ctx context.Context, base committer.Version) ([]byte, error) {
					if built++; built == 1 {
						time.Sleep(6 * time.Second)
						lay(store, naming.V2, tc.meanwhile)
					}
					return build(ctx, base)
				})
				require.NoError(t, err)
				require.Equal(t, 2, built)
				require.Equal(t, tc.want, got.Number)
			})
		})
	}
}

func TestAWriteInsideBuildIsRefusedAtOnce(t *testing.T) {
	store := laid(1)
	table := committer.NewTable(store, root)
	other := committer.NewTable(memory.New(memory.Options{}), root)
	_, err := table.Update(t.Context(), func(ctx context.Context, base committer.Version) ([]byte, error) {
		_, err := table.Commit(ctx, 2, manifestOf(2, "mine"))
		require.ErrorIs(t, err, committer.ErrReentrant)
		_, err = table.Update(ctx, build)
		require.ErrorIs(t, err, committer.ErrReentrant)
		_, err = table.Latest(ctx)
		require.NoError(t, err, "reading is allowed")
		_, err = other.Commit(ctx, 1, manifestOf(1, "mine"))
		require.NoError(t, err, "so is another table")
		return build(ctx, base)
	})
	require.NoError(t, err)
}

func TestAWriteInsideAHookIsRefusedAtOnce(t *testing.T) {
	var table *committer.Table
	hooked := 0
	table = committer.NewTable(laid(1), root, committer.WithHooks(committer.Hooks{
		Committed: func(ctx context.Context, _ committer.CommittedInfo) {
			hooked++
			_, err := table.Commit(ctx, 3, manifestOf(3, "mine"))
			require.ErrorIs(t, err, committer.ErrReentrant)
		},
	}))
	_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
	require.NoError(t, err)
	require.Equal(t, 1, hooked)
}

func TestABuildThatPanicsGivesItsTurnBack(t *testing.T) {
	table := committer.NewTable(laid(1), root)
	require.Panics(t, func() {
		_, _ = table.Update(t.Context(), func(context.Context, committer.Version) ([]byte, error) { panic("no rows") })
	})
	_, err := table.Update(t.Context(), build)
	require.NoError(t, err)
}

func TestWritersOfOneTableTakeTurnsAndGiveWayToTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := laid(1)
		table := committer.NewTable(store, root)
		var order []int
		var mu sync.Mutex
		var writers sync.WaitGroup
		hold := make(chan struct{})
		for i := range 5 {
			writers.Go(func() {
				_, err := table.Update(t.Context(), func(ctx context.Context, base committer.Version) ([]byte, error) {
					<-hold
					mu.Lock()
					order = append(order, i)
					mu.Unlock()
					return build(ctx, base)
				})
				if err != nil {
					t.Errorf("update: %v", err)
				}
			})
			synctest.Wait()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := table.Commit(ctx, 2, manifestOf(2, "mine"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, keys(t, store), 1, "nothing is written")

		close(hold)
		writers.Wait()
		require.Equal(t, []int{0, 1, 2, 3, 4}, order, "first come, first served")
	})
}

func TestHooksSeeWhatHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events []string
		var ctxSeen atomic.Bool
		type key struct{}
		note := func(ctx context.Context, format string, args ...any) {
			ctxSeen.Store(ctx.Value(key{}) == "request 7")
			events = append(events, fmt.Sprintf(format, args...))
		}
		store := laid(1)
		table, _ := scripted(store, []step{answers(backends.ErrContended), lostReply, pass}, committer.WithHooks(committer.Hooks{
			Attempt: func(ctx context.Context, i committer.AttemptInfo) {
				note(ctx, "attempt %d of %d ok=%t", i.Try, i.Version, i.Err == nil)
			},
			Resolved: func(ctx context.Context, i committer.ResolvedInfo) { note(ctx, "%d %s", i.Version, i.Outcome) },
			Conflict: func(ctx context.Context, c *committer.ConflictError) { note(ctx, "conflict %d", c.Version) },
			Committed: func(ctx context.Context, i committer.CommittedInfo) {
				note(ctx, "committed %d in %d", i.Version.Number, i.Attempts)
			},
		}))
		ctx := context.WithValue(t.Context(), key{}, "request 7")
		_, err := table.Commit(ctx, 2, manifestOf(2, "mine"))
		require.NoError(t, err)
		lay(store, naming.V2, 3)
		_, err = table.Commit(ctx, 3, manifestOf(3, "mine"))
		require.ErrorIs(t, err, committer.ErrConflict)
		require.Equal(t, []string{
			"attempt 1 of 2 ok=false", "attempt 2 of 2 ok=false", "2 committed", "committed 2 in 2",
			"attempt 1 of 3 ok=false", "3 conflict", "conflict 3",
		}, events)
		require.True(t, ctxSeen.Load(), "hooks have the caller's context")
	})
}

func TestWithoutABuildFunctionOrAStoreNothingIsAsked(t *testing.T) {
	table, log := counted(laid(1))
	_, err := table.Update(t.Context(), nil)
	require.ErrorIs(t, err, committer.ErrInvalid)
	require.Empty(t, log.Take())
	_, err = committer.NewTable(nil, root).Latest(t.Context())
	require.ErrorIs(t, err, committer.ErrInvalid)
}

func TestAnUpdateAfterTheLastVersionThatThereIsBuildsNothing(t *testing.T) {
	table := committer.NewTable(laid(naming.MaxVersion), root, nil)
	_, err := table.Update(t.Context(), func(context.Context, committer.Version) ([]byte, error) {
		t.Error("there is nothing to build")
		return nil, nil
	})
	require.ErrorIs(t, err, committer.ErrInvalid)
	require.ErrorContains(t, err, "the last one that a table can have")
}
