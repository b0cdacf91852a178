package fault

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"hash/crc32"
	"slices"
	"strings"
	"sync"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

// Store returns a store whose requests meet the injector's faults. It can
// overwrite and delete in bulk where the store can.
func (i *Injector) Store(store backends.Store) backends.Store {
	s := &faulty{Store: intercept.Wrap(store, i.around), injector: i, inner: store}
	over, overwrites := store.(backends.Overwriter)
	bulk, deletes := s.Store.(backends.BulkDeleter)
	switch {
	case overwrites && deletes:
		return struct {
			*faulty
			overwriter
			backends.BulkDeleter
		}{s, overwriter{i, over}, bulk}
	case overwrites:
		return struct {
			*faulty
			overwriter
		}{s, overwriter{i, over}}
	case deletes:
		return struct {
			*faulty
			backends.BulkDeleter
		}{s, bulk}
	}
	return s
}

// A faulty store leaves what keeps nothing of the caller's to the intercepted
// one. A write that lands late needs its body, and a listing is changed, so
// these are its own.
type faulty struct {
	backends.Store
	injector *Injector
	inner    backends.Store

	mu sync.Mutex
	// seen has the last answer to each listing.
	seen map[backends.ListInput]backends.Page
}

type overwriter struct {
	injector *Injector
	over     backends.Overwriter
}

func (s *faulty) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (attrs backends.Attrs, err error) {
	call := intercept.Call{Method: "PUT", Key: key}
	f := s.injector.script.Next(call.Method)
	if f.Kind == Late {
		kept := bytes.Clone(body)
		s.injector.later(ctx, f.Delay, func(ctx context.Context) { _, _ = s.inner.PutIfAbsent(ctx, key, kept, opts) })
		return backends.Attrs{}, answer(call, errReset)
	}
	err = meet(ctx, f, call, func(ctx context.Context) (err error) {
		attrs, err = s.inner.PutIfAbsent(ctx, key, body, opts)
		return err
	})
	if err != nil {
		return backends.Attrs{}, err
	}
	return attrs, nil
}

func (s overwriter) Overwrite(ctx context.Context, key string, body []byte) error {
	kept := bytes.Clone(body)
	return s.injector.around(ctx, intercept.Call{Method: "OVERWRITE", Key: key}, func(ctx context.Context) error {
		return s.over.Overwrite(ctx, key, kept)
	})
}

func (s *faulty) List(ctx context.Context, in backends.ListInput) (page backends.Page, err error) {
	call := intercept.Call{Method: "LIST", Key: in.Prefix, Limit: in.Limit}
	f := s.injector.script.Next(call.Method)
	if f.Kind == Stale {
		if page, ok := s.remembered(in); ok {
			return page, nil
		}
	}
	asked := in
	in = withoutEmptyPage(in)
	if f.Kind == Short {
		if f.Limit == 0 {
			return backends.Page{Token: emptyPage(asked)}, nil
		}
		if in.Limit == 0 || in.Limit > f.Limit {
			in.Limit = f.Limit
		}
	}
	err = meet(ctx, f, call, func(ctx context.Context) (err error) {
		page, err = s.inner.List(ctx, in)
		return err
	})
	if err != nil {
		return backends.Page{}, err
	}
	s.remember(asked, page)
	if f.Kind == Shuffled && !s.Capabilities().OrderedList {
		page.Objects = shuffled(page.Objects)
	}
	return page, nil
}

// emptyToken marks the token of an empty page, which no store has answered.
const emptyToken = "empty."

// emptyPage returns a token that stands where the listing stood.
func emptyPage(in backends.ListInput) string {
	where := in.StartAfter
	if in.Token != "" {
		where = "\x00" + in.Token
	}
	return emptyToken + base64.RawURLEncoding.EncodeToString([]byte(where))
}

// withoutEmptyPage turns a token of emptyPage into what was asked for then.
func withoutEmptyPage(in backends.ListInput) backends.ListInput {
	encoded, ok := strings.CutPrefix(in.Token, emptyToken)
	if !ok {
		return in
	}
	where, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return in // no token of ours, for the store to refuse
	}
	if token, ok := strings.CutPrefix(string(where), "\x00"); ok {
		in.Token = token
		return withoutEmptyPage(in) // pages that follow one another can be empty
	}
	in.Token, in.StartAfter = "", string(where)
	return in
}

func (s *faulty) remember(in backends.ListInput, page backends.Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = make(map[backends.ListInput]backends.Page)
	}
	s.seen[in] = clone(page)
}

func (s *faulty) remembered(in backends.ListInput) (backends.Page, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	page, ok := s.seen[in]
	return clone(page), ok
}

func clone(page backends.Page) backends.Page {
	page.Objects, page.Prefixes = slices.Clone(page.Objects), slices.Clone(page.Prefixes)
	return page
}

// shuffled gives an order that has nothing to do with the store's, and is the
// same for the same objects.
func shuffled(objects []backends.Object) []backends.Object {
	objects = slices.Clone(objects)
	slices.SortFunc(objects, func(a, b backends.Object) int { return cmp.Compare(mixed(a), mixed(b)) })
	return objects
}

func mixed(object backends.Object) uint32 {
	return crc32.ChecksumIEEE([]byte(object.Key + object.ETag))
}
