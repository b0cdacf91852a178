package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

const (
	// lookupVersions is how many versions the table has whose latest is looked
	// for: more than a first page. On a store that lists in order the time does
	// not depend on it.
	lookupVersions = 10
	// firstPage is how many keys the committer lists to find the latest.
	firstPage = 8
	// warmFor is for how long a handle is used that knows the latest. The
	// committer lists again after a minute.
	warmFor = 30 * time.Second
)

// A call is one that is measured again and again.
type call struct {
	// prepare runs before, without being measured. Nil is skipped.
	prepare func(context.Context) error
	do      func(context.Context) error

	took     []time.Duration
	requests map[string]int
	failures failures
}

// measure makes the call once and returns how long it took, zero if it failed.
func (c *call) measure(ctx context.Context, r *recorder) (time.Duration, error) {
	if c.prepare != nil {
		if err := c.prepare(ctx); err != nil {
			return 0, c.failures.add(ctx, err)
		}
	}
	before := r.counts()
	began := time.Now()
	err := c.do(ctx)
	took := time.Since(began)
	if err := c.failures.add(ctx, err); err != nil || c.failures.inARow > 0 {
		return 0, err
	}
	for method, n := range r.counts() {
		c.requests[method] += n - before[method]
	}
	c.took = append(c.took, took)
	return took, nil
}

func (c *call) operation() Operation {
	requests := perCall(nil, c.requests, len(c.took))
	return Operation{Times: timesOf(c.took), Requests: requests, Failed: c.failures.all}
}

// A turn is a request and the call that cannot be faster, which take turns.
type turn struct {
	raw, own *call
	ratios   []float64
}

// measure makes both calls, every other time in the other order.
func (t *turn) measure(ctx context.Context, b *bench, swap bool) error {
	order := []*call{t.raw, t.own}
	if swap {
		slices.Reverse(order)
	}
	var took [2]time.Duration
	for i, c := range order {
		if err := b.over(); err != nil {
			return err
		}
		var err error
		if took[i], err = c.measure(ctx, b.recorder); err != nil {
			return err
		}
	}
	if swap {
		took[0], took[1] = took[1], took[0]
	}
	if took[0] > 0 && took[1] > 0 {
		t.ratios = append(t.ratios, float64(took[1])/float64(took[0]))
	}
	return nil
}

// isEmpty reports whether a sample is missing.
func (t *turn) isEmpty() bool { return len(t.raw.took) == 0 || len(t.own.took) == 0 }

// result returns both operations, the second with its ratio to the first.
func (t *turn) result() (raw, own Operation) {
	raw, own = t.raw.operation(), t.own.operation()
	if len(t.ratios) > 0 {
		ratio := rounded(percentile(slices.Sorted(slices.Values(t.ratios)), 50), 3)
		own.Ratio = &ratio
	}
	return raw, own
}

// operations measures single requests, and calls of the committer in turns with
// them.
func (b *bench) operations(ctx context.Context) (ops Operations, err error) {
	b.progress("single requests")
	lookup := b.folder + "lookup.lance"
	if err := b.layAtOnce(ctx, lookup, lookupVersions); err != nil {
		return Operations{}, err
	}
	commits, err := b.commits(ctx)
	if err != nil {
		return Operations{}, err
	}
	turns := []*turn{
		{raw: b.puts(), own: commits},
		{raw: b.lists(lookup), own: b.coldLookups(lookup)},
		{raw: b.heads(lookup), own: b.warmLookups(lookup)},
	}
	// The first round opens connections.
	for _, t := range turns {
		if err := t.measure(ctx, b, false); err != nil {
			return Operations{}, err
		}
		*t = turn{raw: t.raw.again(), own: t.own.again()}
	}
	deadline := b.began.Add(time.Duration(requestsShare * float64(b.cfg.For)))
	// A round makes two objects.
	most := int(requestsShare*float64(b.cfg.MaxObjects))/2 - lookupVersions
	for round := 0; round < most; round++ {
		for _, t := range turns {
			if err := t.measure(ctx, b, round%2 == 1); err != nil {
				return Operations{}, err
			}
		}
		b.progress("single requests")
		if time.Now().After(deadline) && !slices.ContainsFunc(turns, (*turn).isEmpty) {
			break
		}
	}
	ops.Put, ops.Commit = turns[0].result()
	ops.List, ops.LatestCold = turns[1].result()
	ops.Head, ops.LatestWarm = turns[2].result()
	return ops, nil
}

