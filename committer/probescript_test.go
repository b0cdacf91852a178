package committer_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
)

// A scriptedStore is a store in memory some of whose methods are replaced.
type scriptedStore struct {
	*memory.Store
	put    func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error)
	get    func(ctx context.Context, key string) ([]byte, backends.Attrs, error)
	head   func(ctx context.Context, key string) (backends.Attrs, error)
	list   func(ctx context.Context, in backends.ListInput) (backends.Page, error)
	remove func(ctx context.Context, key string) error
	caps   backends.Capabilities
}

func newScripted(opts memory.Options) *scriptedStore {
	inner := memory.New(opts)
	return &scriptedStore{
		Store: inner, put: inner.PutIfAbsent, get: inner.Get, head: inner.Head, list: inner.List, remove: inner.Delete,
		caps: inner.Capabilities(),
	}
}

func (s *scriptedStore) PutIfAbsent(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
	return s.put(ctx, key, body, opts)
}
func (s *scriptedStore) Get(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
	return s.get(ctx, key)
}
func (s *scriptedStore) Head(ctx context.Context, key string) (backends.Attrs, error) {
	return s.head(ctx, key)
}
func (s *scriptedStore) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	return s.list(ctx, in)
}
func (s *scriptedStore) Delete(ctx context.Context, key string) error { return s.remove(ctx, key) }
func (s *scriptedStore) BulkDelete(context.Context, []string) error {
	return backends.ErrUnsupported
}
func (s *scriptedStore) Capabilities() backends.Capabilities { return s.caps }

// has reports whether an object is there.
func (s *scriptedStore) has(key string) bool {
	_, err := s.Store.Head(context.Background(), key)
	return err == nil
}

// holds reports whether an object is there with these bytes.
func (s *scriptedStore) holds(key string, body []byte) bool {
	got, _, err := s.Store.Get(context.Background(), key)
	return err == nil && bytes.Equal(got, body)
}

// A creation is the fate of one create. It may let it through.
type creation func(ctx context.Context, key string, body []byte, through func() error) error

// creates makes every create meet a fate.
func creates(fate creation) func(*scriptedStore) {
	return func(s *scriptedStore) {
		next := s.put
		s.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (attrs backends.Attrs, err error) {
			err = fate(ctx, key, body, func() (err error) {
				attrs, err = next(ctx, key, body, opts)
				return err
			})
			return attrs, err
		}
	}
}

// createsOf is creates for names of one kind.
func createsOf(kind string, fate creation) func(*scriptedStore) {
	return creates(func(ctx context.Context, key string, body []byte, through func() error) error {
		if !strings.Contains(key, "/"+kind+"-") {
			return through()
		}
		return fate(ctx, key, body, through)
	})
}

// fails makes a method fail, always.
func fails(method string, err error) func(*scriptedStore) {
	return func(s *scriptedStore) {
		switch method {
		case "create":
			s.put = func(context.Context, string, []byte, backends.PutOptions) (backends.Attrs, error) {
				return backends.Attrs{}, err
			}
		case "list":
			s.list = func(context.Context, backends.ListInput) (backends.Page, error) { return backends.Page{}, err }
		case "delete":
			s.remove = func(context.Context, string) error { return err }
		case "head":
			s.head = func(context.Context, string) (backends.Attrs, error) { return backends.Attrs{}, err }
		case "get":
			s.get = func(context.Context, string) ([]byte, backends.Attrs, error) { return nil, backends.Attrs{}, err }
		}
	}
}

// pages changes what listings answer.
func pages(change func(in backends.ListInput, page *backends.Page)) func(*scriptedStore) {
	return func(s *scriptedStore) {
		next := s.list
		s.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
			page, err := next(ctx, in)
			page.Objects = slices.Clone(page.Objects)
			change(in, &page)
			return page, err
		}
	}
}

// all has a store meet several defects.
func all(defects ...func(*scriptedStore)) func(*scriptedStore) {
	return func(s *scriptedStore) {
		for _, defect := range defects {
			defect(s)
		}
	}
}

// latency is how long a request takes on its way and back, each.
const latency = 2 * time.Millisecond

// farAway takes time for each request.
func farAway(s *scriptedStore) {
	put, get, head, list := s.put, s.get, s.head, s.list
	s.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
		time.Sleep(latency)
		defer time.Sleep(latency)
		return put(ctx, key, body, opts)
	}
	s.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
		time.Sleep(latency)
		return get(ctx, key)
	}
	s.head = func(ctx context.Context, key string) (backends.Attrs, error) {
		time.Sleep(latency)
		return head(ctx, key)
	}
	s.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
		time.Sleep(latency)
		return list(ctx, in)
	}
}

// ignoresTheCondition writes whatever is there.
func ignoresTheCondition(s *scriptedStore) {
	s.put = func(_ context.Context, key string, body []byte, _ backends.PutOptions) (backends.Attrs, error) {
		s.Inject(key, body)
		return backends.Attrs{Size: int64(len(body))}, nil
	}
}

// looksThenWrites has time between its look and its write.
func looksThenWrites(s *scriptedStore) {
	s.put = func(_ context.Context, key string, body []byte, _ backends.PutOptions) (backends.Attrs, error) {
		if s.has(key) {
			return backends.Attrs{}, backends.ErrExists
		}
		time.Sleep(time.Millisecond)
		s.Inject(key, body)
		return backends.Attrs{Size: int64(len(body))}, nil
	}
}

// inverts has the condition turned round.
func inverts(s *scriptedStore) {
	s.put = func(_ context.Context, key string, body []byte, _ backends.PutOptions) (backends.Attrs, error) {
		if !s.has(key) {
			return backends.Attrs{}, backends.ErrExists
		}
		s.Inject(key, body)
		return backends.Attrs{Size: int64(len(body))}, nil
	}
}

// An endpoint is one of several to a store. It sees what was created by another
// one a moment later.
type endpoint struct {
	*scriptedStore
	shared *endpoints
	number int
}

type endpoints struct {
	mu      sync.Mutex
	by      map[string]int
	created map[string]time.Time
}

func endpointsOf(store *scriptedStore, count int) (handles []backends.Store) {
	shared := &endpoints{by: make(map[string]int), created: make(map[string]time.Time)}
	for n := range count {
		handles = append(handles, endpoint{store, shared, n})
	}
	return handles
}

func (e endpoint) PutIfAbsent(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
	if e.sees(key) {
		return e.scriptedStore.PutIfAbsent(ctx, key, body, opts)
	}
	e.Inject(key, body)
	return backends.Attrs{Size: int64(len(body))}, nil
}

// sees reports whether the endpoint knows that a key is taken. Otherwise it takes
// it.
func (e endpoint) sees(key string) bool {
	e.shared.mu.Lock()
	defer e.shared.mu.Unlock()
	by, there := e.shared.by[key]
	if there && (by == e.number || time.Since(e.shared.created[key]) >= time.Millisecond) {
		return true
	}
	e.shared.by[key], e.shared.created[key] = e.number, time.Now()
	return false
}
