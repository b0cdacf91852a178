package backendtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
)

// storesThatReadWrong break attributes, keys, deletes and contexts.
var storesThatReadWrong = []brokenStore{
	{
		"tells another ETag in the answer of a create",
		[]string{
			"create, Get, Head and List agree on size, ETag and version", "of concurrent creates of one key exactly one wins",
		},
		func(w *wrapper) backends.Store {
			w.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
				attrs, err := w.Store.PutIfAbsent(ctx, key, body, opts)
				attrs.ETag = `"` + attrs.ETag + `"`
				return attrs, err
			}
			return w
		},
	},
	{
		"tells no size in a listing",
		[]string{"create, Get, Head and List agree on size, ETag and version", "a reader sees a whole object or none"},
		editPage(func(_ backends.ListInput, page *backends.Page) {
			for i := range page.Objects {
				page.Objects[i].Size = 0
			}
		}),
	},
	{
		"tells no time",
		[]string{"the time of an object is when it was written"},
		editHead(func(attrs *backends.Attrs) { attrs.Modified = attrs.Modified.AddDate(-1, 0, 0) }),
	},
	{
		"makes the ETag from the size",
		[]string{"objects with different bytes have different ETags"},
		func(w *wrapper) backends.Store {
			w.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
				attrs, err := w.Store.PutIfAbsent(ctx, key, body, opts)
				attrs.ETag = fmt.Sprint(attrs.Size)
				return attrs, err
			}
			return w
		},
	},
	{
		"makes the ETag from the key",
		[]string{"an object that is created again with other bytes has another ETag"},
		editHead(func(attrs *backends.Attrs) { attrs.ETag = "constant" }),
	},
	{
		"loses metadata",
		[]string{"metadata comes back from Get and Head and is in no listing"},
		editPut(func(_ *context.Context, _ *[]byte, opts *backends.PutOptions) { opts.Metadata = "" }),
	},
	{
		"takes any metadata",
		[]string{"metadata that some store cannot keep is refused by all"},
		editPut(func(_ *context.Context, _ *[]byte, opts *backends.PutOptions) { opts.Metadata = "" }),
	},
	{
		"reads what is larger than wanted",
		[]string{"an object above the limit of a read is refused"},
		func(w *wrapper) backends.Store {
			w.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
				return w.Store.Get(backends.WithReadLimit(ctx, 1<<40), key)
			}
			return w
		},
	},
	{
		"calls an absent key empty",
		[]string{"an absent key is ErrNotExist", "a key that is the folder of another key does no damage"},
		func(w *wrapper) backends.Store {
			w.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
				body, attrs, err := w.Store.Get(ctx, key)
				if errors.Is(err, backends.ErrNotExist) {
					err = nil
				}
				return body, attrs, err
			}
			// On this store the folder of a key cannot be a key.
			return replacing(func(w *wrapper, ctx context.Context, key string, _ []byte) error {
				if key == "t/a/b" {
					return &backends.Error{Op: "put", Key: key, Err: backends.ErrNotStored}
				}
				return nil
			})(w)
		},
	},
	{
		"takes a folder for an object",
		[]string{"an absent key is ErrNotExist"},
		func(w *wrapper) backends.Store {
			w.head = func(ctx context.Context, key string) (backends.Attrs, error) {
				attrs, err := w.Store.Head(ctx, key)
				if page, _ := w.Store.List(ctx, in(key)); err != nil && len(page.Prefixes) > 0 {
					return attrs, nil
				}
				return attrs, err
			}
			return w
		},
	},
	{
		"cannot delete what is absent",
		[]string{"deleting an absent key is no error"},
		func(w *wrapper) backends.Store {
			w.remove = func(ctx context.Context, key string) error {
				if _, err := w.Store.Head(ctx, key); err != nil {
					return err
				}
				return w.Store.Delete(ctx, key)
			}
			return w
		},
	},
	{
		"does not delete",
		[]string{"a delete removes one object and nothing else"},
		func(w *wrapper) backends.Store {
			w.remove = func(context.Context, string) error { return nil }
			return w
		},
	},
	{
		"deletes what starts with the key",
		[]string{"a delete removes one object and nothing else", "deleting a folder removes nothing"},
		func(w *wrapper) backends.Store {
			w.remove = func(ctx context.Context, key string) error {
				objects, folders := subject{Store: w.Store}.listAll(ctx, &recorder{}, in(key))
				for _, o := range objects {
					_ = w.Store.Delete(ctx, o.Key)
				}
				for _, folder := range folders {
					_ = w.Delete(ctx, folder+"f")
					_ = w.Delete(ctx, folder+"a")
				}
				return nil
			}
			return w
		},
	},
	{
		"cleans keys",
		[]string{"a malformed key is invalid to every method"},
		editKey(func(key string) string { return strings.TrimLeft(path.Clean("/"+key), "/") }),
	},
	{
		"decodes keys like URLs",
		[]string{"an odd key is stored as it is", "keys that differ a little are different"},
		editKey(func(key string) string {
			if decoded, err := url.QueryUnescape(key); err == nil {
				return decoded
			}
			return key
		}),
	},
	{
		"encodes keys like URLs",
		[]string{"an odd key is stored as it is", "the oddest keys are stored as they are or refused"},
		editKey(func(key string) string { return strings.ReplaceAll(url.QueryEscape(key), "%2F", "/") }),
	},
	{
		"cuts long keys",
		[]string{"a key of 1,024 bytes is stored"},
		editKey(func(key string) string { return key[:min(len(key), 1000)] }),
	},
	{
		"ignores the context of a create",
		[]string{
			"a create whose context was cancelled writes nothing and says so",
			"a create whose deadline has passed writes nothing and says so",
		},
		editPut(func(ctx *context.Context, _ *[]byte, _ *backends.PutOptions) { *ctx = context.WithoutCancel(*ctx) }),
	},
	{
		"writes and then says that it was cancelled",
		[]string{
			"a create whose context was cancelled writes nothing and says so",
			"a create whose deadline has passed writes nothing and says so",
		},
		func(w *wrapper) backends.Store {
			w.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
				_, _ = w.Store.PutIfAbsent(context.WithoutCancel(ctx), key, body, opts)
				return w.Store.PutIfAbsent(ctx, key, body, opts)
			}
			return w
		},
	},
	{
		"ignores the context of a read",
		[]string{"a call whose context was cancelled fails with its error"},
		func(w *wrapper) backends.Store {
			w.head = func(ctx context.Context, key string) (backends.Attrs, error) {
				return w.Store.Head(context.WithoutCancel(ctx), key)
			}
			return w
		},
	},
}
