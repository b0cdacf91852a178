//go:build linux || darwin

package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/lancecommit/lancecommit/backends"
)

// A Store is a folder. It is safe for concurrent use, also by many processes on
// the same folder. Keys are paths below the folder; each part of a key may have
// at most 255 bytes, else it is [backends.ErrInvalid].
type Store struct {
	root *os.Root
	// escapes is what root answers for a way that leads outside. Package os
	// has no name for it.
	escapes error
	// linked is whether the file system counts the links of the root.
	linked   bool
	metadata bool
	settled  folders
	calls    calls
}

// calls are the system calls whose failures tests bring about.
type calls struct {
	write           func(file *os.File, body []byte) error
	setMetadata     func(file *os.File, metadata string) error
	syncFile        func(file *os.File) error
	link            func(in *os.File, oldname, newname string) error
	renameNoReplace func(in *os.File, oldname, newname string) error
	syncFolder      func(folder *os.File) error
}

var (
	_ backends.Store      = (*Store)(nil)
	_ backends.Overwriter = (*Store)(nil)
)

// Open opens the folder dir as a store. The folder must be there, and be durable
// by itself; everything below it is made as needed. Nothing is written.
//
// The store is that folder, whatever becomes of its name: where it is moved, the
// store goes with it, and does not see what gets the name instead. Where that
// can happen, open a folder above the table, and give the table's root below it.
//
// The errors are [backends.ErrNoBucket] for a missing folder,
// [backends.ErrInvalid] for something else of that name,
// [backends.ErrPermission], and [backends.ErrUnsupported] on systems other than
// Linux and macOS.
func Open(dir string) (*Store, error) {
	s, err := open(dir)
	if err != nil {
		return nil, &backends.Error{Op: "open", Key: dir, Err: err}
	}
	return s, nil
}

func open(dir string) (*Store, error) {
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: there is no such folder; make it first", backends.ErrNoBucket)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%w: %w", backends.ErrPermission, err)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%w: it is not a folder", backends.ErrInvalid)
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%w: %w", backends.ErrPermission, err)
	}
	if err != nil {
		return nil, err
	}
	s := &Store{root: root, calls: calls{
		write:           write,
		setMetadata:     setMetadata,
		syncFile:        (*os.File).Sync,
		link:            link,
		renameNoReplace: renameNoReplace,
		syncFolder:      syncFolder,
	}}
	if err := s.learn(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// learn finds out what the folder can do.
func (s *Store) learn() error {
	_, err := s.root.Lstat("..")
	s.escapes = errors.Unwrap(err)
	info, err := s.root.Stat(".")
	if err != nil {
		return err
	}
	s.linked = links(info) > 0
	s.metadata, err = s.keepsMetadata()
	return err
}

// Close releases the folder. Calls after it fail and write nothing.
func (s *Store) Close() error {
	s.settled.close()
	return s.root.Close()
}

// Capabilities implements [backends.Store]. Metadata is true where the file
// system of the folder has extended attributes of users. OrderedList is false:
// although a page is sorted, a folder is not read at one moment, so a first
// entry that is newest proves nothing. Callers must read the whole listing.
func (s *Store) Capabilities() backends.Capabilities {
	return backends.Capabilities{Metadata: s.metadata}
}
