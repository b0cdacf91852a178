package backendtest

import (
	"context"
	"slices"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
)

// A wrapper is a sound store in which single methods can be replaced.
type wrapper struct {
	*memory.Store
	put       func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error)
	get       func(ctx context.Context, key string) ([]byte, backends.Attrs, error)
	head      func(ctx context.Context, key string) (backends.Attrs, error)
	list      func(ctx context.Context, in backends.ListInput) (backends.Page, error)
	remove    func(ctx context.Context, key string) error
	overwrite func(ctx context.Context, key string, body []byte) error
	bulk      func(ctx context.Context, keys []string) error
}

func (w *wrapper) PutIfAbsent(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
	if w.put != nil {
		return w.put(ctx, key, body, opts)
	}
	return w.Store.PutIfAbsent(ctx, key, body, opts)
}

func (w *wrapper) Get(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
	if w.get != nil {
		return w.get(ctx, key)
	}
	return w.Store.Get(ctx, key)
}

func (w *wrapper) Head(ctx context.Context, key string) (backends.Attrs, error) {
	if w.head != nil {
		return w.head(ctx, key)
	}
	return w.Store.Head(ctx, key)
}

func (w *wrapper) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	if w.list != nil {
		return w.list(ctx, in)
	}
	return w.Store.List(ctx, in)
}

func (w *wrapper) Delete(ctx context.Context, key string) error {
	if w.remove != nil {
		return w.remove(ctx, key)
	}
	return w.Store.Delete(ctx, key)
}

func (w *wrapper) Overwrite(ctx context.Context, key string, body []byte) error {
	if w.overwrite != nil {
		return w.overwrite(ctx, key, body)
	}
	return w.Store.Overwrite(ctx, key, body)
}

func (w *wrapper) BulkDelete(ctx context.Context, keys []string) error {
	if w.bulk != nil {
		return w.bulk(ctx, keys)
	}
	return w.Store.BulkDelete(ctx, keys)
}

// A brokenStore says which rules a fault breaks.
type brokenStore struct {
	name   string
	breaks []string
	store  func(w *wrapper) backends.Store
}

// editPage breaks listings by an edit of each page.
func editPage(edit func(in backends.ListInput, page *backends.Page)) func(w *wrapper) backends.Store {
	return func(w *wrapper) backends.Store {
		w.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
			page, err := w.Store.List(ctx, in)
			edit(in, &page)
			return page, err
		}
		return w
	}
}

// editKey breaks a store by another key than the one asked for.
func editKey(edit func(key string) string) func(w *wrapper) backends.Store {
	return func(w *wrapper) backends.Store {
		w.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
			return w.Store.PutIfAbsent(ctx, edit(key), body, opts)
		}
		w.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
			return w.Store.Get(ctx, edit(key))
		}
		w.head = func(ctx context.Context, key string) (backends.Attrs, error) {
			return w.Store.Head(ctx, edit(key))
		}
		return w
	}
}

// editHead breaks what Head tells.
func editHead(edit func(attrs *backends.Attrs)) func(w *wrapper) backends.Store {
	return func(w *wrapper) backends.Store {
		w.head = func(ctx context.Context, key string) (backends.Attrs, error) {
			attrs, err := w.Store.Head(ctx, key)
			if err == nil {
				edit(&attrs)
			}
			return attrs, err
		}
		return w
	}
}

// editPut breaks a create by other arguments.
func editPut(edit func(ctx *context.Context, body *[]byte, opts *backends.PutOptions)) func(w *wrapper) backends.Store {
	return func(w *wrapper) backends.Store {
		w.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
			edit(&ctx, &body, &opts)
			return w.Store.PutIfAbsent(ctx, key, body, opts)
		}
		return w
	}
}

// replacing breaks a create by what comes before it.
func replacing(before func(w *wrapper, ctx context.Context, key string, body []byte) error) func(w *wrapper) backends.Store {
	return func(w *wrapper) backends.Store {
		w.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
			if err := before(w, ctx, key, body); err != nil {
				return backends.Attrs{}, err
			}
			return w.Store.PutIfAbsent(ctx, key, body, opts)
		}
		return w
	}
}

// brokenStores are stores with one fault each.
func brokenStores() []brokenStore {
	return slices.Concat(storesThatWriteWrong, storesThatReadWrong, storesThatListWrong, storesThatBulkDeleteWrong)
}
