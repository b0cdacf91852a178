package backendtest

import (
	"context"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
)

// storesThatListWrong break listings.
var storesThatListWrong = []brokenStore{
	{
		"lists whatever there is",
		[]string{"a folder without objects is an empty page", "a listing has the keys of its prefix and nothing else"},
		func(w *wrapper) backends.Store {
			w.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
				in.Prefix = strings.TrimSuffix(in.Prefix, "key/")
				return w.Store.List(ctx, backends.ListInput{Prefix: in.Prefix[:min(len(in.Prefix), 2)], Token: in.Token})
			}
			return w
		},
	},
	{
		"lists what lies in folders",
		[]string{"keys below a folder are folded into its prefix", "what is no version is listed as it is"},
		func(w *wrapper) backends.Store {
			w.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
				page, err := w.Store.List(ctx, in)
				for _, folder := range page.Prefixes {
					below, _ := w.Store.List(ctx, backends.ListInput{Prefix: folder})
					page.Objects = append(page.Objects, below.Objects...)
				}
				page.Prefixes = nil
				return page, err
			}
			return w
		},
	},
	{
		"names folders without a slash",
		[]string{"keys below a folder are folded into its prefix"},
		editPage(func(_ backends.ListInput, page *backends.Page) {
			for i := range page.Prefixes {
				page.Prefixes[i] = strings.TrimSuffix(page.Prefixes[i], "/")
			}
		}),
	},
	{
		"skips the first entry of the next page",
		[]string{
			"pages of any size hold every entry exactly once", "a listing while others create has every key that was there before",
		},
		editPage(func(in backends.ListInput, page *backends.Page) {
			if in.Token != "" && len(page.Objects) > 0 {
				page.Objects = page.Objects[1:]
			}
		}),
	},
	{
		"ends when a page is full",
		[]string{
			"pages of any size hold every entry exactly once", "a listing while others create has every key that was there before",
		},
		editPage(func(in backends.ListInput, page *backends.Page) {
			if in.Limit > 0 && len(entriesOf(*page)) == in.Limit {
				page.Token = ""
			}
		}),
	},
	{
		"counts no prefixes",
		[]string{"pages of any size hold every entry exactly once"},
		func(w *wrapper) backends.Store {
			w.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
				limit := in.Limit
				in.Limit = 0
				page, err := w.Store.List(ctx, in)
				if limit > 0 && len(page.Objects) <= limit {
					return page, err
				}
				in.Limit = limit
				return w.Store.List(ctx, in)
			}
			return w
		},
	},
	{
		"repeats a page",
		[]string{"pages of any size hold every entry exactly once"},
		func(w *wrapper) backends.Store {
			w.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
				in.Token = strings.TrimPrefix(in.Token, "again")
				page, err := w.Store.List(ctx, in)
				if in.Token == "" && page.Token != "" {
					page.Token = "again"
				}
				return page, err
			}
			return w
		},
	},
	{
		"has a clock that is behind the one that dates its objects",
		[]string{"a store's own time is not before that of the objects that it lists"},
		editPage(func(_ backends.ListInput, page *backends.Page) { page.Now = page.Now.Add(-time.Minute) }),
	},
	{
		"lists in no order",
		[]string{"pages come in byte order where the store says so"},
		func(w *wrapper) backends.Store {
			unordered := memory.New(memory.Options{Unordered: true})
			return claimsOrder{unordered}
		},
	},
	{
		"starts at StartAfter",
		[]string{"StartAfter skips the keys up to it"},
		func(w *wrapper) backends.Store {
			w.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
				page, err := w.Store.List(ctx, in)
				attrs, absent := w.Store.Head(ctx, in.StartAfter)
				if in.Token == "" && absent == nil && strings.HasPrefix(in.StartAfter, in.Prefix) {
					page.Objects = append(page.Objects, backends.Object{Key: in.StartAfter, Attrs: attrs})
				}
				return page, err
			}
			return w
		},
	},
	{
		"hides what looks temporary",
		[]string{"what is no version is listed as it is"},
		editPage(func(_ backends.ListInput, page *backends.Page) {
			for i, o := range page.Objects {
				if strings.Contains(o.Key, "/.tmp") {
					page.Objects = append(page.Objects[:i:i], page.Objects[i+1:]...)
					return
				}
			}
		}),
	},
	{
		"takes a marker for the whole folder",
		[]string{"the marker of a folder hides nothing"},
		editPage(func(_ backends.ListInput, page *backends.Page) {
			if len(page.Objects) > 0 && strings.HasSuffix(page.Objects[0].Key, "/") {
				page.Objects = page.Objects[:1]
			}
		}),
	},
}

// claimsOrder lists in no order and says that it has one.
type claimsOrder struct{ *memory.Store }

func (claimsOrder) Capabilities() backends.Capabilities {
	return backends.Capabilities{OrderedList: true, Metadata: true}
}
