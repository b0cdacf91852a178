package committer

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/naming"
)

// ProbeFolder is the folder below which [Probe] works, in the one that it is
// given.
const ProbeFolder = "_lancecommit_probe"

// ProbeOptions say how to probe. The zero value is a good choice, but for Others.
type ProbeOptions struct {
	// Root is the key of the folder to work in. Empty means the store itself.
	Root string
	// Others are further handles of the same place, each with connections of its
	// own, so that a store with several endpoints or nodes can show that these
	// do not agree. Seven are enough.
	Others []backends.Store
	// Rounds is how many names are raced for. Zero means 20; the most is 1,000.
	Rounds int
	// Timeout bounds the whole but the clean-up, RequestTimeout one request.
	// Zero means 5 minutes and 1 s a round, and 10 s.
	Timeout, RequestTimeout time.Duration
	// Grace bounds the clean-up, which is made also when the context has ended.
	// Zero means 15 s.
	Grace time.Duration
	// Begin is called once, before the first request, with the folder that the
	// report will have: who kills a probe has to remove that by hand. It runs in
	// the caller's goroutine. Nil is skipped.
	Begin func(folder string)
	// Progress is called as the probe goes on, with the steps done of all. It
	// runs in the caller's goroutine. Nil is skipped.
	Progress func(done, total int)
}

const (
	// probePairs is how often two creates follow one another, and how many
	// samples there are of a time.
	probePairs = 5
	// probeWriters is how many creates are sent at the same time, at least.
	probeWriters    = 8
	probeRounds     = 20
	mostProbeRounds = 1000
)

// A ProbeReport is what a probe found. It has no credential in it.
type ProbeReport struct {
	Verdict ProbeVerdict `json:"verdict"`
	// Findings are all that there is to say. The first is that of the verdict.
	Findings []ProbeFinding `json:"findings"`
	// Denied are the permissions that the caller lacks, of "list", "create",
	// "read" and "delete".
	Denied []string `json:"denied"`
	// Folder is where the probe worked, with a slash at the end.
	Folder string `json:"folder"`
	// Left are the objects that are still there, or may be.
	Left    []string     `json:"left"`
	Figures ProbeFigures `json:"figures"`
}

// Safe reports whether the store can carry tables: it enforces create-if-absent,
// and the caller may do what a writer does.
func (r ProbeReport) Safe() bool { return r.Verdict == ProbeEnforced }

// ProbeFigures are what a probe counted and measured.
type ProbeFigures struct {
	// Pairs is how often one create followed another of the same name, Rounds
	// how many names were raced for by Writers over Connections, and the decided
	// ones those of which the outcome is proven.
	Pairs         int `json:"pairs"`
	DecidedPairs  int `json:"decided_pairs"`
	Rounds        int `json:"rounds"`
	DecidedRounds int `json:"decided_rounds"`
	Writers       int `json:"writers"`
	Connections   int `json:"connections"`
	// Unknown is how many creates had an answer that proves nothing, or none.
	Unknown int `json:"unknown_outcomes"`
	// Put, Head and List are medians of single requests, zero where none was
	// made. In JSON they are nanoseconds.
	Put  time.Duration `json:"put_ns"`
	Head time.Duration `json:"head_ns"`
	List time.Duration `json:"list_ns"`
	// ClockAhead is how far the store's clock is before that of this machine,
	// negative when it is behind. It has the precision of the store's answers,
	// which is a second in HTTP. Nil means that the store gives no time.
	ClockAhead *time.Duration `json:"clock_ahead_ns,omitempty"`
	// Listing is "ordered" or "unordered", and Metadata "kept", "lost" or
	// "none". Empty means that it was not found out.
	Listing  string `json:"listing,omitempty"`
	Metadata string `json:"metadata,omitempty"`
	// Requests and Elapsed are those of the whole probe, clean-up included.
	Requests int           `json:"requests"`
	Elapsed  time.Duration `json:"elapsed_ns"`
}

