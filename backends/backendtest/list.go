package backendtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// in asks for a prefix.
func in(prefix string) backends.ListInput { return backends.ListInput{Prefix: prefix} }

func keysOf(objects []backends.Object) []string {
	keys := make([]string, len(objects))
	for i, o := range objects {
		keys[i] = o.Key
	}
	return keys
}

// entriesOf returns the keys of the objects and the prefixes of a page.
func entriesOf(page backends.Page) []string {
	return append(keysOf(page.Objects), page.Prefixes...)
}

// mostPages ends a listing whose tokens lead in a circle.
const mostPages = 10_000

// pages follows the tokens of a listing.
func (s subject) pages(ctx context.Context, t reporter, in backends.ListInput) []backends.Page {
	t.Helper()
	var pages []backends.Page
	for {
		page, err := s.List(ctx, in)
		require.NoErrorf(t, err, "page %d of %+v", len(pages)+1, in)
		if in.Limit > 0 {
			require.LessOrEqualf(t, len(entriesOf(page)), in.Limit, "objects and prefixes of a page of %+v", in)
		}
		pages = append(pages, page)
		if page.Token == "" {
			return pages
		}
		require.Lessf(t, len(pages), mostPages, "the tokens of %+v do not end", in)
		in.Token = page.Token
	}
}

// listAll returns all pages as one.
func (s subject) listAll(ctx context.Context, t reporter, in backends.ListInput) ([]backends.Object, []string) {
	t.Helper()
	var all backends.Page
	for _, page := range s.pages(ctx, t, in) {
		all.Objects = append(all.Objects, page.Objects...)
		all.Prefixes = append(all.Prefixes, page.Prefixes...)
	}
	return all.Objects, all.Prefixes
}

// lists requires exactly these entries, each once.
func (s subject) lists(ctx context.Context, t reporter, in backends.ListInput, want ...string) {
	t.Helper()
	objects, prefixes := s.listAll(ctx, t, in)
	require.ElementsMatchf(t, want, append(keysOf(objects), prefixes...), "listing of %+v", in)
	for _, o := range objects {
		require.Falsef(t, strings.Contains(strings.TrimPrefix(o.Key, in.Prefix), "/"),
			"the object %q must be folded into a prefix of the listing of %q", o.Key, in.Prefix)
	}
	for _, prefix := range prefixes {
		require.Truef(t, strings.HasSuffix(prefix, "/"), "the prefix %q must end in a slash", prefix)
	}
}

// mixedFolder has files and folders whose names interleave.
var mixedFolder = []string{
	"t/-", "t/0", "t/00", "t/1", "t/10", "t/2", "t/Q", "t/_", "t/a", "t/a-", "t/a.b", "t/a0", "t/b", "t/c.d", "t/z", "t/ä",
	"t/f/", "t/f0/", "t/m/", "t/~/",
}

// putMixed creates what mixedFolder lists, and neighbours that it must not list.
func (s subject) putMixed(ctx context.Context, t reporter) {
	t.Helper()
	for _, entry := range mixedFolder {
		if strings.HasSuffix(entry, "/") {
			s.putAll(ctx, t, entry+"1", entry+"2", entry+"deep/1")
		} else {
			s.putAll(ctx, t, entry)
		}
	}
	s.putAll(ctx, t, "s/1", "t0", "t-/1", "u/1")
}

