//go:build linux || darwin

package file

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/lancecommit/lancecommit/backends"
)

var (
	_ backends.Located = (*Store)(nil)
	_ backends.Linked  = (*Store)(nil)
)

// URLs implements [backends.Located]. The folder is named as it was opened, and
// as it is without symlinks.
func (s *Store) URLs() []string {
	var urls []string
	for _, dir := range []func(string) (string, error){filepath.Abs, s.real} {
		abs, err := dir(s.root.Name())
		if err != nil {
			continue
		}
		slash := strings.TrimSuffix(filepath.ToSlash(abs), "/") + "/"
		escaped := (&url.URL{Path: slash}).EscapedPath()
		urls = append(urls, "file://"+escaped, "file://"+slash, strings.TrimPrefix(slash, "/"))
	}
	return slices.DeleteFunc(urls, func(u string) bool { return u == "" })
}

// errOutside says that there is no key in the store for what a key leads to.
var errOutside = fmt.Errorf("%w: a symlink leads out of the store's folder, or to itself", backends.ErrInvalid)

// RealKey implements [backends.Linked].
func (s *Store) RealKey(ctx context.Context, key string) (string, error) {
	real, err := s.realKey(ctx, key)
	if err != nil {
		return "", &backends.Error{Op: "resolve", Key: key, Err: err}
	}
	return real, nil
}

func (s *Store) realKey(ctx context.Context, key string) (string, error) {
	if err := check(key, backends.CheckKey); err != nil {
		return "", err
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	// The root refuses what leads outside, which EvalSymlinks would follow.
	switch _, err := s.root.Stat(key); {
	case errors.Is(err, s.escapes), errors.Is(err, unix.ELOOP):
		return "", errOutside
	case err != nil:
		return "", s.unread(err)
	}
	top, err := s.real(s.root.Name())
	if err != nil {
		return "", s.unread(err)
	}
	at, err := s.real(filepath.Join(s.root.Name(), filepath.FromSlash(key)))
	if err != nil {
		return "", s.unread(err)
	}
	real, inside := strings.CutPrefix(filepath.ToSlash(at), strings.TrimSuffix(filepath.ToSlash(top), "/")+"/")
	if !inside {
		return "", errOutside
	}
	return path.Clean(real), nil
}

// real returns the absolute path of what a path leads to.
func (s *Store) real(name string) (string, error) {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(name)
}
