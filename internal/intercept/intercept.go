// Package intercept puts a function around every request to a store: to bound
// them in time, to count them, to lose their replies, to make something happen in
// between.
package intercept

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"

	"github.com/lancecommit/lancecommit/backends"
)

// A Call is one request to a store.
type Call struct {
	// Method is "PUT", "GET", "HEAD", "LIST", "DELETE", "OVERWRITE" or
	// "BULKDELETE".
	Method string
	// Key is the object, or the prefix of a listing. A bulk delete has Keys.
	Key string
	// Keys are the objects of a bulk delete.
	Keys []string
	// Limit is that of a listing.
	Limit int
}

// String writes the call in one short line: the method, the last part of the
// key, for a listing its limit, and for a bulk delete the number of its keys.
func (c Call) String() string {
	switch c.Method {
	case "LIST":
		return fmt.Sprintf("LIST %s %d", path.Base(strings.TrimSuffix(c.Key, "/")), c.Limit)
	case "BULKDELETE":
		return fmt.Sprintf("BULKDELETE %d", len(c.Keys))
	}
	return c.Method + " " + path.Base(c.Key)
}

// An Around decides about one call. It calls do once, several times or not at
// all before it returns, and its result is the call's error. It must be safe
// for concurrent use.
type Around func(ctx context.Context, call Call, do func(context.Context) error) error

// Wrap returns a store whose every request goes through around. What the store
// can do beyond the contract, the result can do.
func Wrap(store backends.Store, around Around) backends.Store {
	s := intercepted{store, around}
	over, overwrites := store.(backends.Overwriter)
	bulk, deletes := store.(backends.BulkDeleter)
	switch {
	case overwrites && deletes:
		return struct {
			intercepted
			overwriter
			bulkDeleter
		}{s, overwriter{around, over}, bulkDeleter{around, bulk}}
	case overwrites:
		return struct {
			intercepted
			overwriter
		}{s, overwriter{around, over}}
	case deletes:
		return struct {
			intercepted
			bulkDeleter
		}{s, bulkDeleter{around, bulk}}
	}
	return s
}

type intercepted struct {
	store  backends.Store
	around Around
}

type overwriter struct {
	around Around
	over   backends.Overwriter
}

type bulkDeleter struct {
	around Around
	bulk   backends.BulkDeleter
}

func (s intercepted) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (attrs backends.Attrs, err error) {
	err = s.around(ctx, Call{Method: "PUT", Key: key}, func(ctx context.Context) (err error) {
		attrs, err = s.store.PutIfAbsent(ctx, key, body, opts)
		return err
	})
	return attrs, err
}

func (s intercepted) Get(ctx context.Context, key string) (body []byte, attrs backends.Attrs, err error) {
	err = s.around(ctx, Call{Method: "GET", Key: key}, func(ctx context.Context) (err error) {
		body, attrs, err = s.store.Get(ctx, key)
		return err
	})
	return body, attrs, err
}

func (s intercepted) Head(ctx context.Context, key string) (attrs backends.Attrs, err error) {
	err = s.around(ctx, Call{Method: "HEAD", Key: key}, func(ctx context.Context) (err error) {
		attrs, err = s.store.Head(ctx, key)
		return err
	})
	return attrs, err
}

func (s intercepted) List(ctx context.Context, in backends.ListInput) (page backends.Page, err error) {
	err = s.around(ctx, Call{Method: "LIST", Key: in.Prefix, Limit: in.Limit}, func(ctx context.Context) (err error) {
		page, err = s.store.List(ctx, in)
		return err
	})
	return page, err
}

func (s intercepted) Delete(ctx context.Context, key string) error {
	return s.around(ctx, Call{Method: "DELETE", Key: key}, func(ctx context.Context) error {
		return s.store.Delete(ctx, key)
	})
}

// URLs are those of the store, which make no request.
func (s intercepted) URLs() []string {
	if located, ok := s.store.(backends.Located); ok {
		return located.URLs()
	}
	return nil
}

// RealKey is that of the store, which makes no request.
func (s intercepted) RealKey(ctx context.Context, key string) (string, error) {
	if linked, ok := s.store.(backends.Linked); ok {
		return linked.RealKey(ctx, key)
	}
	return key, nil
}

// Close closes the store, if it can be closed.
func (s intercepted) Close() error {
	if closer, ok := s.store.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

func (s intercepted) Capabilities() backends.Capabilities { return s.store.Capabilities() }

func (s overwriter) Overwrite(ctx context.Context, key string, body []byte) error {
	return s.around(ctx, Call{Method: "OVERWRITE", Key: key}, func(ctx context.Context) error {
		return s.over.Overwrite(ctx, key, body)
	})
}

func (s bulkDeleter) BulkDelete(ctx context.Context, keys []string) error {
	return s.around(ctx, Call{Method: "BULKDELETE", Keys: keys}, func(ctx context.Context) error {
		return s.bulk.BulkDelete(ctx, keys)
	})
}

func (s bulkDeleter) BulkLimit() int { return s.bulk.BulkLimit() }

// A Log is an Around that remembers the calls and lets them through. The zero
// value is empty and ready.
type Log struct {
	mu    sync.Mutex
	calls []Call
}

// Around records the call and makes it.
func (l *Log) Around(ctx context.Context, call Call, do func(context.Context) error) error {
	l.mu.Lock()
	l.calls = append(l.calls, call)
	l.mu.Unlock()
	return do(ctx)
}

// Take returns the calls since the last Take, a line each.
func (l *Log) Take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := make([]string, 0, len(l.calls))
	for _, call := range l.calls {
		lines = append(lines, call.String())
	}
	l.calls = nil
	return lines
}
