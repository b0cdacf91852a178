package simulation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

// A staged is a manifest that waits for its version.
type staged struct {
	key     string
	version uint64
	body    []byte
	// old says that its writer is long gone.
	old bool
}

// stage lays a staged manifest. Nothing goes wrong with that: what is not there
// whole is no version.
func (w *world) stage(s *staged) {
	w.truth.mu.Lock()
	defer w.truth.mu.Unlock()
	s.key = naming.Staging(naming.Versions(root)+w.config.Scheme.Final(s.version),
		fmt.Sprintf("00000000-0000-0000-0000-%012d", w.stagings))
	w.stagings++
	if _, err := w.truth.Store.PutIfAbsent(context.Background(), s.key, s.body, backends.PutOptions{}); err != nil {
		panic(err) // The memory store takes every new key.
	}
	w.truth.staged[s.key] = s
}

// leftovers is how many old ones there are, and leftFor the age at which they
// are swept: the least that a sweep accepts.
const (
	leftovers = 12
	leftFor   = 7 * 24 * time.Hour
)

// layLeftovers lays staged manifests of versions that will be there and of some
// that will not, and lets them grow old.
func (w *world) layLeftovers() {
	for i := range leftovers {
		version := uint64(1 + i*w.config.Commits/(leftovers-2))
		w.stage(&staged{version: version, body: testmanifest.New(version, "", "left over"), old: true})
	}
	time.Sleep(leftFor + time.Hour)
}

// unstaged checks that a staged manifest was not needed any more. The truth is
// locked.
func (w *world) unstaged(s *staged) {
	if s.old {
		w.report.Swept++
		if s.version > w.truth.lastEnd().number {
			w.breaks(Swept, "%s was removed when the chain ended at %d", s.key, w.truth.lastEnd().number)
		}
		return
	}
	for _, made := range w.truth.of[s.version] {
		if bytes.Equal(made.body, s.body) {
			return
		}
	}
	w.breaks(Swept, "%s was removed, and version %d never had its bytes", s.key, s.version)
}

// sweep sweeps until the world is over.
func (p *process) sweep() {
	p.start()
	for p.goesOn() {
		time.Sleep(time.Duration(p.rng.Int64N(int64(10 * time.Second))))
		from, began := p.truth.tick(), time.Now()
		result, err := p.table.Sweep(context.Background(), leftFor, committer.SweepOptions{})
		p.swept(from, began, result, err)
	}
	p.injector.Wait()
}

// swept checks what a sweep says that it did.
func (p *process) swept(from moment, began time.Time, result committer.SweepResult, err error) {
	p.truth.mu.Lock()
	defer p.truth.mu.Unlock()
	for _, gone := range result.Removed {
		if p.truth.staged[gone.Key] != nil {
			p.breaks(Swept, "Sweep removed %s, and it is there", gone.Key)
		}
	}
	if err != nil || !p.config.consistent() || !p.endStayed(began) {
		return
	}
	for _, s := range p.truth.staged {
		if s.old && s.version <= p.truth.endAt(from) {
			p.breaks(Swept, "Sweep left %s, when the chain ended at %d", s.key, p.truth.endAt(from))
		}
	}
}

// create commits a staged manifest on top of what is the latest.
func (w *worker) create() {
	ctx, cancel := w.patience()
	defer cancel()
	latest, err := w.table.Latest(ctx)
	if err != nil && !errors.Is(err, committer.ErrTableNotFound) {
		return
	}
	version := latest.Number + 1
	s := &staged{version: version, body: w.manifest(version)}
	w.stage(s)
	c := &call{name: "Create", version: version, body: s.body, staged: s.key}
	ctx = w.newCall(ctx, w.rng, c)
	w.pending = c
	v, err := w.createStaged(ctx, c)
	w.ended(ctx, c, v, err)
}

func (w *worker) createStaged(ctx context.Context, c *call) (committer.Version, error) {
	response, err := w.namespace.CreateTableVersion(ctx, &committer.CreateTableVersionRequest{
		Version: int64(c.version), ManifestPath: c.staged,
	})
	if err != nil {
		return committer.Version{}, err
	}
	v := response.Version
	return committer.Version{Number: uint64(v.Version), Key: v.ManifestPath, ETag: v.ETag}, nil
}
