package bench_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/bench"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

func TestABenchmarkMeasuresEverythingAndLeavesNothing(t *testing.T) {
	disk, err := file.Open(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, disk.Close()) })
	for _, tc := range []struct {
		name  string
		store backends.Store
		span  time.Duration
		hint  float64
	}{
		{"a bucket", newMemory(), bench.MaxFor, 0},
		{"a bucket that lists in no order", memory.New(memory.Options{Unordered: true}), bench.MaxFor, 1},
		{"a disk", disk, 2 * time.Second, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := tc.store.PutIfAbsent(t.Context(), "some/folder/mine", nil, backends.PutOptions{})
			require.NoError(t, err)
			cfg := small(t, tc.store)
			cfg.For = tc.span
			report, err := bench.Run(t.Context(), cfg)
			require.NoError(t, err)

			ops := report.Operations
			for name, op := range map[string]bench.Operation{
				"put": ops.Put, "head": ops.Head, "list": ops.List,
				"commit": ops.Commit, "latest cold": ops.LatestCold, "latest warm": ops.LatestWarm,
			} {
				require.Positive(t, op.N, name)
				require.Equal(t, ops.Put.N, op.N, "they take turns")
				require.Positive(t, op.P50, name)
				require.GreaterOrEqual(t, op.P99, op.P50, name)
				require.Zero(t, op.Failed, name)
			}
			for _, own := range []bench.Operation{ops.Commit, ops.LatestCold, ops.LatestWarm} {
				require.Positive(t, *own.Ratio)
			}
			for _, raw := range []bench.Operation{ops.Put, ops.Head, ops.List} {
				require.Nil(t, raw.Ratio)
			}
			require.Equal(t, bench.Requests{Put: 1}, ops.Put.Requests)
			require.Equal(t, bench.Requests{Head: 1}, ops.Head.Requests)
			require.Equal(t, bench.Requests{List: 1}, ops.List.Requests)
			require.Equal(t, bench.Requests{Put: 1, Hint: tc.hint}, ops.Commit.Requests)
			require.Equal(t, bench.Requests{List: 1}, ops.LatestCold.Requests)
			require.Equal(t, bench.Requests{Head: 1}, ops.LatestWarm.Requests)

			require.Len(t, report.Contention, 6)
			for i, writers := range []int{1, 3, 8} {
				for j, form := range []bench.Form{bench.OneHandle, bench.HandleEach} {
					c := report.Contention[2*i+j]
					what := fmt.Sprintf("%d writers, %s", writers, form)
					require.Equal(t, writers, c.Writers, what)
					require.Equal(t, form, c.Form, what)
					found, ok := report.With(form, writers)
					require.True(t, ok)
					require.Equal(t, c, found)
					require.Positive(t, c.Commits, what)
					require.Positive(t, c.PerSecond, what)
					require.Positive(t, c.SerialLimit, what)
					require.GreaterOrEqual(t, c.N, c.Commits, what)
					require.Zero(t, c.Failed, what)
					if form == bench.OneHandle || writers == 1 {
						require.Equal(t, 1.0, c.Requests.Put, what)
						require.LessOrEqual(t, c.Requests.Get, c.Requests.List, "only a handle that stood back reads what it has committed")
					} else {
						require.GreaterOrEqual(t, c.Requests.Put, 1.0, what)
					}
					require.Equal(t, tc.hint, c.Requests.Hint, what)
				}
			}
			require.Len(t, report.Costs.Stores, 3)
			require.Equal(t, 8, report.Costs.ContendedWriters)
			require.Equal(t, len(small(t).Manifest), report.ManifestBytes)
			require.LessOrEqual(t, report.Objects, bench.MinObjects)
			require.Positive(t, report.Elapsed)
			require.NotNil(t, report.Left)
			require.Empty(t, report.Left)
			require.Equal(t, []string{"some/folder/mine"}, inside(t, tc.store, ""))
		})
	}
}

func TestOneWriterAloneIsAllOfTheMean(t *testing.T) {
	report, err := bench.Run(t.Context(), small(t, newMemory()))
	require.NoError(t, err)
	alone, _ := report.With(bench.HandleEach, 1)
	require.Equal(t, 1.0, *alone.Slowest)
}

