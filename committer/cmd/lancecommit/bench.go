package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/integration/fixtures"
	"github.com/lancecommit/lancecommit/internal/bench"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

// benchHandles is how many times the store is opened, each with connections of
// its own.
const benchHandles = 8

// A benchmark is what the command line asks for.
type benchmark struct {
	bench.Config
	manifestSize int
	chart        string
}

func (a *app) bench() *cobra.Command {
	var b benchmark
	cmd := &cobra.Command{
		Use:   "bench STORE",
		Short: "Measure commits on a store, and what they cost",
		Long: `bench measures a store and the commits to it. STORE is a bucket or a folder in
it. It prints three tables:

 - single requests, and in turns with them the calls that cannot be faster: a
   commit beside a conditional PUT of the same bytes, the latest version found by
   a new handle beside a LIST of 8 keys, and found by one that knew it a moment
   ago beside a HEAD of the next name. The ratio is the median of the pairs.
 - updates of one table by several writers: of one handle, where goroutines take
   turns, and of a handle each, which race as processes do. PUT/S is the serial
   limit: PUTs one after the other, measured before and after. Requests are for
   each commit, and every build reads the manifest that it builds on. SLOWEST is
   the writer with the fewest commits as a share of the mean, where there are
   enough commits to say.
 - what a million of them cost on S3, GCS and Azure at public list prices,
   whatever store was measured: requests only, no storage and no traffic.

It takes about the time of --for, works in STORE/` + bench.Folder + `/ and removes
what it made, also when it is interrupted, in up to 2 minutes. That folder may be
removed by hand when no bench runs, as after a kill or a second interrupt. No
table is read or written. A bucket with versioning keeps the old versions of what
was removed. The requests of the benchmark itself are charged for like any others.

--svg FILE draws commits a second against writers. FILE is replaced, at the end.

--json prints one object. Durations end in _ns and are nanoseconds:

  store, manifest_bytes, objects, elapsed_ns, folder, left
  operations.{put,head,list,commit,latest_cold,latest_warm}
      .n .p50_ns .p99_ns .mean_ns .failed
      .requests.{put,head,list,get,hint}   for each call
      .ratio                               commit and latest only
  contention[]
      .writers .form (one_handle, handle_each)
      .commits .commits_per_second .serial_limit_per_second
      .n .p50_ns .p99_ns .mean_ns
      .requests_per_commit.{put,head,list,get,hint}
      .slowest_share (null: too few commits) .cut_off .failed
  costs.prices_read .contended_writers
  costs.stores[]
      .store .class .region .source .{put,head,list,get}_usd_per_million
      .usd_per_million_{commits,contended_commits,cold_lookups,warm_lookups}

Updates that the time cut off are in the times with what they had taken so far,
and in cut_off. Stores that list in no order, as disks do, are listed whole and
get a hint file with each commit (hint).

Exit codes: 0 done, 1 interrupted or another error, 2 invalid input, 4 there is
no such bucket, 6 no permission, also to remove what was made, 7 the store could
not be reached or is too slow, 8 the store creates a name twice: see lancecommit
doctor.`,
		Example: `  lancecommit bench s3://bucket/folder
  lancecommit bench DIR --for 60s --writers 1,4,16,64 --svg chart.svg --json`,
		Args: arguments("STORE"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.measure(cmd.Context(), args[0], b) },
	}
	flags := cmd.Flags()
	b.For = 30 * time.Second
	flags.Var((*span)(&b.For), "for", "the time of all measurements together, 1s to 1h")
	flags.IntSliceVar(&b.Writers, "writers", []int{1, 2, 4, 8, 16, 32, 64}, "how many writers update one table")
	flags.IntVar(&b.MaxObjects, "max-objects", 20_000, "the most objects that are made")
	flags.IntVar(&b.manifestSize, "manifest-size", 0, "the bytes of a manifest (default those of a small table that LanceDB wrote)")
	flags.StringVar(&b.chart, "svg", "", "a file for a chart of commits a second against writers")
	return cmd
}

