package bench_test

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/bench"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

func TestAStoreThatIsNotFitIsNotMeasured(t *testing.T) {
	denied := func(method string) func(intercept.Call) error {
		return func(call intercept.Call) error {
			if call.Method == method {
				return backends.ErrPermission
			}
			return nil
		}
	}
	always := func(err error) func(intercept.Call) error {
		return func(intercept.Call) error { return err }
	}
	for _, tc := range []struct {
		name string
		fail func(intercept.Call) error
		want error
	}{
		{"no permission to create", denied("PUT"), fs.ErrPermission},
		{"no permission to list", denied("LIST"), fs.ErrPermission},
		{"no permission to read", denied("GET"), fs.ErrPermission},
		{"no permission to look", denied("HEAD"), fs.ErrPermission},
		{"no bucket", always(backends.ErrNoBucket), backends.ErrNoBucket},
		{"wrong credentials", always(backends.ErrUnauthenticated), backends.ErrUnauthenticated},
		{"nobody answers", always(errStorm), errStorm},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store := newMemory()
			report, err := bench.Run(t.Context(), small(t, failing(store, tc.fail)))
			require.ErrorIs(t, err, tc.want)
			require.Zero(t, report.Operations, "nothing half true")
			require.Empty(t, report.Contention)
			require.Empty(t, inside(t, store, ""))
		})
	}
}

func TestAStoreThatCreatesTwiceIsNotMeasured(t *testing.T) {
	for said, refuses := range map[string]bool{"was not refused": false, "the first bytes are not there": true} {
		t.Run(said, func(t *testing.T) {
			store := newMemory()
			overwriting := intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
				if !isPut(call) {
					return do(ctx)
				}
				_, err := store.Head(ctx, call.Key)
				there := err == nil
				if err := store.Delete(ctx, call.Key); err != nil {
					return err
				}
				if err := do(ctx); err != nil || !there || !refuses {
					return err
				}
				return backends.ErrExists
			})
			report, err := bench.Run(t.Context(), small(t, overwriting))
			require.ErrorIs(t, err, committer.ErrInconsistentStore)
			require.ErrorContains(t, err, said)
			require.ErrorContains(t, err, "lancecommit doctor")
			require.Zero(t, report.Operations)
			require.Empty(t, inside(t, store, ""))
		})
	}
}

func TestAFailureOnceInAWhileIsCounted(t *testing.T) {
	store := newMemory()
	synctest.Test(t, func(t *testing.T) {
		report, err := bench.Run(t.Context(), small(t, failing(store, func(call intercept.Call) error {
			if rand.N(25) == 0 && !isDelete(call) && !strings.HasSuffix(call.Key, "check") {
				return errStorm
			}
			return nil
		})))
		require.NoError(t, err)
		ops := report.Operations
		require.Positive(t, ops.Put.Failed+ops.Head.Failed+ops.List.Failed)
		for _, op := range []bench.Operation{ops.Put, ops.Head, ops.List, ops.Commit, ops.LatestCold, ops.LatestWarm} {
			require.Positive(t, op.N)
		}
		require.Len(t, report.Contention, 6)
	})
	require.Empty(t, inside(t, store, ""))
}

func TestWhatWasMadeIsRemovedWhenTheStoreFails(t *testing.T) {
	for _, after := range []int64{3, 20, 200, 600, 800} {
		var puts atomic.Int64
		store := newMemory()
		synctest.Test(t, func(t *testing.T) {
			report, err := bench.Run(t.Context(), small(t, failing(store, func(call intercept.Call) error {
				if isPut(call) && puts.Add(1) > after {
					return errStorm
				}
				return nil
			})))
			require.ErrorContains(t, err, errStorm.Error(), "after %d creates", after)
			require.Zero(t, report.Operations)
			require.Empty(t, report.Left)
		})
		require.Empty(t, inside(t, store, ""), "after %d creates", after)
	}
}

