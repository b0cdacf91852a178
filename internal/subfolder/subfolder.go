// Package subfolder makes a store of one folder of another store.
package subfolder

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
)

// New returns the folder of a store as a store of its own, in which keys are
// relative to the folder. Nothing outside the folder is ever read, listed or
// written. Each call costs what it costs in the store below. What that can do
// beyond the contract, the result can do; closing it is left to the caller.
//
// A key of the store below has the folder and a slash in front, so that the
// longest key in the folder is shorter than the contract's by as much; a longer
// one is backends.ErrInvalid. Errors name keys as the caller gave them.
//
// A folder that backends.CheckKey refuses is backends.ErrInvalid.
func New(store backends.Store, folder string) (backends.Store, error) {
	if err := backends.CheckKey(folder); err != nil {
		return nil, &backends.Error{Op: "open", Key: folder, Err: err}
	}
	s := subfolder{store, folder + "/"}
	over, overwrites := store.(backends.Overwriter)
	bulk, deletes := store.(backends.BulkDeleter)
	switch {
	case overwrites && deletes:
		return struct {
			subfolder
			overwriter
			bulkDeleter
		}{s, overwriter{s, over}, bulkDeleter{s, bulk}}, nil
	case overwrites:
		return struct {
			subfolder
			overwriter
		}{s, overwriter{s, over}}, nil
	case deletes:
		return struct {
			subfolder
			bulkDeleter
		}{s, bulkDeleter{s, bulk}}, nil
	}
	return s, nil
}

type subfolder struct {
	store backends.Store
	// prefix is the folder with its slash.
	prefix string
}

// PutIfAbsent implements backends.Store.
func (s subfolder) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (attrs backends.Attrs, err error) {
	err = s.at("put", key, backends.CheckKey, func(below string) (err error) {
		attrs, err = s.store.PutIfAbsent(ctx, below, body, opts)
		return err
	})
	return attrs, err
}

// Get implements backends.Store.
func (s subfolder) Get(ctx context.Context, key string) (body []byte, attrs backends.Attrs, err error) {
	err = s.at("get", key, backends.CheckKey, func(below string) (err error) {
		body, attrs, err = s.store.Get(ctx, below)
		return err
	})
	return body, attrs, err
}

// Head implements backends.Store.
func (s subfolder) Head(ctx context.Context, key string) (attrs backends.Attrs, err error) {
	err = s.at("head", key, backends.CheckKey, func(below string) (err error) {
		attrs, err = s.store.Head(ctx, below)
		return err
	})
	return attrs, err
}

// Delete implements backends.Store.
func (s subfolder) Delete(ctx context.Context, key string) error {
	return s.at("delete", key, backends.CheckKey, func(below string) error { return s.store.Delete(ctx, below) })
}

// List implements backends.Store. Tokens are those of the store below.
func (s subfolder) List(ctx context.Context, in backends.ListInput) (page backends.Page, err error) {
	err = s.at("list", in.Prefix, backends.CheckPrefix, func(below string) error {
		in.Prefix = below
		if in.StartAfter != "" {
			in.StartAfter = s.prefix + in.StartAfter
		}
		listed, err := s.store.List(ctx, in)
		if err == nil {
			page, err = s.inside(below, listed)
		}
		return err
	})
	return page, err
}

// Capabilities implements backends.Store.
func (s subfolder) Capabilities() backends.Capabilities { return s.store.Capabilities() }

// URLs implements backends.Located. They are nil where the store below does not
// know its own.
func (s subfolder) URLs() (urls []string) {
	located, ok := s.store.(backends.Located)
	if !ok {
		return nil
	}
	for _, below := range located.URLs() {
		urls = append(urls, below+s.prefix)
	}
	return urls
}

// RealKey implements backends.Linked. Where the store below has no links, each
// key is the real one, and it is not asked for.
func (s subfolder) RealKey(ctx context.Context, key string) (real string, err error) {
	linked, ok := s.store.(backends.Linked)
	if !ok {
		return key, nil
	}
	err = s.at("realkey", key, backends.CheckKey, func(below string) (err error) {
		if real, err = linked.RealKey(ctx, below); err != nil {
			return err
		}
		inside, ok := strings.CutPrefix(real, s.prefix)
		if !ok {
			return &backends.Error{Op: "realkey", Key: below, Err: fmt.Errorf("%w: it leads out of the folder", backends.ErrPermission)}
		}
		real = inside
		return nil
	})
	return real, err
}

// at makes a call with the key that the store below has, and names the caller's
// key in its error. The check comes first: behind the prefix a key such as ""
// would be another one.
func (s subfolder) at(op, key string, valid func(string) error, call func(below string) error) error {
	if err := valid(key); err != nil {
		return &backends.Error{Op: op, Key: key, Err: err}
	}
	return s.named(call(s.prefix + key))
}

// named returns an error of the store below with the caller's key in it.
func (s subfolder) named(err error) error {
	var failed *backends.Error
	if !errors.As(err, &failed) {
		return err
	}
	named := *failed
	named.Key = strings.TrimPrefix(named.Key, s.prefix)
	return &named
}

// inside returns the page of a listing as it is seen from the folder.
func (s subfolder) inside(below string, listed backends.Page) (backends.Page, error) {
	page := backends.Page{Token: listed.Token, Now: listed.Now}
	for _, object := range listed.Objects {
		key, ok := strings.CutPrefix(object.Key, s.prefix)
		if !ok {
			return backends.Page{}, s.stray(below, object.Key)
		}
		page.Objects = append(page.Objects, backends.Object{Key: key, Attrs: object.Attrs})
	}
	for _, prefix := range listed.Prefixes {
		key, ok := strings.CutPrefix(prefix, s.prefix)
		if !ok {
			return backends.Page{}, s.stray(below, prefix)
		}
		page.Prefixes = append(page.Prefixes, key)
	}
	return page, nil
}

func (s subfolder) stray(below, key string) error {
	return &backends.Error{Op: "list", Key: below, Err: fmt.Errorf("the store lists %q there, which is outside", key)}
}
