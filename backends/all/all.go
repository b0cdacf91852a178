package all

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/file"
)

// A Store is a store that is closed after use.
type Store interface {
	backends.Store
	io.Closer
}

// Open opens the store of a location and returns it with the key of the location
// in it, which is empty when the location is the store itself. Close the store
// after use. It makes no request to the store; finding credentials may ask the
// machine's metadata service.
//
// The options are Lance's storage options or gocloud's parameters, by any of the
// names in the package documentation. They are joined with those in the query of
// the location; a name that is given twice with different values is an error.
//
// A malformed location, and an option that is not known or not for this kind of
// store, is backends.ErrInvalid; the text names the nearest option. A scheme
// without a backend is backends.ErrUnsupported, a folder that is not there
// backends.ErrNoBucket. No error shows a credential. But package net/http shows, in
// the standard logger alone, what a broken server sends unasked, which can be the
// request that it was sent: use log.SetOutput where that must not be.
func Open(ctx context.Context, location string, options map[string]string) (store Store, key string, err error) {
	at, err := parse(location)
	if err == nil {
		err = at.configure(options)
	}
	if err != nil {
		return nil, "", &backends.Error{Op: "open", Key: shown(location), Err: err}
	}
	switch at.kind {
	case s3Kind:
		store, err = openS3(ctx, at)
	case gcsKind:
		store, err = openGCS(ctx, at)
	case azureKind:
		store, err = openAzure(ctx, at)
	default:
		store, err = openFile(at)
	}
	if err != nil {
		return nil, "", err
	}
	if at.timeout > 0 {
		store = within(store, at.timeout)
	}
	return store, at.key, nil
}

// openFile opens a folder. Opening is a func of its own so that a nil *Store
// never becomes a Store.
func openFile(at *place) (Store, error) {
	if name := at.settings.unread(); name != "" {
		return nil, &backends.Error{Op: "open", Key: shown(at.path), Err: fmt.Errorf("%w: a folder on disk takes no options; leave out %s",
			backends.ErrInvalid, titled(name, at.settings[name]))}
	}
	s, err := file.Open(at.path)
	if err != nil {
		return nil, withoutPath(err, at.path)
	}
	return s, nil
}

// withoutPath returns the error of a folder with its path as errors show it: what
// was not found may have been meant as a URL.
func withoutPath(err error, path string) error {
	var failed *backends.Error
	if !errors.As(err, &failed) || shown(path) == path {
		return err
	}
	safe := *failed
	safe.Key = shown(failed.Key)
	// The system's errors repeat the path.
	var system *fs.PathError
	if errors.As(failed.Err, &system) {
		safe.Err = &withoutText{text: strings.ReplaceAll(failed.Err.Error(), path, shown(path)), err: failed.Err}
	}
	return &safe
}

// withoutText is an error with another text.
type withoutText struct {
	text string
	err  error
}

func (e *withoutText) Error() string { return e.text }
func (e *withoutText) Unwrap() error { return e.err }
