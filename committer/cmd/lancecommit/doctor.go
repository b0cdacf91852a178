package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/committer"
)

// doctorHandles is how many times the store is opened, each with connections of
// its own.
const doctorHandles = 8

func (a *app) doctor() *cobra.Command {
	var opts committer.ProbeOptions
	cmd := &cobra.Command{
		Use:   "doctor STORE",
		Short: "Prove that a store is safe to commit to",
		Long: `doctor finds out whether a store enforces create-if-absent, on which every
commit rests, before it is trusted with tables. STORE is a bucket or a folder in
it. It creates names twice, has many creates race for one name over 8
connections, and checks reads, listings, metadata and permissions.

It works in STORE/` + committer.ProbeFolder + `/ and removes what it made, also when
it is interrupted. That folder may be removed by hand when no doctor runs, as
after a kill or a second interrupt. No table is read or written. A bucket with
versioning keeps the old versions of what was removed.

It takes seconds on a store that is near and well, and at the most 5 minutes and
1 second for each round, and 15 seconds to clean up.

Exit codes: 0 safe, 1 interrupted, 2 the store refuses a request as malformed, 4 there is no
such bucket, 6 no permission or wrong credentials, 7 the store could not be
reached, throttles, fails, or too little was decided, 8 unsafe or unsupported.`,
		Example: `  lancecommit doctor s3://bucket/db
  lancecommit doctor /mnt/share/db --rounds 200 --json`,
		Args: arguments("STORE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.Rounds < 1 {
				return fmt.Errorf("%w: --rounds %d; there must be one", committer.ErrInvalid, opts.Rounds)
			}
			return a.probe(cmd.Context(), args[0], opts)
		},
	}
	cmd.Flags().IntVar(&opts.Rounds, "rounds", 20, "how many names are raced for, at most 1,000")
	return cmd
}

// probe opens a location, probes it and prints the report.
func (a *app) probe(ctx context.Context, location string, opts committer.ProbeOptions) error {
	options, err := parseOptions(a.storageOptions)
	if err != nil {
		return err
	}
	var handles []backends.Store
	for range doctorHandles {
		store, key, err := all.Open(ctx, location, options)
		if err != nil {
			return err
		}
		defer store.Close()
		handles, opts.Root = append(handles, store), key
	}
	opts.Others = handles[1:]
	if err := checkFolder(handles[0], opts.Root, committer.ProbeFolder); err != nil {
		return err
	}
	cleaning := cleanUp{app: a, ctx: ctx}
	opts.Begin = func(folder string) { cleaning.begin(handles[0], folder) }
	var end func()
	opts.Progress, end = a.progress("probing the store")
	report, err := committer.Probe(ctx, handles[0], opts)
	end()
	if len(report.Left) == 0 {
		removeFolders(handles[0], report.Folder)
	}
	cleaning.end()
	if report.Verdict == "" {
		return err
	}
	if gone := checkThere(handles[0]); gone != nil && err == nil {
		return gone
	}
	if err == nil && !report.Safe() {
		err = &probeError{report.Verdict}
	}
	// The verdict counts more than that it could not be printed.
	if printErr := a.printProbe(location, report); err == nil {
		err = printErr
	}
	return err
}

// A probeError says that a store is not safe. The report has said why.
type probeError struct{ verdict committer.ProbeVerdict }

// errNotJudged means that a store could not be reached, failed, or decided too
// little.
var errNotJudged = errors.New("the store could not be judged")

// sentinels say what a verdict is as an error.
var sentinels = map[committer.ProbeVerdict]error{
	committer.ProbeUnsupported:     backends.ErrUnsupported,
	committer.ProbeClockSkew:       backends.ErrUnauthenticated,
	committer.ProbeUnauthenticated: backends.ErrUnauthenticated,
	committer.ProbeNoBucket:        backends.ErrNoBucket,
	committer.ProbeDenied:          backends.ErrPermission,
	committer.ProbeInvalid:         backends.ErrInvalid,
	committer.ProbeThrottled:       backends.ErrThrottled,
	committer.ProbeDisk:            errNotJudged,
	committer.ProbeUnreachable:     errNotJudged,
	committer.ProbeUnstable:        errNotJudged,
}