// listing has the rules of List.
var listing = []rule{
	{"a folder without objects is an empty page", func(ctx context.Context, t reporter, s subject) {
		for _, prefix := range []string{"", "t/", "t/_versions/", "t"} {
			s.lists(ctx, t, in(prefix))
		}
		s.putAll(ctx, t, "t/key")
		for _, prefix := range []string{"u/", "t/_versions/", "t/key/", "t/key2", "k"} {
			s.lists(ctx, t, in(prefix))
		}
	}},
	{"a listing has the keys of its prefix and nothing else", func(ctx context.Context, t reporter, s subject) {
		s.putMixed(ctx, t)
		s.lists(ctx, t, in("t/a"), "t/a", "t/a-", "t/a.b", "t/a0")
		s.lists(ctx, t, in("t/10"), "t/10")
		s.lists(ctx, t, in("t/f/deep/"), "t/f/deep/1")
		s.lists(ctx, t, in("s/"), "s/1")
		s.lists(ctx, t, in("t/"), mixedFolder...)
	}},
	{"keys below a folder are folded into its prefix", func(ctx context.Context, t reporter, s subject) {
		s.putMixed(ctx, t)
		s.lists(ctx, t, in("t/f"), "t/f/", "t/f0/")
		s.lists(ctx, t, in("t/f/"), "t/f/1", "t/f/2", "t/f/deep/")
		s.lists(ctx, t, in("t"), "t/", "t-/", "t0")
		s.lists(ctx, t, in(""), "s/", "t/", "t-/", "t0", "u/")
	}},
	{"pages of any size hold every entry exactly once", func(ctx context.Context, t reporter, s subject) {
		s.putMixed(ctx, t)
		all := len(mixedFolder)
		for _, limit := range []int{1, 2, 3, 7, all - 1, all, all + 1, 1000} {
			s.lists(ctx, t, backends.ListInput{Prefix: "t/", Limit: limit}, mixedFolder...)
			s.lists(ctx, t, backends.ListInput{Prefix: "t/a", Limit: limit}, "t/a", "t/a-", "t/a.b", "t/a0")
			s.lists(ctx, t, backends.ListInput{Prefix: "t/f", Limit: limit}, "t/f/", "t/f0/")
		}
	}},
	{"pages come in byte order where the store says so", func(ctx context.Context, t reporter, s subject) {
		if !s.Capabilities().OrderedList {
			return
		}
		s.putMixed(ctx, t)
		for _, limit := range []int{1, 3, 1000} {
			var all []string
			for _, page := range s.pages(ctx, t, backends.ListInput{Prefix: "t/", Limit: limit}) {
				require.IsNonDecreasing(t, append([]string{""}, keysOf(page.Objects)...), "objects of a page")
				require.IsNonDecreasing(t, append([]string{""}, page.Prefixes...), "prefixes of a page")
				all = append(all, slices.Sorted(slices.Values(entriesOf(page)))...)
			}
			require.IsNonDecreasing(t, all, "entries of one page after another, %d a page", limit)
		}
	}},
	{"StartAfter skips the keys up to it", func(ctx context.Context, t reporter, s subject) {
		keys := []string{"t/0", "t/00", "t/1", "t/10", "t/2", "t/a", "t/ä"}
		s.putAll(ctx, t, keys...)
		s.putAll(ctx, t, "u/1")
		for _, after := range append([]string{"t/", "s", "t/000", "t/zz", "u"}, keys...) {
			var want []string
			for _, key := range keys {
				if key > after {
					want = append(want, key)
				}
			}
			_, err := s.List(ctx, backends.ListInput{Prefix: "t/", StartAfter: after})
			if !s.Capabilities().OrderedList && errors.Is(err, backends.ErrUnsupported) {
				wantError(t, err, "list", "t/", backends.ErrUnsupported)
				continue
			}
			for _, limit := range []int{0, 1, 2} {
				s.lists(ctx, t, backends.ListInput{Prefix: "t/", StartAfter: after, Limit: limit}, want...)
			}
		}
	}},
	{"what is no version is listed as it is", func(ctx context.Context, t reporter, s subject) {
		keys := []string{
			"t/_versions/1.manifest", "t/_versions/11.manifest", "t/_versions/18446744073709551614.manifest",
			"t/_versions/18446744073709551604.manifest", "t/_versions/18446744073709551603.manifest-6e0c1c1e",
			"t/_versions/.tmp_7.manifest", "t/_versions/.tmp_lancecommit_X", "t/_versions/1.manifest.attrs",
			"t/_versions/1.manifest#1", "t/_versions/x.manifest", "t/_versions/01.manifest",
			"t/_versions/d9223372036854775809.manifest", "t/_versions/latest_version_hint.json",
		}
		s.putAll(ctx, t, keys...)
		s.putAll(ctx, t, "t/_versions/sub/18446744073709551600.manifest", "t/_versions.manifest", "t/data/1.lance")
		want := append(keys, "t/_versions/sub/")
		for _, limit := range []int{0, 1, 8} {
			s.lists(ctx, t, backends.ListInput{Prefix: "t/_versions/", Limit: limit}, want...)
		}
	}},
	{"the marker of a folder hides nothing", func(ctx context.Context, t reporter, s subject) {
		if s.inject == nil {
			return
		}
		s.inject("t/_versions/", nil)
		s.inject("t/_versions/sub/", nil)
		keys := []string{"t/_versions/1.manifest", "t/_versions/2.manifest", "t/_versions/3.manifest"}
		s.putAll(ctx, t, keys...)
		for _, limit := range []int{0, 1, 2, 3, 4} {
			objects, prefixes := s.listAll(ctx, t, backends.ListInput{Prefix: "t/_versions/", Limit: limit})
			// A bucket lists the marker itself; a disk has a folder instead.
			objects = slices.DeleteFunc(objects, func(o backends.Object) bool { return o.Key == "t/_versions/" })
			require.ElementsMatch(t, keys, keysOf(objects), "objects, %d a page", limit)
			require.Equal(t, []string{"t/_versions/sub/"}, prefixes, "prefixes, %d a page", limit)
		}
	}},
	{"a listing while others create has every key that was there before", listWhileOthersCreate},
}

func listWhileOthersCreate(ctx context.Context, t reporter, s subject) {
	var before []string
	for i := range 20 {
		before = append(before, fmt.Sprintf("t/%02d.before", i))
	}
	s.putAll(ctx, t, before...)
	for _, limit := range []int{1, 3, 7, 0} {
		var failed [4]error
		var creators sync.WaitGroup
		for c := range failed {
			creators.Go(func() {
				for i := range 10 {
					// The names fall before, between and behind the others.
					key := fmt.Sprintf("t/%02d.%d.%d", (i*7+c)%25, limit*100+i, c)
					_, err := s.PutIfAbsent(ctx, key, nil, backends.PutOptions{})
					failed[c] = errors.Join(failed[c], err)
				}
			})
		}
		objects, _ := s.listAll(ctx, t, backends.ListInput{Prefix: "t/", Limit: limit})
		creators.Wait()
		require.NoError(t, errors.Join(failed[:]...), "creates beside a listing")
		listed := keysOf(objects)
		for _, key := range before {
			require.Containsf(t, listed, key, "a key that was there before, %d a page", limit)
		}
	}
}