func TestWritersWithAHandleEachUseAllConnections(t *testing.T) {
	store := newMemory()
	var used [3]atomic.Int64
	var handles []backends.Store
	for i := range used {
		handles = append(handles, failing(store, func(call intercept.Call) error {
			if isPut(call) {
				used[i].Add(1)
			}
			return nil
		}))
	}
	_, err := bench.Run(t.Context(), small(t, handles...))
	require.NoError(t, err)
	for i := range used {
		require.Positive(t, used[i].Load(), "handle %d", i)
	}
	require.Empty(t, inside(t, store, ""))
}

func TestTheObjectsAreBounded(t *testing.T) {
	store := newMemory()
	var puts atomic.Int64
	counted := intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
		err := do(ctx)
		if isPut(call) && err == nil {
			puts.Add(1)
		}
		return err
	})
	for _, most := range []int{1000, 3000} {
		puts.Store(0)
		cfg := small(t, counted)
		cfg.MaxObjects = most
		cfg.Writers = []int{1, 2, 4, 8, 16, 32, 64, 100}
		report, err := bench.Run(t.Context(), cfg)
		require.NoError(t, err)
		require.EqualValues(t, puts.Load(), report.Objects)
		require.LessOrEqual(t, report.Objects, most)
		require.Greater(t, report.Objects, most*3/4, "they are used")
	}
}

func TestNonsenseIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	store := failing(newMemory(), func(call intercept.Call) error { return fmt.Errorf("%v was sent", call) })
	for name, change := range map[string]func(*bench.Config){
		"no store":                    func(c *bench.Config) { c.Stores = nil },
		"no time":                     func(c *bench.Config) { c.For = 0 },
		"too little time":             func(c *bench.Config) { c.For = bench.MinFor - 1 },
		"too much time":               func(c *bench.Config) { c.For = bench.MaxFor + 1 },
		"too few objects":             func(c *bench.Config) { c.MaxObjects = bench.MinObjects - 1 },
		"too many objects":            func(c *bench.Config) { c.MaxObjects = bench.MostObjects + 1 },
		"too many bytes":              func(c *bench.Config) { c.MaxObjects = bench.MostObjects; c.Manifest = make([]byte, 20_000) },
		"no writers":                  func(c *bench.Config) { c.Writers = nil },
		"a number below one":          func(c *bench.Config) { c.Writers = []int{1, 0} },
		"a number that is too large":  func(c *bench.Config) { c.Writers = []int{bench.MostWriters + 1} },
		"a number twice":              func(c *bench.Config) { c.Writers = []int{4, 1, 4} },
		"too many numbers":            func(c *bench.Config) { c.Writers = make([]int, bench.MostCounts+1) },
		"no manifest":                 func(c *bench.Config) { c.Manifest = []byte("no manifest") },
		"a root that is none":         func(c *bench.Config) { c.Root = "a/../b" },
		"a root that leaves no room":  func(c *bench.Config) { c.Root = longest },
		"a root with a control sign":  func(c *bench.Config) { c.Root = "a\x00" },
		"a root with an empty folder": func(c *bench.Config) { c.Root = "a//b" },
	} {
		cfg := small(t, store)
		change(&cfg)
		_, err := bench.Run(t.Context(), cfg)
		require.ErrorIs(t, err, committer.ErrInvalid, name)
	}
}

var longest = func() (root string) {
	for len(root) < 940 {
		root += "folder-of-some-length/"
	}
	return root + "end"
}()

func TestARatioIsOfTheCallToItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := small(t, intercept.Wrap(newMemory(), func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
			took := 20 * time.Millisecond
			if strings.Contains(call.Key, "commit.lance") {
				took *= 3
			}
			time.Sleep(took)
			return do(ctx)
		}))
		cfg.For = 20 * time.Second
		report, err := bench.Run(t.Context(), cfg)
		require.NoError(t, err)
		require.Equal(t, 3.0, *report.Operations.Commit.Ratio)
		require.Equal(t, 1.0, *report.Operations.LatestCold.Ratio)
		require.Equal(t, 1.0, *report.Operations.LatestWarm.Ratio)
		require.Equal(t, 60*time.Millisecond, report.Operations.Commit.P99)
	})
}