// Probe finds out whether a store enforces create-if-absent, before it is trusted
// with tables. It creates names one after the other and at the same time, over
// all handles that it has, and looks what became of them. It tests reads,
// listings, metadata and permissions, and measures times.
//
// It works below {Root}/_lancecommit_probe/{random}/, where no name is that of a
// manifest, and removes what it made, also after an error and after the context
// has ended; the report has what is left. A bucket with versioning keeps the old
// versions, and a disk the empty folders. It is safe beside writers and beside other probes.
//
// The store is judged by the report: a store that is unsafe, cannot be reached or
// refuses the caller is no error. Errors are [ErrInvalid] where there is no store,
// or options are malformed, and the context's when that has ended; the report then
// has what was found so far.
//
// With 20 rounds it costs about 290 requests, 185 of them creates of less than a
// kilobyte, and the deletes of 38 objects, in bulk where the store can. Each round
// more costs 8 creates, 2 reads and a delete. It takes the time of about 150
// requests one after the other.
//
// No probe can see that one name has two arbiters, as in buckets that are
// replicated in both directions.
func Probe(ctx context.Context, store backends.Store, opts ProbeOptions) (ProbeReport, error) {
	p, err := newProbe(store, opts)
	if err != nil {
		return ProbeReport{}, fmt.Errorf("probe: %w", err)
	}
	if p.opts.Begin != nil {
		p.opts.Begin(p.folder)
	}
	started := time.Now()
	timed, cancel := context.WithTimeoutCause(ctx, p.opts.Timeout, errProbeTime)
	defer cancel()
	// It ends also if a store panics.
	defer p.clean(ctx)
	p.run(timed)
	p.clean(ctx)
	p.conclude()
	p.report.Figures.Elapsed = time.Since(started)
	p.report.Figures.Requests = int(p.requests.Load())
	if err := ctx.Err(); err != nil && p.found(ProbeUnfinished) {
		return p.report, fmt.Errorf("probe: it did not end: %w", err)
	}
	return p.report, nil
}

// errProbeTime says that the time of a probe is up.
var errProbeTime = errors.New("the time of the probe is up")

// errProbeEnds says that a probe cannot go on. Why is among its findings.
var errProbeEnds = errors.New("the probe cannot go on")

// A probe is one on its way. Its goroutines send creates, and nothing else; all
// that is not atomic or under mu belongs to the caller's.
type probe struct {
	opts    ProbeOptions
	handles []bounded
	caps    backends.Capabilities
	folder  string
	// disk is whether the store is a folder on disk.
	disk   bool
	report ProbeReport

	requests atomic.Int64
	mu       sync.Mutex
	// keys are the objects that may be there, each with how many creates were
	// sent that may have made it.
	keys map[string]int

	seen   map[findingName][]string
	advice map[findingName]string // what else to do
	denied map[string]error
	// absentDenied is why a name that is absent may not be looked at.
	absentDenied error
	// held are the bytes that names must have for good.
	held map[string][]byte
	// etags are what the creates of names were answered with.
	etags            map[string]string
	puts, heads      []time.Duration
	lists            []time.Duration
	clock            clockReading
	metadata         string
	answered         bool
	done, unresolved int
}

func newProbe(store backends.Store, opts ProbeOptions) (*probe, error) {
	if store == nil || slices.Contains(opts.Others, nil) {
		return nil, invalid(errNoStore)
	}
	root, err := naming.CleanRoot(opts.Root)
	if err != nil {
		return nil, invalid(err)
	}
	if opts.Rounds < 0 || opts.Rounds > mostProbeRounds {
		return nil, invalid(fmt.Errorf("%d rounds; there are 1 to %d", opts.Rounds, mostProbeRounds))
	}
	opts.Rounds = cmp.Or(opts.Rounds, probeRounds)
	opts.Timeout = cmp.Or(max(opts.Timeout, 0), 5*time.Minute+time.Duration(opts.Rounds)*time.Second)
	opts.RequestTimeout = cmp.Or(max(opts.RequestTimeout, 0), 10*time.Second)
	opts.Grace = cmp.Or(max(opts.Grace, 0), 15*time.Second)
	if root != "" {
		root += "/"
	}
	p := &probe{
		opts:   opts,
		caps:   store.Capabilities(),
		folder: root + ProbeFolder + "/" + strings.ToLower(rand.Text()) + "/",
		keys:   make(map[string]int),
		disk:   isOnDisk(store),
		seen:   make(map[findingName][]string),
		advice: make(map[findingName]string),
		denied: make(map[string]error),
		held:   make(map[string][]byte),
		etags:  make(map[string]string),
	}
	if err := backends.CheckKey(p.name("list/folder/inside", 0)); err != nil {
		return nil, invalid(fmt.Errorf("the folder leaves no room for names in it: %w", err))
	}
	policy := RetryPolicy{AttemptTimeout: opts.RequestTimeout, ReadTimeout: opts.RequestTimeout}.withDefaults()
	for _, one := range append([]backends.Store{store}, opts.Others...) {
		p.handles = append(p.handles, bounded{counting(one, &p.requests), policy})
	}
	p.report.Folder = p.folder
	p.report.Left = []string{}
	p.report.Figures.Connections = len(p.handles)
	p.report.Figures.Writers = max(probeWriters, len(p.handles))
	return p, nil
}

