package bench

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/lancecommit/lancecommit/committer"
)

const (
	// serialShare is the part of a race's time that creates one after the other
	// get before it, and after it. The speed of a store changes from one second to
	// the next.
	serialShare = 0.05
	// leastPuts is how many there are of them at the least.
	leastPuts = 3
	// atOnce is how many requests are under way when nothing is measured.
	atOnce = 8
)

// contention measures all numbers of writers in all forms.
func (b *bench) contention(ctx context.Context) (all []Contention, err error) {
	weights := 0
	for _, writers := range b.cfg.Writers {
		weights += len(Forms) * weight(writers)
	}
	objects := int((1 - requestsShare) * float64(b.cfg.MaxObjects))
	left := weights
	for _, writers := range b.cfg.Writers {
		for _, form := range Forms {
			// What one did not use or used too much, the next ones share.
			length := max(time.Until(b.until), 0) * time.Duration(weight(writers)) / time.Duration(left)
			left -= weight(writers)
			c, err := b.race(ctx, form, writers, length, objects*weight(writers)/weights)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", counted(form, writers), err)
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// weight is how much time so many writers get. Many need longer until each has
// had its turns.
func weight(writers int) int { return bits.Len(uint(writers)) }

// tableName is the folder of the table of a race.
func tableName(form Form, writers int) string { return fmt.Sprintf("%s-%d.lance", form, writers) }

// counted says who writes.
func counted(form Form, writers int) string {
	switch {
	case writers == 1:
		return "1 writer"
	case form == OneHandle:
		return fmt.Sprintf("%d writers, one handle", writers)
	default:
		return fmt.Sprintf("%d writers, a handle each", writers)
	}
}

// race has writers update one table, of at most so many versions, between creates
// one after the other.
func (b *bench) race(ctx context.Context, form Form, writers int, length time.Duration, versions int) (Contention, error) {
	show := func() { b.progress(counted(form, writers)) }
	show()
	closes := time.Now().Add(length)
	tables := b.tables(form, writers)
	if err := b.layFirst(ctx, tables[0]); err != nil {
		return Contention{}, err
	}
	if err := warm(ctx, tables); err != nil {
		return Contention{}, err
	}
	serial := b.puts()
	part := time.Duration(serialShare * float64(length))
	most := max(leastPuts, int(serialShare*float64(versions)))
	if err := b.oneByOne(ctx, serial, part, most); err != nil {
		return Contention{}, err
	}
	r := &race{
		bench: b, last: uint64(max(versions-2*most, 2)), began: time.Now(), ended: make(chan struct{}),
		logs: make([]writerLog, writers),
	}
	left := max(closes.Add(-part).Sub(r.began), 0)
	r.open, r.closes = r.began.Add(time.Duration(openShare*float64(left))), r.began.Add(left)
	before := b.recorder.counts()
	go r.run(ctx, tables)
	r.watch(show)
	after := b.recorder.counts()
	if err := errors.Join(b.over(), r.err()); err != nil {
		return Contention{}, err
	}
	if err := b.oneByOne(ctx, serial, part, most); err != nil {
		return Contention{}, err
	}
	c := r.result()
	c.Form, c.Requests = form, perCall(before, after, c.Commits)
	c.SerialLimit = rounded(float64(time.Second)/float64(timesOf(serial.took).Mean), 1)
	return c, nil
}

// oneByOne makes a call again and again, a few times at the least.
func (b *bench) oneByOne(ctx context.Context, c *call, length time.Duration, most int) error {
	until := time.Now().Add(length)
	for n := 0; n < most && (n < leastPuts || time.Now().Before(until)); n++ {
		if err := b.over(); err != nil {
			return err
		}
		if _, err := c.measure(ctx, b.recorder); err != nil {
			return err
		}
	}
	return nil
}

// tables returns the handle of each writer.
func (b *bench) tables(form Form, writers int) []*committer.Table {
	root := b.folder + tableName(form, writers)
	tables := make([]*committer.Table, writers)
	for i := range tables {
		if i > 0 && form == OneHandle {
			tables[i] = tables[0]
			continue
		}
		tables[i] = committer.NewTable(b.stores[i%len(b.stores)], root)
	}
	return tables
}

// warm lets each handle learn the latest version, as one has that has worked for a
// while.
func warm(ctx context.Context, tables []*committer.Table) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, table := range slices.Compact(slices.Clone(tables)) {
		group.Go(func() error {
			return persist(ctx, func(ctx context.Context) error {
				_, err := table.Latest(ctx)
				return err
			})
		})
	}
	return group.Wait()
}
