// Package all opens a store by its location: a path or a URL. It links every
// backend; a program that knows its store opens that backend's own package.
package all

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/file"
)

// A Store is a store that is closed after use.
type Store interface {
	backends.Store
	io.Closer
}

// scheme is what makes a location a URL; everything else is a path. It has two
// letters at least, so that C:\tables is a path.
var scheme = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+)://`)

// Open opens the store of a location and returns it with the key of the location
// in it, which is empty when the location is the store itself. Close the store
// after use. It costs no request.
//
// Locations are a path, absolute or relative, which is a folder on disk that
// must be there, and file:// URLs with an absolute path. Other schemes are
// backends.ErrUnsupported. A malformed location is backends.ErrInvalid, a
// folder that is not there backends.ErrNoBucket.
func Open(_ context.Context, location string) (store Store, key string, err error) {
	path, err := pathOf(location)
	if err != nil {
		return nil, "", &backends.Error{Op: "open", Key: shown(location), Err: err}
	}
	s, err := file.Open(path)
	if err != nil {
		return nil, "", err
	}
	return s, "", nil
}

// pathOf returns the folder that a location means.
func pathOf(location string) (string, error) {
	match := scheme.FindStringSubmatch(location)
	switch {
	case location == "":
		return "", fmt.Errorf("%w: the location is empty", backends.ErrInvalid)
	case match == nil:
		return filepath.Clean(location), nil
	case match[1] != "file":
		return "", fmt.Errorf("%w: there is no backend for %s:// in this version; a path or a file:// URL is a folder on disk",
			backends.ErrUnsupported, match[1])
	}
	u, err := url.Parse(location)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: the URL is malformed", backends.ErrInvalid)
	case u.Host != "" && u.Host != "localhost":
		return "", fmt.Errorf("%w: a file URL has no host; write file:///%s%s for the folder", backends.ErrInvalid, u.Host, u.Path)
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%w: a file URL takes no query or fragment; write '?' as %%3F and '#' as %%23", backends.ErrInvalid)
	case u.Path == "":
		return "", fmt.Errorf("%w: the URL has no path", backends.ErrInvalid)
	}
	return filepath.FromSlash(u.Path), nil
}

// shown is a location as errors show it: without what could be a credential,
// which can stand in front of a host and in a query.
func shown(location string) string {
	match := scheme.FindString(location)
	if match == "" {
		return location
	}
	rest, _, _ := strings.Cut(location[len(match):], "?")
	// A secret key can have slashes, so the last '@' counts, wherever it is.
	return match + rest[strings.LastIndexByte(rest, '@')+1:]
}