// run does one step after the other, until one cannot go on.
func (p *probe) run(ctx context.Context) {
	for _, step := range []func(context.Context) error{p.arrive, p.pairs, p.listing, p.reuse, p.rounds, p.readAgain} {
		if err := step(ctx); err != nil {
			p.tryPermissions(ctx)
			return
		}
	}
}

// step tells how far the probe is.
func (p *probe) step() {
	p.done++
	if p.opts.Progress != nil {
		// Arriving, listing, reusing, reading again and cleaning up are the others.
		p.opts.Progress(p.done, probePairs+p.opts.Rounds+5)
	}
}

// name returns the key of an object of the probe.
func (p *probe) name(kind string, number int) string {
	return fmt.Sprintf("%s%s-%04d", p.folder, kind, number)
}

// find adds a finding. What was seen before of the same name stays with it.
func (p *probe) find(name findingName, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(p.seen[name], text) {
		p.seen[name] = append(p.seen[name], text)
	}
}

func (p *probe) found(name findingName) bool { return len(p.seen[name]) > 0 }

func (p *probe) foundLevel(level ProbeLevel) bool {
	return slices.ContainsFunc(probeMeanings, func(m probeMeaning) bool { return m.level == level && p.found(m.name) })
}

// mostSeen is how much of one kind a finding shows.
const mostSeen = 3

// conclude makes the report out of what was found.
func (p *probe) conclude() {
	p.judge()
	places := make(map[findingName]int)
	for name, seen := range p.seen {
		more := ""
		if len(seen) > mostSeen {
			seen, more = seen[:mostSeen], fmt.Sprintf(" There is more like it (%d).", len(seen)-mostSeen)
		}
		f, place := finding(name, strings.Join(seen, " ")+more)
		f.Do = strings.TrimSpace(f.Do + " " + p.advice[name])
		places[name] = place
		p.report.Findings = append(p.report.Findings, f)
	}
	slices.SortFunc(p.report.Findings, func(a, b ProbeFinding) int {
		return cmp.Compare(places[findingName(a.Name)], places[findingName(b.Name)])
	})
	p.report.Verdict = ProbeVerdict(p.report.Findings[0].Name)
}

// judge finds what follows from all the rest.
func (p *probe) judge() {
	figures := &p.report.Figures
	figures.Put, figures.Head, figures.List = median(p.puts), median(p.heads), median(p.lists)
	figures.Metadata = p.metadata
	p.judgeClock()
	p.judgeRefusals()
	if p.report.Denied = p.lacking(); len(p.report.Denied) > 0 {
		p.judgeDenied()
	}
	if figures.Unknown > 0 {
		text := fmt.Sprintf("%s had no answer that proves anything", counted(figures.Unknown, "create"))
		if p.unresolved > 0 {
			text += fmt.Sprintf(", and of %d nothing was seen: an object may yet appear in the folder of the probe", p.unresolved)
		}
		p.find(probeUnknown, "%s.", text)
	}
	if len(p.report.Left) > 0 {
		p.find(probeLeftBehind, "%s could not be removed, or may be there still: %s.", counted(len(p.report.Left), "object"),
			strings.Join(firstOf(p.report.Left, mostSeen), ", "))
	}
	if p.foundLevel(ProbeUnsafe) {
		// What is proven needs no more decided.
		delete(p.seen, ProbeUnstable)
		return
	}
	if p.foundLevel(ProbeError) {
		return
	}
	if p.found(ProbeDeleteIgnored) {
		p.advice[ProbeEnforced] = "But nothing that is deleted goes: neither old versions nor dropped tables."
	}
	p.find(ProbeEnforced, "A second create was refused and the first bytes stayed in %d of %d cases, and of %d creates at once exactly one won in %d of %d rounds.",
		figures.DecidedPairs, figures.Pairs, figures.Writers, figures.DecidedRounds, figures.Rounds)
}

func firstOf(names []string, most int) []string {
	if len(names) <= most {
		return names
	}
	return append(slices.Clone(names[:most]), "…")
}

func median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	times = slices.Sorted(slices.Values(times))
	return times[len(times)/2]
}
