package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

// Folder is the folder below which a benchmark works, in the one that it is given.
const Folder = "_lancecommit_bench"

const (
	// requestsShare is the part of the time and of the objects that single
	// requests and calls get. Writers at the same time get the rest.
	requestsShare = 1.0 / 3
	// patience is for how long requests that are under way may go on after the
	// context has ended. A create that is broken off could land after the
	// clean-up.
	patience = 2 * time.Second
	// slack is how much longer than asked for the measurements may take, beyond
	// twice the time, since each takes a sample at the least.
	slack = time.Minute
)

// errTooSlow says that a store cannot be measured in the time that there is.
var errTooSlow = fmt.Errorf("%w: the store is too slow to be measured in this time", context.DeadlineExceeded)

// Run measures a store. It makes tables below {Root}/_lancecommit_bench/{random}/
// and removes them; the report has what is left, also when there is an error, and
// is then empty but for that.
//
// Errors are committer.ErrInvalid for a Config that asks for nonsense, before
// anything is written; committer.ErrInconsistentStore for a store that creates a
// name twice; those of the store; and the context's when that has ended. A request
// that fails once in a while is counted and no error.
func Run(ctx context.Context, cfg Config) (Report, error) {
	b, err := newBench(cfg)
	if err != nil {
		return Report{}, fmt.Errorf("bench: %w", err)
	}
	started := time.Now()
	// They are removed also if a store panics.
	defer b.clean(ctx)
	report, err := b.measure(ctx)
	if ended := ctx.Err(); ended != nil {
		err = fmt.Errorf("it did not end: %w", ended)
	}
	left, cleanErr := b.clean(ctx)
	if err != nil {
		if cleanErr != nil {
			err = fmt.Errorf("%w; and %w", err, cleanErr)
		}
		return Report{Folder: b.folder, Left: left}, fmt.Errorf("bench: %w", err)
	}
	report.ManifestBytes = len(b.cfg.Manifest)
	report.Costs = costsOf(report)
	report.Folder, report.Left, report.Objects = b.folder, left, b.recorder.objects()
	report.Elapsed = time.Since(started)
	if cleanErr != nil {
		return report, fmt.Errorf("bench: %w", cleanErr)
	}
	return report, nil
}

// A bench is one on its way.
type bench struct {
	cfg      Config
	stores   []backends.Store // recorded
	recorder *recorder
	folder   string
	cleaned  bool
	// made is how many creates of the benchmark's own there were.
	made int

	// ended is closed when the caller's context has ended: nothing new begins.
	ended <-chan struct{}
	// began and until are when the measurements began and are to end.
	began, until time.Time
}

func newBench(cfg Config) (*bench, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	if len(cfg.Stores) == 0 {
		return nil, fmt.Errorf("%w: there is no store", committer.ErrInvalid)
	}
	cfg = cfg.withDefaults()
	root, err := naming.CleanRoot(cfg.Root)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", committer.ErrInvalid, err)
	}
	if root != "" {
		root += "/"
	}
	b := &bench{cfg: cfg, recorder: newRecorder(), folder: root + Folder + "/" + strings.ToLower(rand.Text()) + "/"}
	longest := naming.Versions(b.folder+tableName(HandleEach, MostWriters)) + naming.V2.Final(1)
	if err := backends.CheckKey(longest); err != nil {
		return nil, fmt.Errorf("%w: the folder leaves no room for names in it: %w", committer.ErrInvalid, err)
	}
	for _, store := range cfg.Stores {
		b.stores = append(b.stores, intercept.Wrap(store, b.recorder.around))
	}
	return b, nil
}

// measure makes the measurements, one after the other.
func (b *bench) measure(ctx context.Context) (report Report, err error) {
	b.ended = ctx.Done()
	b.began = time.Now()
	b.until = b.began.Add(b.cfg.For)
	ctx, end := b.working(ctx)
	defer end()
	defer func() {
		if cause := context.Cause(ctx); err != nil && errors.Is(cause, errTooSlow) {
			err = cause
		}
	}()
	if err := b.check(ctx); err != nil {
		return Report{}, err
	}
	if report.Operations, err = b.operations(ctx); err != nil {
		return Report{}, err
	}
	report.Contention, err = b.contention(ctx)
	return report, err
}

// working returns the context of the requests: the caller's, that ends a little
// later, and in any case when a store is far too slow.
func (b *bench) working(ctx context.Context) (context.Context, func()) {
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	working, cancelLimit := context.WithTimeoutCause(working, 2*b.cfg.For+slack, errTooSlow)
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-working.Done():
		}
	})
	return working, func() {
		stop()
		cancelLimit()
		cancel()
	}
}

// errEnded says that the caller's context has ended.
var errEnded = errors.New("ended")

// over returns an error once the caller's context has ended.
func (b *bench) over() error {
	select {
	case <-b.ended:
		return errEnded
	default:
		return nil
	}
}

// progress tells how far the measurements are, which are not at their end before
// the clean-up.
func (b *bench) progress(doing string) {
	if b.cfg.Progress == nil {
		return
	}
	done := min(time.Since(b.began), b.cfg.For-time.Millisecond)
	b.cfg.Progress(doing, int(done.Milliseconds()), int(b.cfg.For.Milliseconds()))
}

// manifest returns the bytes of a version.
func (b *bench) manifest(version uint64) ([]byte, error) {
	return manifest.WithVersion(b.cfg.Manifest, version)
}

// within bounds one request.
func (b *bench) within(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, b.cfg.RequestTimeout)
	defer cancel()
	return do(ctx)
}
