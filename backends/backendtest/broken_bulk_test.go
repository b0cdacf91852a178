package backendtest

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
)

// storesThatBulkDeleteWrong break bulk deletes.
var storesThatBulkDeleteWrong = []brokenStore{
	{
		"forgets the last key",
		[]string{"a bulk delete removes its keys and nothing else", "a bulk delete takes as many keys as the store says and no more"},
		brokenBulk(func(w *wrapper, ctx context.Context, keys []string) error {
			return w.Store.BulkDelete(ctx, keys[:max(len(keys)-1, 0)])
		}),
	},
	{
		"deletes by prefix",
		[]string{"a bulk delete removes its keys and nothing else"},
		brokenBulk(func(w *wrapper, ctx context.Context, keys []string) error {
			for _, key := range keys {
				page, _ := w.Store.List(ctx, in(key))
				for _, o := range page.Objects {
					_ = w.Store.Delete(ctx, o.Key)
				}
			}
			return nil
		}),
	},
	{
		"fails on an absent key",
		[]string{"absent keys are no error to a bulk delete"},
		brokenBulk(func(w *wrapper, ctx context.Context, keys []string) error {
			var failed backends.PartialDeleteError
			for _, key := range keys {
				if _, err := w.Store.Head(ctx, key); errors.Is(err, backends.ErrNotExist) {
					failed.Failed = append(failed.Failed, &backends.Error{Op: "delete", Key: key, Err: err})
				}
			}
			_ = w.Store.BulkDelete(ctx, keys)
			if len(failed.Failed) > 0 {
				return &failed
			}
			return nil
		}),
	},
	{
		"takes more than it says",
		[]string{"a bulk delete takes as many keys as the store says and no more"},
		brokenBulk(func(w *wrapper, ctx context.Context, keys []string) error {
			for _, key := range keys {
				if err := w.Store.Delete(ctx, key); err != nil {
					return err
				}
			}
			return nil
		}),
	},
	{
		"deletes up to the malformed key",
		[]string{"a bulk delete of a malformed key or with a cancelled context removes nothing"},
		brokenBulk(func(w *wrapper, ctx context.Context, keys []string) error {
			err := w.Store.BulkDelete(ctx, keys)
			if errors.Is(err, backends.ErrInvalid) {
				_ = w.Store.Delete(ctx, keys[0])
			}
			return err
		}),
	},
	{
		"unescapes keys",
		[]string{"a bulk delete takes odd keys as they are"},
		brokenBulk(func(w *wrapper, ctx context.Context, keys []string) error {
			unescaped := make([]string, len(keys))
			for i, key := range keys {
				unescaped[i] = key
				if plain, err := url.PathUnescape(key); err == nil && !strings.Contains(plain, "//") {
					unescaped[i] = plain
				}
			}
			return w.Store.BulkDelete(ctx, unescaped)
		}),
	},
}

func brokenBulk(bulk func(w *wrapper, ctx context.Context, keys []string) error) func(w *wrapper) backends.Store {
	return func(w *wrapper) backends.Store {
		w.bulk = func(ctx context.Context, keys []string) error { return bulk(w, ctx, keys) }
		return w
	}
}
