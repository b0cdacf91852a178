// Package intercept puts a function around every request to a store: to count
// them, to lose their replies, to make something happen in between.
package intercept

import (
	"context"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/lancecommit/lancecommit/backends"
)

// A Call is one request to a store.
type Call struct {
	// Method is "PUT", "GET", "HEAD", "LIST", "DELETE" or "OVERWRITE".
	Method string
	// Key is the object, or the prefix of a listing.
	Key string
	// Limit is that of a listing.
	Limit int
}

// String writes the call in one short line: the method, the last part of the
// key, and for a listing its limit.
func (c Call) String() string {
	if c.Method == "LIST" {
		return fmt.Sprintf("LIST %s %d", path.Base(strings.TrimSuffix(c.Key, "/")), c.Limit)
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
	if over, ok := store.(backends.Overwriter); ok {
		return overwriter{s, over}
	}
	return s
}

type intercepted struct {
	store  backends.Store
	around Around
}

type overwriter struct {
	intercepted
	over backends.Overwriter
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

func (s intercepted) Capabilities() backends.Capabilities { return s.store.Capabilities() }

func (s overwriter) Overwrite(ctx context.Context, key string, body []byte) error {
	return s.around(ctx, Call{Method: "OVERWRITE", Key: key}, func(ctx context.Context) error {
		return s.over.Overwrite(ctx, key, body)
	})
}

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
