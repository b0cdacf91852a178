package committer

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
)

// Folders of the probe's own.
const (
	listFolder  = "list/"
	innerFolder = "folder/"
)

// probeNames are created in this order, which is not that of their bytes.
var probeNames = []string{
	"n-10", "n-9", "n-1", "n-B", "n-099", "n-a", "n-_", "n-100", "n.m", "n-z.m", "n--", "n-z", innerFolder + "inside",
}

const (
	// probePage is how many entries of a page are asked for.
	probePage = 5
	// mostProbePages is where a listing ends that does not end by itself. Pages
	// may be empty, so there is room.
	mostProbePages = 1000
)

// A wholeListing is what the pages of a listing have.
type wholeListing struct {
	objects  []backends.Object
	prefixes []string
	pages    int
}

func (l wholeListing) keys() []string {
	keys := make([]string, len(l.objects))
	for i, object := range l.objects {
		keys[i] = object.Key
	}
	return keys
}

// entries are the keys of the objects and the prefixes.
func (l wholeListing) entries() []string { return append(l.keys(), l.prefixes...) }

// errEndless says that the tokens of a listing do not end.
var errEndless = errors.New("a listing has no end")

// listAll follows the tokens of a listing to its end.
func (p *probe) listAll(ctx context.Context, handle int, in backends.ListInput) (all wholeListing, err error) {
	for {
		page, err := p.list(ctx, handle, in)
		if err != nil {
			return all, err
		}
		all.pages++
		all.objects = append(all.objects, page.Objects...)
		all.prefixes = append(all.prefixes, page.Prefixes...)
		if page.Token == "" {
			return all, nil
		}
		if all.pages == mostProbePages {
			return all, errEndless
		}
		in.Token = page.Token
	}
}

// listing tests whole listings, pages and StartAfter in a folder of its own.
func (p *probe) listing(ctx context.Context) error {
	if p.denied[mayList] != nil {
		return nil
	}
	folder := p.folder + listFolder
	var want []string // entries
	for i, name := range probeNames {
		there, err := p.lay(ctx, i, folder+name, probeBody("list", i, 4))
		if err != nil {
			return err
		}
		if there {
			want = append(want, folder+strings.TrimSuffix(name, "inside"))
		}
	}
	slices.Sort(want)
	if len(want) <= probePage {
		p.find(ProbeUnstable, "Only %d of %d names could be created to list them.", len(want), len(probeNames))
		return nil
	}
	for i, limit := range []int{0, probePage} {
		all, err := p.listAll(ctx, i, backends.ListInput{Prefix: folder, Limit: limit})
		if err != nil {
			return p.end(ctx, mayList, err)
		}
		p.compare(ctx, i, all, want)
	}
	p.report.Figures.Listing = "unordered"
	if p.caps.OrderedList {
		p.report.Figures.Listing = "ordered"
		if err := p.startAfter(ctx, want); err != nil {
			return err
		}
	} else {
		p.find(probeUnordered, "The store promises no order of names in its listings.")
	}
	if p.found(ProbeWrongListing) {
		p.report.Figures.Listing = ""
	}
	p.step()
	return nil
}

// compare finds what is wrong with a listing that must have these entries.
func (p *probe) compare(ctx context.Context, handle int, all wholeListing, want []string) {
	got := all.entries()
	for _, entry := range want {
		if !slices.Contains(got, entry) {
			p.missing(ctx, handle, entry, all)
		}
	}
	slices.Sort(got)
	if repeated := len(got) - len(slices.Compact(got)); repeated > 0 {
		p.find(ProbeWrongListing, "A listing of %s has %s twice.", counted(all.pages, "page"), counted(repeated, "name"))
	}
	if p.caps.OrderedList && !(slices.IsSorted(all.keys()) && slices.IsSorted(all.prefixes)) {
		p.find(ProbeWrongListing, "A listing is not in the byte order of its names, and the store is said to have that order.")
	}
}

// missing finds why a listing lacks an entry: a listing of it alone tells whether
// the store does not show it yet, or lost it between pages.
func (p *probe) missing(ctx context.Context, handle int, entry string, all wholeListing) {
	if all.pages > 1 {
		page, err := p.list(ctx, handle, backends.ListInput{Prefix: entry})
		if err == nil && len(page.Objects) > 0 {
			p.find(ProbeWrongListing, "A listing in pages leaves out a name that a listing of it alone has.")
			return
		}
	}
	p.find(ProbeStaleReads, "A LIST after a create does not show the object.")
}

// startAfter tests listings from the middle on: after a name that is there, and
// after one that is not.
func (p *probe) startAfter(ctx context.Context, want []string) error {
	middle := want[len(want)/2]
	for _, marker := range []string{middle, middle + "!"} {
		in := backends.ListInput{Prefix: p.folder + listFolder, StartAfter: marker}
		page, err := p.list(ctx, 0, in)
		if errors.Is(err, backends.ErrUnsupported) {
			p.find(ProbeWrongListing, "The store is said to list in order, and cannot list from a name on.")
			return nil
		} else if err != nil {
			return p.end(ctx, mayList, err)
		}
		all, token := wholeListing{page.Objects, page.Prefixes, 1}, page.Token
		if token != "" {
			rest, err := p.listAll(ctx, 0, backends.ListInput{Prefix: in.Prefix, Token: token})
			if err != nil {
				return p.end(ctx, mayList, err)
			}
			all = wholeListing{append(all.objects, rest.objects...), append(all.prefixes, rest.prefixes...), 1 + rest.pages}
		}
		got := all.entries()
		for _, entry := range want {
			if (entry > marker) != slices.Contains(got, entry) {
				p.find(ProbeWrongListing, "A listing from a name on does not begin right behind that name.")
				return nil
			}
		}
	}
	return nil
}
