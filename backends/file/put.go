//go:build linux || darwin

package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/lancecommit/lancecommit/backends"
)

// PutIfAbsent implements [backends.Store]. It costs an fsync of the file and one
// of its folder, and one more of each folder on the way when the store sees
// these for the first time.
//
// A taken name is [backends.ErrExists] when it is a file, a symlink or anything
// else but a folder. A folder of that name is [backends.ErrNotStored]. A full
// disk is ErrNotStored, a disk that is read-only [backends.ErrPermission].
func (s *Store) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	attrs, err := s.put(ctx, key, body, opts.Metadata)
	if err != nil {
		return backends.Attrs{}, &backends.Error{Op: "put", Key: key, Err: err}
	}
	return attrs, nil
}

func (s *Store) put(ctx context.Context, key string, body []byte, metadata string) (backends.Attrs, error) {
	if err := check(key, backends.CheckKey); err != nil {
		return backends.Attrs{}, err
	}
	if err := backends.CheckMetadata(metadata); err != nil {
		return backends.Attrs{}, err
	}
	if err := ctx.Err(); err != nil {
		return backends.Attrs{}, backends.NotStored(err)
	}
	dir, name := split(key)
	in, err := s.makeFolder(dir)
	if err != nil {
		return backends.Attrs{}, s.notStored(err)
	}
	defer in.Close()
	if err := s.settle(dir, in); err != nil {
		return backends.Attrs{}, s.notStored(err)
	}
	temp, err := s.writeTemp(in, body, metadata)
	if err != nil {
		return backends.Attrs{}, s.notStored(err)
	}
	if err := ctx.Err(); err != nil {
		temp.discard()
		return backends.Attrs{}, backends.NotStored(err)
	}
	err = s.publish(temp, name)
	temp.discard()
	if err == nil || errors.Is(err, backends.ErrExists) || !backends.IsDefinite(err) {
		if lost := s.confirm(in); lost != nil {
			return backends.Attrs{}, lost
		}
	}
	return attrs(temp.info), err
}

// publish gives a temporary file the object's name. An error is definite or says
// that the outcome is unknown.
func (s *Store) publish(temp *temp, name string) error {
	err := s.calls.link(temp.in.File, temp.name, name)
	switch {
	case err == nil, temp.hasName(name):
		// An error beside the name is a lost reply: NFS made the link, sent it
		// again and met itself.
		return nil
	case temp.hasSecondName():
		// The name may be the object's, behind a cache, or the doing of a
		// tool that copies trees by links.
		return unknown(fmt.Errorf("the temporary file got a second name, and an error came with it: %w", err))
	case errors.Is(err, fs.ErrExist):
		return taken(temp.in, name)
	case lacksLinks(err):
		return s.publishByRename(temp, name, err)
	case decides(err):
		return s.notStored(err)
	}
	return unknown(err)
}

// publishByRename is publish where link answered lacking.
func (s *Store) publishByRename(temp *temp, name string, lacking error) error {
	err := s.calls.renameNoReplace(temp.in.File, temp.name, name)
	switch {
	case err == nil, temp.hasName(name):
		return nil
	case !temp.hasName(temp.name):
		return unknown(fmt.Errorf("the temporary file lost its name, and an error came with it: %w", err))
	case errors.Is(err, fs.ErrExist):
		return taken(temp.in, name)
	case lacksCall(err):
		return fmt.Errorf("%w: this file system can create a name neither by a hard link (%w) nor by a rename that refuses to replace (%w); put the table on one that can",
			backends.ErrUnsupported, lacking, err)
	case decides(err):
		return s.notStored(err)
	}
	return unknown(err)
}

// taken returns the error for a name that is there.
func taken(in *folder, name string) error {
	if in.hasFolder(name) {
		return fmt.Errorf("%w: there is a folder of that name", backends.ErrNotStored)
	}
	return backends.ErrExists
}

// unknown says that cause leaves open whether the name was given. The cause is
// not wrapped where it would read as a statement about the object.
func unknown(cause error) error {
	if errors.Is(cause, fs.ErrExist) || errors.Is(cause, fs.ErrNotExist) {
		return fmt.Errorf("the outcome is unknown: %v", cause)
	}
	return fmt.Errorf("the outcome is unknown: %w", cause)
}
