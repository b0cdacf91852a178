package committer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
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

func TestProbeCallsAStoreSafe(t *testing.T) {
	for _, tc := range []struct {
		name              string
		opts              memory.Options
		listing, metadata string
		notes             []string
	}{
		{"a bucket", memory.Options{}, "ordered", "kept", nil},
		{"small pages", memory.Options{PageSize: 3}, "ordered", "kept", nil},
		{"unordered", memory.Options{Unordered: true}, "unordered", "kept", []string{"unordered"}},
		{"unordered, small pages", memory.Options{Unordered: true, PageSize: 2}, "unordered", "kept", []string{"unordered"}},
		{"without metadata", memory.Options{NoMetadata: true}, "ordered", "none", []string{"no-metadata"}},
	} {
		for _, far := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, far away %t", tc.name, far), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := newScripted(tc.opts)
					if far {
						farAway(store)
					}
					report, err := committer.Probe(t.Context(), store, committer.ProbeOptions{})
					require.NoError(t, err)
					require.True(t, report.Safe())
					var notes []string
					for _, f := range report.Findings[1:] {
						require.Equal(t, committer.ProbeNote, f.Level)
						notes = append(notes, f.Name)
					}
					require.Equal(t, tc.notes, notes)
					require.Equal(t, tc.listing, report.Figures.Listing)
					require.Equal(t, tc.metadata, report.Figures.Metadata)
					require.Equal(t, 5, report.Figures.DecidedPairs)
					require.Equal(t, 20, report.Figures.DecidedRounds)
					require.Equal(t, 8, report.Figures.Writers)
					require.Empty(t, below(t, store.Store, ""))
					if far {
						require.Equal(t, 2*latency, report.Figures.Put)
						require.Equal(t, latency, report.Figures.Head)
						require.Equal(t, latency, report.Figures.List)
						require.NotNil(t, report.Figures.ClockAhead)
						require.LessOrEqual(t, report.Figures.ClockAhead.Abs(), latency)
					}
				})
			})
		}
	}
}

func TestAReportIsJSONWithoutNulls(t *testing.T) {
	report, err := committer.Probe(t.Context(), memory.New(memory.Options{}), committer.ProbeOptions{Rounds: 1})
	require.NoError(t, err)
	text, err := json.Marshal(report)
	require.NoError(t, err)
	require.NotContains(t, string(text), "null")
	var again committer.ProbeReport
	require.NoError(t, json.Unmarshal(text, &again))
	require.Equal(t, report, again)
}

func TestRequestsOfAProbe(t *testing.T) {
	for _, tc := range []struct {
		rounds int
		want   map[string]int
	}{
		{20, map[string]int{"PUT": 185, "GET": 69, "HEAD": 11, "LIST": 15, "DELETE": 1, "BULKDELETE": 1}},
		{21, map[string]int{"PUT": 193, "GET": 71, "HEAD": 11, "LIST": 15, "DELETE": 1, "BULKDELETE": 1}},
	} {
		var log intercept.Log
		report, err := committer.Probe(t.Context(), intercept.Wrap(memory.New(memory.Options{}), log.Around), committer.ProbeOptions{Rounds: tc.rounds})
		require.NoError(t, err)
		got := make(map[string]int)
		total := 0
		for _, call := range log.Take() {
			method, _, _ := strings.Cut(call, " ")
			got[method]++
			total++
		}
		require.Equal(t, tc.want, got)
		require.Equal(t, total, report.Figures.Requests)
	}
}

func TestNoNameOfAProbeIsThatOfAManifest(t *testing.T) {
	for _, root := range []string{"", "some/folder", "t.lance/_versions"} {
		var mu sync.Mutex
		keys := make(map[string]bool)
		store := intercept.Wrap(memory.New(memory.Options{}), func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
			mu.Lock()
			defer mu.Unlock()
			keys[call.Key] = call.Method == "PUT" || keys[call.Key]
			return do(ctx)
		})
		report, err := committer.Probe(t.Context(), store, committer.ProbeOptions{Root: root, Rounds: 2})
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(report.Folder, path.Join(root, committer.ProbeFolder)+"/"))
		for key, created := range keys {
			if created {
				require.True(t, strings.HasPrefix(key, report.Folder), key)
				require.Equal(t, naming.Foreign, naming.Parse(path.Base(key)).Kind, key)
			}
		}
	}
}

func TestAProbeUsesAllHandlesAtOnce(t *testing.T) {
	store := memory.New(memory.Options{})
	var logs [10]intercept.Log
	var handles []backends.Store
	var under, most atomic.Int64
	for n := range logs {
		handles = append(handles, intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
			if strings.Contains(call.Key, "race-") && call.Method == "PUT" {
				defer under.Add(-1)
				most.Store(max(most.Load(), under.Add(1)))
				time.Sleep(time.Millisecond)
			}
			return logs[n].Around(ctx, call, do)
		}))
	}
	synctest.Test(t, func(t *testing.T) {
		report, err := committer.Probe(t.Context(), handles[0], committer.ProbeOptions{Others: handles[1:], Rounds: 5})
		require.NoError(t, err)
		require.True(t, report.Safe())
		require.Equal(t, len(handles), report.Figures.Connections)
		require.Equal(t, len(handles), report.Figures.Writers)
	})
	for n := range logs {
		puts := 0
		for _, call := range logs[n].Take() {
			if strings.HasPrefix(call, "PUT race-") {
				puts++
			}
		}
		require.Equal(t, 5, puts, "creates of handle %d", n)
	}
	require.EqualValues(t, len(handles), most.Load(), "creates under way at the same time")
}

