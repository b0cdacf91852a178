//go:build linux || darwin

package file

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/backends"
)

// List implements [backends.Store]. It reads the whole folder for every page,
// and returns all of it unless in.Limit is set. Entries come in byte order, and
// the token is the last of them, so pages neither skip nor repeat a name while
// others write.
//
// Listed are regular files and folders, and symlinks as what they lead to. A
// symlink to nothing is left out. One that leads outside is listed as an object
// with attributes of its own, since its name is taken; reading it is
// [backends.ErrPermission]. So is a folder that the caller may not read, and
// never an empty page. [TempPrefix] files are listed.
//
// Page.Now is the clock of this machine, which is the best there is for files:
// on a local disk it is the one that their times are from, on NFS that is the
// server's.
func (s *Store) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	page, err := s.list(ctx, in)
	if err != nil {
		return backends.Page{}, &backends.Error{Op: "list", Key: in.Prefix, Err: err}
	}
	return page, nil
}

func (s *Store) list(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	var page backends.Page
	if err := check(in.Prefix, backends.CheckPrefix); err != nil {
		return page, err
	}
	after, err := marker(in)
	if err != nil {
		return page, err
	}
	if err := ctx.Err(); err != nil {
		return page, err
	}
	page.Now = time.Now().Round(0).UTC()
	entries, err := s.entries(in.Prefix)
	if err != nil {
		return page, err
	}
	for _, e := range entries {
		if e.listedBy(after) {
			continue
		}
		if in.Limit > 0 && len(page.Objects)+len(page.Prefixes) == in.Limit {
			page.Token = base64.RawURLEncoding.EncodeToString([]byte(after))
			break
		}
		after = e.key
		if e.isFolder() {
			page.Prefixes = append(page.Prefixes, e.key)
		} else {
			page.Objects = append(page.Objects, backends.Object{Key: e.key, Attrs: attrs(e.info)})
		}
	}
	return page, nil
}

// marker returns the entry after which the page starts, or none.
func marker(in backends.ListInput) (string, error) {
	if in.Token == "" {
		return in.StartAfter, nil
	}
	last, err := base64.RawURLEncoding.DecodeString(in.Token)
	if err != nil || !strings.HasPrefix(string(last), in.Prefix) {
		return "", fmt.Errorf("%w: the token belongs to no listing of this prefix", backends.ErrInvalid)
	}
	return string(last), nil
}

// An entry is an object, or a folder if its key ends in a slash.
type entry struct {
	key  string
	info fs.FileInfo
}

func (e entry) isFolder() bool { return strings.HasSuffix(e.key, "/") }

// listedBy reports whether the entry lies at or before a marker. A folder in
// which the marker lies may have keys behind it, unless it is the marker.
func (e entry) listedBy(marker string) bool {
	return e.key == marker || e.key < marker && !(e.isFolder() && strings.HasPrefix(marker, e.key))
}

// entries returns what is directly below a prefix, in order.
func (s *Store) entries(prefix string) ([]entry, error) {
	at := strings.LastIndexByte(prefix, '/') + 1
	parent := prefix[:at]
	folder, err := s.root.Open(parent + ".")
	if err == nil {
		defer folder.Close()
	} else if err := s.unread(err); errors.Is(err, backends.ErrNotExist) {
		return nil, nil
	} else {
		return nil, err
	}
	// A file that vanishes between the reading of its name and of its
	// attributes is left out.
	infos, err := folder.Readdir(-1)
	if err != nil {
		return nil, s.unread(err)
	}
	if len(infos) == 0 && s.isGone(fs.ErrNotExist) {
		return nil, errGone
	}
	entries := make([]entry, 0, len(infos))
	for _, info := range infos {
		key := parent + info.Name()
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		if info.Mode().Type() == fs.ModeSymlink {
			info = s.followed(key, info)
		}
		switch {
		case info.IsDir():
			entries = append(entries, entry{key: key + "/", info: info})
		case info.Mode().IsRegular(), info.Mode().Type() == fs.ModeSymlink:
			entries = append(entries, entry{key: key, info: info})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	// Some file systems repeat a name while the folder changes.
	return slices.CompactFunc(entries, func(a, b entry) bool { return a.key == b.key }), nil
}

// followed returns what a symlink leads to, the link itself if it leads where
// the caller may not go, and an info of no listed type if it leads nowhere.
func (s *Store) followed(key string, link fs.FileInfo) fs.FileInfo {
	info, err := s.root.Stat(key)
	switch {
	case err == nil:
		return info
	case s.isRefusal(err):
		return link
	}
	return nowhere{link}
}

type nowhere struct{ fs.FileInfo }

func (nowhere) Mode() fs.FileMode { return fs.ModeIrregular }
func (nowhere) IsDir() bool       { return false }
