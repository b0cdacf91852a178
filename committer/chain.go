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
func (t *Table) pages(ctx context.Context, first int) iter.Seq2[[]Version, error] {
	return func(yield func([]Version, error) bool) {
		in := backends.ListInput{Prefix: naming.Versions(t.root), Limit: first}
		var seen MixedSchemesError
		for {
			if !t.ordered() {
				// All of it is read, so the fewer pages the better.
				in.Limit = 0
			}
			page, err := t.reads.List(ctx, in)
			if err != nil {
				yield(nil, fmt.Errorf("list versions: %w", err))
				return
			}
			finals := finalsOf(page, in.Prefix)
			if err := seen.add(finals); err != nil {
				yield(nil, err)
				return
			}
			if !yield(finals, nil) || page.Token == "" {
				return
			}
			in.Token, in.Limit = page.Token, fullPage
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
// and the whole listing elsewhere.
func (t *Table) list(ctx context.Context) (known, error) {
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
	k := known{scheme: end.Scheme, end: end, learned: began, listed: began}
	t.learnList(k)
	t.rivals.tookList(elapsed(began))
	return k, nil
}

func (t *Table) ordered() bool { return t.store.Capabilities().OrderedList }