// slow returns a store whose requests take so long, and end early with their
// context.
func slow(store backends.Store, took time.Duration) backends.Store {
	return intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
		select {
		case <-time.After(took):
			return do(ctx)
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

func TestTheTimeIsBounded(t *testing.T) {
	for _, tc := range []struct {
		took, span, most time.Duration
	}{
		{30 * time.Millisecond, 30 * time.Second, 35 * time.Second},
		{30 * time.Millisecond, 3 * time.Minute, 3*time.Minute + 30*time.Second},
		{300 * time.Millisecond, 5 * time.Second, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			store := newMemory()
			cfg := small(t, slow(store, tc.took))
			cfg.For, cfg.MaxObjects, cfg.Grace = tc.span, bench.MostObjects, time.Hour
			began := time.Now()
			measured := time.Duration(0)
			cfg.Progress = func(doing string, _, _ int) {
				if !strings.HasPrefix(doing, "removing") {
					measured = time.Since(began)
				}
			}
			report, err := bench.Run(t.Context(), cfg)
			require.NoError(t, err)
			require.LessOrEqual(t, measured, tc.most)
			require.Greater(t, measured, tc.span*3/4, "the time is used")
			require.Equal(t, tc.took, report.Operations.Put.P50)
			require.Equal(t, 1.0, *report.Operations.Commit.Ratio)
			for _, c := range report.Contention {
				require.Positive(t, c.Commits)
				require.LessOrEqual(t, c.PerSecond, c.SerialLimit)
				require.InDelta(t, time.Second.Seconds()/tc.took.Seconds(), c.SerialLimit, 0.1)
				if c.Form == bench.OneHandle && tc.span > time.Minute {
					require.Greater(t, c.PerSecond, c.SerialLimit*0.8)
					require.GreaterOrEqual(t, c.P50, time.Duration(c.Writers)*tc.took, "each waits for all others")
				}
			}
			require.Empty(t, inside(t, store, ""))
		})
	}
}

func TestAStoreThatIsTooSlowEndsTheBenchmark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory()
		cfg := small(t, slow(store, 4*time.Second))
		cfg.For, cfg.Grace = time.Second, time.Hour
		began := time.Now()
		report, err := bench.Run(t.Context(), cfg)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "too slow")
		require.Zero(t, report.Operations)
		require.Less(t, time.Since(began), 3*time.Minute)
		require.Empty(t, inside(t, store, ""))
	})
}

func TestABenchmarkEndsWithItsContext(t *testing.T) {
	for _, tc := range []struct {
		name string
		took time.Duration
		// most is how long it may take from then on.
		most time.Duration
	}{
		{"and finishes what is under way", 30 * time.Millisecond, 2 * time.Second},
		{"and breaks off what hangs", 5 * time.Second, 10 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, after := range []time.Duration{0, 10 * time.Millisecond, 9 * time.Second, 11 * time.Second, 25 * time.Second} {
				synctest.Test(t, func(t *testing.T) {
					store := newMemory()
					var hangs atomic.Bool
					quick, late := slow(store, 30*time.Millisecond), slow(store, tc.took)
					cfg := small(t, intercept.Wrap(quick, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
						if isPut(call) && hangs.Load() {
							_, err := late.PutIfAbsent(ctx, call.Key, []byte("late"), backends.PutOptions{})
							return err
						}
						return do(ctx)
					}))
					time.AfterFunc(after-time.Second, func() { hangs.Store(true) })
					cfg.For, cfg.MaxObjects = 30*time.Second, bench.MostObjects
					ctx, cancel := context.WithCancel(t.Context())
					time.AfterFunc(after, cancel)
					began := time.Now()
					report, err := bench.Run(ctx, cfg)
					require.ErrorIs(t, err, context.Canceled)
					require.ErrorContains(t, err, "it did not end")
					require.Zero(t, report.Operations, "nothing half true")
					require.LessOrEqual(t, time.Since(began), after+tc.most)
					require.Empty(t, report.Left)
					require.Empty(t, inside(t, store, ""))
				})
			}
		})
	}
}