func (e *probeError) Error() string {
	return fmt.Sprintf("the store is not proven safe: %s", e.verdict)
}

// Unwrap returns what the verdict is as an error. All verdicts that are none are
// proof against the store.
func (e *probeError) Unwrap() error {
	if err, ok := sentinels[e.verdict]; ok {
		return err
	}
	return committer.ErrInconsistentStore
}

func (a *app) printProbe(location string, report committer.ProbeReport) error {
	if a.json {
		return a.printJSON(struct {
			Safe bool `json:"safe"`
			committer.ProbeReport
		}{report.Safe(), report})
	}
	if err := a.printTable(probeRows(location, report)); err != nil {
		return err
	}
	var b strings.Builder
	for i, f := range report.Findings {
		if f.Level == committer.ProbeOK {
			continue
		}
		if i == 0 {
			f.Do = "" // the last line is that
		}
		fmt.Fprintf(&b, "\n%s: %s\n%s", f.Level, f.Name, indented(f.Text()))
	}
	_, err := fmt.Fprintf(a.out, "%s\nWhat to do: %s\n", b.String(), report.Findings[0].Do)
	return err
}

// probeRows are the figures of a report, those that there are.
func probeRows(location string, report committer.ProbeReport) [][]string {
	if place, _, ok := strings.Cut(location, "?"); ok && strings.Contains(place, "://") {
		location = place // a query can hold credentials
	}
	f := report.Figures
	rows := [][]string{{"VERDICT", verdictText(location, report)}}
	add := func(name, text string) { rows = append(rows, []string{name, text}) }
	if f.Pairs > 0 {
		add("creates in sequence", fmt.Sprintf("%d of %d times the second was refused", f.DecidedPairs, f.Pairs))
	}
	if f.Rounds > 0 {
		add("creates at once", fmt.Sprintf("%d of %d rounds of %d creates over %d connections had one winner", f.DecidedRounds, f.Rounds, f.Writers, f.Connections))
	}
	if f.Listing != "" {
		add("listing", f.Listing)
	}
	if f.Metadata != "" {
		add("metadata", f.Metadata)
	}
	if f.ClockAhead != nil {
		add("the store's clock", clockText(*f.ClockAhead))
	}
	if f.Put > 0 {
		add("median times", fmt.Sprintf("PUT %s, HEAD %s, LIST %s", millis(f.Put), millis(f.Head), millis(f.List)))
	}
	add("requests", fmt.Sprintf("%d in %.1f s", f.Requests, f.Elapsed.Seconds()))
	left := "nothing is left in it"
	switch n := len(report.Left); {
	case n == 1:
		left = "1 object may be left in it"
	case n > 1:
		left = strconv.Itoa(n) + " objects may be left in it"
	}
	add("folder of the probe", report.Folder+" ("+left+")")
	return rows
}

func verdictText(location string, report committer.ProbeReport) string {
	switch first := report.Findings[0]; first.Level {
	case committer.ProbeOK:
		text := "safe: " + location + " enforces create-if-absent"
		for _, f := range report.Findings {
			if f.Name == committer.ProbeDeleteIgnored {
				text += ", but deletes nothing"
			}
		}
		return text
	case committer.ProbeUnsafe:
		return "NOT SAFE (" + first.Name + "): " + location
	default:
		return "not judged (" + first.Name + "): " + location
	}
}

// clockText says how far the store's clock is off. Most stores tell whole seconds.
func clockText(ahead time.Duration) string {
	switch off := ahead.Abs().Round(time.Second); {
	case off <= time.Second:
		return "as this machine's"
	case ahead > 0:
		return off.String() + " ahead of this machine's"
	default:
		return off.String() + " behind this machine's"
	}
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

// lineWidth is where lines of text end, in bytes.
const lineWidth = 80

// indented breaks a text into lines that are indented.
func indented(text string) string {
	var b strings.Builder
	width := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case width == 0:
			b.WriteString("  ")
			width = 2
		case width+1+len(word) > lineWidth:
			b.WriteString("\n  ")
			width = 2
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String() + "\n"
}