// measure opens a location, measures it and prints the report.
func (a *app) measure(ctx context.Context, location string, b benchmark) error {
	var err error
	if b.Manifest, err = benchManifest(b.manifestSize); err != nil {
		return err
	}
	options, err := parseOptions(a.storageOptions)
	if err != nil {
		return err
	}
	if err := b.Check(); err != nil {
		return err
	}
	var chart *chartFile
	if b.chart != "" {
		if chart, err = newChartFile(b.chart); err != nil {
			return err
		}
		defer chart.discard()
	}
	var opened backends.Store
	cleaning := cleanUp{app: a, ctx: ctx}
	watch := watchFolder(func(folder string) { cleaning.begin(opened, folder) })
	for range min(benchHandles, slices.Max(b.Writers)) {
		store, key, err := all.Open(ctx, location, options)
		if err != nil {
			return err
		}
		defer store.Close()
		opened = store
		b.Stores, b.Root = append(b.Stores, intercept.Wrap(store, watch)), key
	}
	if err := checkFolder(opened, b.Root, bench.Folder); err != nil {
		return err
	}
	show, end := a.progressOf(progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))
	b.Progress = show
	report, err := bench.Run(ctx, b.Config)
	end()
	if len(report.Left) == 0 {
		removeFolders(opened, report.Folder)
	}
	cleaning.end()
	if err != nil && !isMeasured(report) {
		return measureError(err)
	}
	place := benchPlace(location)
	if chart != nil {
		if chartErr := chart.save(place, report); err == nil {
			err = chartErr
		}
	}
	if printErr := a.printBench(place, report, b.chart); err == nil {
		err = printErr
	}
	return err
}

// watchFolder calls begin once, with the folder of the benchmark, before the first
// object is created in it.
func watchFolder(begin func(folder string)) intercept.Around {
	var once sync.Once
	return func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
		if call.Method == "PUT" {
			once.Do(func() { begin(benchFolderOf(call.Key)) })
		}
		return do(ctx)
	}
}

// benchFolderOf returns the folder of the benchmark that made a key, in which no
// folder has the name of the one that all benchmarks are in.
func benchFolderOf(key string) string {
	at := strings.LastIndex("/"+key, "/"+bench.Folder+"/") + len(bench.Folder) + 1
	random, _, _ := strings.Cut(key[at:], "/")
	return key[:at] + random + "/"
}

// A measureFailure is a commit of the benchmark's own that went wrong. What became
// of it matters to nobody, so it is not taken for what it is to a writer.
type measureFailure struct{ err error }

func (e *measureFailure) Error() string {
	return fmt.Sprintf("the store failed while it was measured: %v", e.err)
}

// Is reports that the store could not be judged.
func (e *measureFailure) Is(target error) bool { return target == errNotJudged }

func measureError(err error) error {
	for _, ofWriters := range []error{committer.ErrUnknownOutcome, committer.ErrStaleCommit, committer.ErrConflict, backends.ErrNotDurable} {
		if errors.Is(err, ofWriters) {
			return &measureFailure{err}
		}
	}
	return err
}

// isMeasured reports whether a report has its figures.
func isMeasured(report bench.Report) bool { return report.Operations.Put.N > 0 }

// benchManifest returns the manifest that is committed: that of the table that
// quickstart lays, larger where that is asked for.
func benchManifest(size int) ([]byte, error) {
	table := fixtures.V2()
	body, err := fs.ReadFile(table.FS, table.Main.Staged)
	if err != nil || size == 0 {
		return body, err
	}
	return bench.Padded(body, size)
}

// benchPlace is a location without its query, which can hold credentials.
func benchPlace(location string) string {
	if place, _, ok := strings.Cut(location, "?"); ok && strings.Contains(place, "://") {
		return place
	}
	return location
}