func TestWhatCannotBeRemovedIsNamed(t *testing.T) {
	for _, tc := range []struct {
		name string
		// refuse says what becomes of a delete of so many keys.
		refuse func(call intercept.Call) error
		want   error
		all    bool
	}{
		{"no permission", func(intercept.Call) error { return backends.ErrPermission }, fs.ErrPermission, true},
		{"the store fails", func(intercept.Call) error { return errStorm }, errStorm, true},
		{"some objects are held", func(call intercept.Call) error {
			var held []*backends.Error
			for _, key := range call.Keys {
				if strings.Contains(key, "/put/") {
					held = append(held, &backends.Error{Op: "delete", Key: key, Err: fs.ErrPermission})
				}
			}
			return &backends.PartialDeleteError{Failed: held}
		}, fs.ErrPermission, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store := newMemory()
			report, err := bench.Run(t.Context(), small(t, intercept.Wrap(store,
				func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
					if !isDelete(call) {
						return do(ctx)
					}
					err := tc.refuse(call)
					var partial *backends.PartialDeleteError
					if errors.As(err, &partial) {
						for _, key := range call.Keys {
							if !strings.Contains(key, "/put/") {
								require.NoError(t, store.Delete(ctx, key))
							}
						}
					}
					return err
				})))
			require.ErrorIs(t, err, bench.ErrLeft)
			require.ErrorIs(t, err, tc.want)
			require.ErrorContains(t, err, report.Folder)
			require.Positive(t, report.Operations.Put.N, "what was measured is true all the same")
			there := inside(t, store, "")
			require.True(t, slices.Equal(slices.Sorted(slices.Values(there)), report.Left), "%d are there, %d are named", len(there), len(report.Left))
			require.Equal(t, tc.all, len(there) == report.Objects)
		})
	}
}

func TestDeletesGoOneByOneWhereTheStoreHasNothingElse(t *testing.T) {
	for name, refuse := range map[string]func(backends.Store) backends.Store{
		"no such method": func(s backends.Store) backends.Store { return struct{ backends.Store }{s} },
		"it is not supported": func(s backends.Store) backends.Store {
			return failing(s, func(call intercept.Call) error {
				if call.Method == "BULKDELETE" {
					return backends.ErrUnsupported
				}
				return nil
			})
		},
		"the first fails": func(s backends.Store) backends.Store {
			var failed atomic.Bool
			return failing(s, func(call intercept.Call) error {
				if isDelete(call) && failed.CompareAndSwap(false, true) {
					return errStorm
				}
				return nil
			})
		},
	} {
		store := newMemory()
		cfg := small(t, refuse(store))
		var last [2]int
		cfg.Progress = func(_ string, done, total int) { last = [2]int{done, total} }
		report, err := bench.Run(t.Context(), cfg)
		require.NoError(t, err, name)
		require.Empty(t, inside(t, store, ""), name)
		require.Equal(t, last[0], last[1], "the progress has come to its end")
		require.Positive(t, report.Objects)
	}
}

func TestACreateThatLandsLateIsRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory()
		var puts atomic.Int64
		cfg := small(t, intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
			if isPut(call) && puts.Add(1) == 50 {
				// The connection breaks, and the create goes through.
				_ = do(ctx)
				return errStorm
			}
			return do(ctx)
		}))
		_, err := bench.Run(t.Context(), cfg)
		require.NoError(t, err)
		require.Empty(t, inside(t, store, ""))
	})
}

func TestACreateUnderWayIsNotBrokenOff(t *testing.T) {
	for _, folder := range []string{"/put/", "/commit.lance/", "/handle_each-8.lance/"} {
		synctest.Test(t, func(t *testing.T) {
			store := newMemory()
			ctx, cancel := context.WithCancel(t.Context())
			var creates atomic.Int64
			cfg := small(t, intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
				if isPut(call) && strings.Contains(call.Key, folder) && creates.Add(1) == 20 {
					time.AfterFunc(time.Second/2, cancel)
				}
				select {
				case <-time.After(time.Second):
					return do(ctx)
				case <-ctx.Done():
					// It is on its way all the same.
					time.AfterFunc(time.Minute, func() { _ = do(context.WithoutCancel(ctx)) })
					return ctx.Err()
				}
			}))
			_, err := bench.Run(ctx, cfg)
			require.ErrorIs(t, err, context.Canceled, folder)
			time.Sleep(2 * time.Minute)
			require.Empty(t, inside(t, store, ""), folder)
		})
	}
}

// forgetful is a store whose listings lack the newest version.
type forgetful struct{ backends.Store }

func (s forgetful) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	page, err := s.Store.List(ctx, in)
	if strings.Contains(in.Prefix, "lookup.lance") && len(page.Objects) > 0 {
		page.Objects = page.Objects[1:]
	}
	return page, err
}

func TestAStoreThatForgetsIsNotMeasured(t *testing.T) {
	_, err := bench.Run(t.Context(), small(t, forgetful{newMemory()}))
	require.ErrorIs(t, err, committer.ErrInconsistentStore)
	require.ErrorContains(t, err, "the latest version is said to be 9, and is 10")
}
