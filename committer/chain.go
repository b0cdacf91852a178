package committer

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/naming"
)

const (
	// firstPage is the size of the page that finds the latest of a V2 table.
	// One key would not do: manifests staged for the next version sort before
	// the latest final name, and Lance never removes them (lance#9061).
	firstPage = 8
	// fullPage is the size of all other pages, the most that S3 gives.
	fullPage = 1000
)

// pages lists the final names of the chain, a slice for each page of the store.
// The first page has a size of its own. It stops at the first error, and a
// listing that has shown both schemes is [ErrMixedSchemes].
//
// It is one pass, a page after the other, but for the V1 names of an ordered
// store. Their order is not that of versions, so that all must be read to know
// the highest: 120000.manifest would lie between 12.manifest and 13.manifest.
// What is left of them after a full page is cut by their digits into stretches
// that are read side by side, the next page of each in a round, and a round is
// over before its versions are yielded. It is the same answer: each final name
// that is there from the beginning to the end is in one page.
//
// Pages show different moments, in a pass as well as side by side, so that a
// version that lands meanwhile can be missing where a later one is seen. And
// where versions land while those before them are removed, both can be missing;
// in a pass that happens only from 9 to 10, from 99 to 100 and so on, since
// between others the name of the later one is read later. So the end that is
// found is not before any version that was committed before the listing began,
// as long as nobody removes, while it runs, what was the newest then. Commits
// assume that for StaleAfter. Tables that do not, by WithStaleAfter(0), are
// listed in a pass.
func (t *Table) pages(ctx context.Context, first int) iter.Seq2[[]Version, error] {
	return func(yield func([]Version, error) bool) {
		prefix := t.versions
		in := backends.ListInput{Prefix: prefix, Limit: first}
		if !t.ordered() {
			// All of it is read, so the fewer pages the better.
			in.Limit = 0
		}
		var seen MixedSchemesError
		atOnce := 1
		for left := []stretch{{ListInput: in}}; len(left) > 0; {
			began := time.Now()
			read, err := t.readEach(ctx, left, atOnce)
			if err != nil {
				yield(nil, fmt.Errorf("list versions: %w", err))
				return
			}
			took := elapsed(began)
			var next []stretch
			for i, page := range read {
				finals := finalsOf(page, prefix)
				if err := seen.add(finals); err != nil {
					yield(nil, err)
					return
				}
				if !yield(finals, nil) {
					return
				}
				if page.Token != "" {
					next = append(next, left[i].behind(page))
				}
			}
			if atOnce == 1 && seen.V1 != "" && left[0].Limit == fullPage && t.staleAfter > 0 {
				atOnce = t.listsAtOnce(took)
			}
			left = spread(next, atOnce)
		}
	}
}

// finalsOf picks the versions of the chain out of a page.
func finalsOf(page backends.Page, prefix string) []Version {
	var finals []Version
	for _, object := range page.Objects {
		name := naming.Parse(strings.TrimPrefix(object.Key, prefix))
		if name.Kind == naming.Final {
			finals = append(finals, newVersion(object.Key, name, object.Attrs))
		}
	}
	return finals
}

// add remembers an object of each scheme, and returns itself once it has both.
func (e *MixedSchemesError) add(finals []Version) error {
	for _, v := range finals {
		switch v.Scheme {
		case naming.V1:
			e.V1 = v.Key
		case naming.V2:
			e.V2 = v.Key
		}
	}
	if e.V1 != "" && e.V2 != "" {
		return e
	}
	return nil
}

// list finds the end of the chain and remembers it. The end of an empty chain
// has no key. It costs one LIST of 8 keys in a V2 table on an ordered store,
// and the whole listing elsewhere. One that took longer than StaleAfter, and came
// to less than was seen before, is made once more: see pages.
func (t *Table) list(ctx context.Context) (known, error) {
	k, err := t.listOnce(ctx)
	if err == nil && t.wasOvertaken(k) {
		k, err = t.listOnce(ctx)
	}
	if err != nil {
		return known{}, err
	}
	t.learnList(k)
	return k, nil
}

// listOnce is list that remembers nothing.
func (t *Table) listOnce(ctx context.Context) (known, error) {
	began := time.Now()
	var end Version
	for finals, err := range t.pages(ctx, firstPage) {
		if err != nil {
			return known{}, err
		}
		for _, v := range finals {
			if !end.exists() || v.Number > end.Number {
				end = v
			}
		}
		// V2 names are in order, newest first; V1 names are not ("10" sorts
		// before "9").
		if t.ordered() && end.Scheme == naming.V2 {
			break
		}
	}
	return known{scheme: end.Scheme, end: end, learned: began, listed: began}, nil
}

// end returns the end of the chain, from memory while that is fresh.
func (t *Table) end(ctx context.Context) (known, error) {
	if k := t.remember(); k.fresh(t.staleAfter, time.Now()) {
		return k, nil
	}
	return t.list(ctx)
}

// listInTurn is list, and tells the rivals what it showed.
func (t *Table) listInTurn(ctx *call) (known, error) {
	k, err := t.list(ctx)
	if err == nil {
		t.rivals.listed(k.end.Number, k.listed)
	}
	return k, err
}

func (t *Table) ordered() bool { return t.store.Capabilities().OrderedList }
