package backendtest

import (
	"bytes"
	"context"
	"errors"
	"path"
	"runtime"
	"sync"

	"github.com/lancecommit/lancecommit/backends"
)

// storesThatWriteWrong break creates and overwrites.
var storesThatWriteWrong = []brokenStore{
	{
		"overwrites",
		[]string{
			"a second create is refused and changes nothing", "a refused create leaves the metadata",
			"of concurrent creates of one key exactly one wins",
		},
		replacing(func(w *wrapper, ctx context.Context, key string, _ []byte) error { return w.Store.Delete(ctx, key) }),
	},
	{
		"checks, then writes",
		[]string{"of concurrent creates of one key exactly one wins"},
		replacing(func(w *wrapper, ctx context.Context, key string, _ []byte) error {
			_, err := w.Store.Head(ctx, key)
			if err == nil {
				return &backends.Error{Op: "put", Key: key, Err: backends.ErrExists}
			}
			runtime.Gosched()
			if !errors.Is(err, backends.ErrNotExist) {
				return nil
			}
			return w.Store.Delete(ctx, key)
		}),
	},
	{
		"overwrites when it has refused",
		[]string{"a second create is refused and changes nothing", "of concurrent creates of one key exactly one wins"},
		func(w *wrapper) backends.Store {
			w.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
				attrs, err := w.Store.PutIfAbsent(ctx, key, body, opts)
				if err != nil {
					w.Inject(key, body)
				}
				return attrs, err
			}
			return w
		},
	},
	{
		"calls a lost race unknown",
		[]string{"a second create is refused and changes nothing", "an empty body is an object"},
		func(w *wrapper) backends.Store {
			w.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
				attrs, err := w.Store.PutIfAbsent(ctx, key, body, opts)
				if errors.Is(err, backends.ErrExists) {
					err = &backends.Error{Op: "put", Key: key, Err: errors.New("412")}
				}
				return attrs, err
			}
			return w
		},
	},
	{
		"returns bare errors",
		[]string{"a second create is refused and changes nothing"},
		func(w *wrapper) backends.Store {
			w.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
				attrs, err := w.Store.PutIfAbsent(ctx, key, body, opts)
				return attrs, errors.Unwrap(err)
			}
			return w
		},
	},
	{
		"takes an empty object for none",
		[]string{"an empty body is an object"},
		editHead(func(attrs *backends.Attrs) { attrs.Size = max(attrs.Size, 1) }),
	},
	{
		"cuts bodies",
		[]string{"a created object has the bytes given", "a body of 8 MiB comes back whole"},
		editPut(func(_ *context.Context, body *[]byte, _ *backends.PutOptions) { *body = (*body)[:len(*body)/2] }),
	},
	{
		"never frees a key",
		[]string{"a create of a key that was deleted succeeds"},
		func(w *wrapper) backends.Store {
			var seen sync.Map
			return replacing(func(_ *wrapper, _ context.Context, key string, _ []byte) error {
				if _, again := seen.LoadOrStore(key, true); again {
					return backends.ErrExists
				}
				return nil
			})(w)
		},
	},
	{
		"keeps the caller's slice",
		[]string{"the body belongs to the caller"},
		func(w *wrapper) backends.Store {
			kept := make(map[string][]byte)
			w.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
				kept[key] = body
				return w.Store.PutIfAbsent(ctx, key, body, opts)
			}
			w.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
				_, attrs, err := w.Store.Get(ctx, key)
				return kept[key], attrs, err
			}
			return w
		},
	},
	{
		"modifies the body",
		[]string{"the body belongs to the caller"},
		func(w *wrapper) backends.Store {
			w.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
				defer copy(body, "????")
				return w.Store.PutIfAbsent(ctx, key, body, opts)
			}
			return w
		},
	},
	{
		"hands out its own slice",
		[]string{"content that was read belongs to the caller"},
		func(w *wrapper) backends.Store {
			cache := make(map[string][]byte)
			w.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
				body, attrs, err := w.Store.Get(ctx, key)
				if cache[key] == nil {
					cache[key] = body
				}
				return cache[key], attrs, err
			}
			return w
		},
	},
	{
		"replaces a file by a folder",
		[]string{"a key that is the folder of another key does no damage"},
		replacing(func(w *wrapper, ctx context.Context, key string, _ []byte) error {
			if above := path.Dir(key); above != "." {
				return w.Store.Delete(ctx, above)
			}
			return nil
		}),
	},
	{
		"shows objects while they are written",
		[]string{"a reader sees a whole object or none"},
		replacing(func(w *wrapper, ctx context.Context, key string, body []byte) error {
			if _, err := w.Store.Head(ctx, key); err != nil {
				w.Inject(key, bytes.Clone(body[:len(body)/2]))
				for range 1000 {
					runtime.Gosched()
				}
				return w.Store.Delete(ctx, key)
			}
			return nil
		}),
	},
	{
		"writes over the start only",
		[]string{"an overwrite replaces the whole content"},
		func(w *wrapper) backends.Store {
			w.overwrite = func(ctx context.Context, key string, body []byte) error {
				if old, _, err := w.Store.Get(ctx, key); err == nil && len(old) > len(body) {
					body = append(bytes.Clone(body), old[len(body):]...)
				}
				return w.Store.Overwrite(ctx, key, body)
			}
			return w
		},
	},
	{
		"overwrites without looking at key and context",
		[]string{"an overwrite of a malformed key or with a cancelled context writes nothing"},
		func(w *wrapper) backends.Store {
			w.overwrite = func(_ context.Context, key string, body []byte) error {
				w.Inject(key, body)
				return nil
			}
			return w
		},
	},
}