func newCall(prepare, do func(context.Context) error) *call {
	return &call{prepare: prepare, do: do, requests: make(map[string]int)}
}

// again returns the call without what was measured.
func (c *call) again() *call { return newCall(c.prepare, c.do) }

// layFirst commits the first version of a table.
func (b *bench) layFirst(ctx context.Context, table *committer.Table) error {
	body, err := b.manifest(1)
	if err != nil {
		return err
	}
	return persist(ctx, func(ctx context.Context) error {
		_, err := table.Commit(ctx, 1, body)
		return err
	})
}

// layAtOnce creates the versions of a table that nobody looks at meanwhile.
func (b *bench) layAtOnce(ctx context.Context, root string, versions uint64) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for version := uint64(1); version <= versions; version++ {
		group.Go(func() error {
			body, err := b.manifest(version)
			if err != nil {
				return err
			}
			return persist(ctx, func(ctx context.Context) error {
				err := b.create(ctx, naming.Versions(root)+naming.V2.Final(version), body)
				if errors.Is(err, backends.ErrExists) {
					return nil // by a create whose answer was lost
				}
				return err
			})
		})
	}
	return group.Wait()
}

// puts are conditional creates of a manifest's bytes.
func (b *bench) puts() *call {
	return newCall(nil, func(ctx context.Context) error {
		b.made++
		return b.create(ctx, fmt.Sprintf("%sput/%08d.manifest", b.folder, b.made), b.cfg.Manifest)
	})
}

// commits are those of one handle that knows the end of the chain.
func (b *bench) commits(ctx context.Context) (*call, error) {
	table := committer.NewTable(b.stores[0], b.folder+"commit.lance")
	if err := b.layFirst(ctx, table); err != nil {
		return nil, err
	}
	next, failed := uint64(2), false
	var body []byte
	prepare := func(ctx context.Context) (err error) {
		if failed {
			latest, err := table.Latest(ctx)
			if err != nil {
				return err
			}
			next, failed = latest.Number+1, false
		}
		body, err = b.manifest(next)
		return err
	}
	return newCall(prepare, func(ctx context.Context) error {
		_, err := table.Commit(ctx, next, body)
		next, failed = next+1, err != nil
		return err
	}), nil
}

// lists are of what the committer lists to find the latest version.
func (b *bench) lists(root string) *call {
	in := backends.ListInput{Prefix: naming.Versions(root)}
	if b.stores[0].Capabilities().OrderedList {
		in.Limit = firstPage
	}
	return newCall(nil, func(ctx context.Context) error {
		return b.within(ctx, func(ctx context.Context) error {
			_, err := b.stores[0].List(ctx, in)
			return err
		})
	})
}

// heads are of the version after the latest.
func (b *bench) heads(root string) *call {
	key := naming.Versions(root) + naming.V2.Final(lookupVersions+1)
	return newCall(nil, func(ctx context.Context) error {
		return b.within(ctx, func(ctx context.Context) error {
			_, err := b.stores[0].Head(ctx, key)
			if errors.Is(err, backends.ErrNotExist) {
				return nil
			}
			if err == nil {
				return fmt.Errorf("%w: %s is there, and nobody made it", committer.ErrInconsistentStore, key)
			}
			return err
		})
	})
}

// coldLookups are the first call of a handle each.
func (b *bench) coldLookups(root string) *call {
	return newCall(nil, func(ctx context.Context) error {
		return isLatest(committer.NewTable(b.stores[0], root).Latest(ctx))
	})
}

// warmLookups are calls of a handle that knows the latest.
func (b *bench) warmLookups(root string) *call {
	var table *committer.Table
	var since time.Time
	prepare := func(ctx context.Context) error {
		if table != nil && time.Since(since) < warmFor {
			return nil
		}
		since = time.Now()
		table = committer.NewTable(b.stores[0], root)
		return isLatest(table.Latest(ctx))
	}
	return newCall(prepare, func(ctx context.Context) error { return isLatest(table.Latest(ctx)) })
}

// isLatest checks what was found.
func isLatest(v committer.Version, err error) error {
	if err == nil && v.Number != lookupVersions {
		return fmt.Errorf("%w: the latest version is said to be %d, and is %d", committer.ErrInconsistentStore, v.Number, lookupVersions)
	}
	return err
}