func TestAProbeRefusesMalformedOptions(t *testing.T) {
	for name, opts := range map[string]committer.ProbeOptions{
		"a root with an empty part": {Root: "a//b"},
		"a root that leaves no room": {
			Root: strings.Repeat("k/", 490),
		},
		"fewer rounds than none": {Rounds: -1},
		"too many rounds":        {Rounds: 1001},
	} {
		t.Run(name, func(t *testing.T) {
			log := new(intercept.Log)
			report, err := committer.Probe(t.Context(), intercept.Wrap(memory.New(memory.Options{}), log.Around), opts)
			require.ErrorIs(t, err, committer.ErrInvalid)
			require.False(t, report.Safe())
			require.Empty(t, log.Take())
		})
	}
}

func TestAProbeNeedsAStore(t *testing.T) {
	_, err := committer.Probe(t.Context(), nil, committer.ProbeOptions{})
	require.ErrorIs(t, err, committer.ErrInvalid)
	_, err = committer.Probe(t.Context(), memory.New(memory.Options{}), committer.ProbeOptions{Others: []backends.Store{nil}})
	require.ErrorIs(t, err, committer.ErrInvalid)
}

func TestADefectThatWasProvenBeforeTheContextEndedIsTheVerdict(t *testing.T) {
	store := newScripted(memory.Options{})
	ignoresTheCondition(store)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pages(func(in backends.ListInput, _ *backends.Page) {
		if strings.HasSuffix(in.Prefix, "/list/") {
			cancel()
		}
	})(store)
	report, err := committer.Probe(ctx, store, committer.ProbeOptions{})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, committer.ProbeIgnored, report.Verdict)
	require.Empty(t, below(t, store.Store, ""))
}

func TestAProbeEndsWhenItsTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newScripted(memory.Options{})
		farAway(store)
		started := time.Now()
		report, err := committer.Probe(t.Context(), store, committer.ProbeOptions{Timeout: 200 * time.Millisecond})
		require.NoError(t, err, "the caller's context has not ended")
		require.Equal(t, committer.ProbeUnstable, report.Verdict)
		require.Contains(t, named(report)["unstable"].Seen, "The time of 200ms was up")
		require.Less(t, time.Since(started), time.Second)
		require.Empty(t, below(t, store.Store, ""))
	})
}

func TestACreateThatIsNeverAnsweredIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newScripted(memory.Options{})
		createsOf("pair", func(ctx context.Context, key string, _ []byte, through func() error) error {
			if strings.HasSuffix(key, "pair-0001") {
				<-ctx.Done()
				return ctx.Err()
			}
			return through()
		})(store)
		report, err := committer.Probe(t.Context(), store, committer.ProbeOptions{})
		require.NoError(t, err)
		require.True(t, report.Safe())
		require.Equal(t, 1, report.Figures.Unknown)
	})
}

func TestAReadThatFailsOnceIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newScripted(memory.Options{})
		first := firstTime()
		get, list := store.get, store.list
		store.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
			if first(key) {
				return nil, backends.Attrs{}, errReset
			}
			return get(ctx, key)
		}
		store.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
			if first(in.Prefix) {
				return backends.Page{}, backends.ErrThrottled
			}
			return list(ctx, in)
		}
		report, err := committer.Probe(t.Context(), store, committer.ProbeOptions{})
		require.NoError(t, err)
		require.True(t, report.Safe(), report.Findings)
	})
}

func TestAProbeTellsItsProgress(t *testing.T) {
	var steps []int
	total := 0
	_, err := committer.Probe(t.Context(), memory.New(memory.Options{}), committer.ProbeOptions{Rounds: 3, Progress: func(done, of int) {
		steps, total = append(steps, done), of
	}})
	require.NoError(t, err)
	for i, done := range steps {
		require.Equal(t, i+1, done)
	}
	require.Len(t, steps, total)
}

func TestProbesSideBySideDoNotMeet(t *testing.T) {
	store := memory.New(memory.Options{})
	var probes sync.WaitGroup
	for range 3 {
		probes.Go(func() {
			report, err := committer.Probe(t.Context(), store, committer.ProbeOptions{})
			if err != nil || !report.Safe() {
				t.Errorf("%v: %+v", err, report)
			}
		})
	}
	probes.Wait()
	require.Empty(t, below(t, store, ""))
}

func TestAProbeAsksOnceWhereNobodyListens(t *testing.T) {
	store := newScripted(memory.Options{})
	fails("list", errDial)(store)
	report, err := committer.Probe(t.Context(), store, committer.ProbeOptions{})
	require.NoError(t, err)
	require.Equal(t, committer.ProbeUnreachable, report.Verdict)
	require.Equal(t, 1, report.Figures.Requests)
}
