package memory

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/backends"
)

// List implements backends.Store. Its token is the last entry of the page, so a
// listing holds while others write.
func (s *Store) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	if err := backends.CheckCall(ctx, "list", in.Prefix, backends.CheckPrefix); err != nil {
		return backends.Page{}, err
	}
	after, err := s.marker(in)
	if err != nil {
		return backends.Page{}, &backends.Error{Op: "list", Key: in.Prefix, Err: err}
	}
	limit := s.opts.PageSize
	if in.Limit > 0 {
		limit = min(limit, in.Limit)
	}

	s.mu.RLock()
	defer s.mu.RUnlock()
	page := backends.Page{Now: time.Now().Round(0)}
	last := ""
	folders := make(map[string]bool)
	for _, key := range s.keys[s.start(in.Prefix, after):] {
		rest, ok := strings.CutPrefix(key, in.Prefix)
		if !ok {
			if s.opts.Unordered {
				continue
			}
			break
		}
		entry, isFolder := in.Prefix+rest, false
		if at := strings.IndexByte(rest, '/'); at >= 0 {
			entry, isFolder = in.Prefix+rest[:at+1], true
		}
		if isFolder && (folders[entry] || s.folded(entry, after)) {
			continue
		}
		if len(page.Objects)+len(page.Prefixes) == limit {
			page.Token = base64.RawURLEncoding.EncodeToString([]byte(last))
			break
		}
		// A folder ends where its last key ends; the walk skips the others.
		last = key
		if isFolder {
			folders[entry] = true
			page.Prefixes = append(page.Prefixes, entry)
			continue
		}
		o := s.objects[key]
		o.attrs.Metadata = ""
		page.Objects = append(page.Objects, backends.Object{Key: key, Attrs: o.attrs})
	}
	return page, nil
}

// marker returns the key after which the page starts, or none.
func (s *Store) marker(in backends.ListInput) (string, error) {
	if in.Token == "" {
		if in.StartAfter != "" && s.opts.Unordered {
			return "", fmt.Errorf("%w: StartAfter has no meaning without an order", backends.ErrUnsupported)
		}
		return in.StartAfter, nil
	}
	last, err := base64.RawURLEncoding.DecodeString(in.Token)
	if err != nil || !strings.HasPrefix(string(last), in.Prefix) {
		return "", fmt.Errorf("%w: the token belongs to no listing of this prefix", backends.ErrInvalid)
	}
	return string(last), nil
}

// start returns the index of the first key to look at.
func (s *Store) start(prefix, after string) int {
	if s.opts.Unordered && after == "" {
		return 0
	}
	from := prefix
	if after != "" && (s.opts.Unordered || after > prefix) {
		from = after
	}
	at, found := slices.BinarySearchFunc(s.keys, from, s.compare)
	if found && from == after {
		at++
	}
	return at
}

// folded reports whether the folder was listed by a page before this one: one of
// its keys lies at or before the marker.
func (s *Store) folded(folder, after string) bool {
	if after == "" {
		return false
	}
	if !s.opts.Unordered {
		return strings.HasPrefix(after, folder)
	}
	return slices.ContainsFunc(s.keys, func(key string) bool {
		return strings.HasPrefix(key, folder) && s.compare(key, after) <= 0
	})
}
