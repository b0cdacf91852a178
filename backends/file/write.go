//go:build linux || darwin

package file

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/lancecommit/lancecommit/backends"
)

// Delete implements [backends.Store]. It removes a file or a symlink and never a
// folder, which is no object. Nothing is synced: after a crash the object may be
// back.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := s.remove(ctx, key); err != nil {
		return &backends.Error{Op: "delete", Key: key, Err: err}
	}
	return nil
}

func (s *Store) remove(ctx context.Context, key string) error {
	if err := check(key, backends.CheckKey); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	dir, name := split(key)
	in, err := s.openFolder(dir)
	if err != nil {
		return unlessAbsent(s.unread(err))
	}
	defer in.Close()
	err = in.remove(name)
	if err == nil || isOneOf(err, unix.EISDIR, unix.EPERM) && in.hasFolder(name) {
		return nil
	}
	return unlessAbsent(s.unread(err))
}

// unlessAbsent drops the error that says that there is nothing to delete.
func unlessAbsent(err error) error {
	if errors.Is(err, backends.ErrNotExist) {
		return nil
	}
	return err
}

// Overwrite implements [backends.Overwriter]. It writes in place and syncs
// nothing: it is for a file that is only a hint. A reader sees the old content,
// the new one or a mixture. A symlink of that name is [backends.ErrPermission].
func (s *Store) Overwrite(ctx context.Context, key string, body []byte) error {
	if err := s.overwrite(ctx, key, body); err != nil {
		return &backends.Error{Op: "overwrite", Key: key, Err: err}
	}
	return nil
}

func (s *Store) overwrite(ctx context.Context, key string, body []byte) error {
	if err := check(key, backends.CheckKey); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return backends.NotStored(err)
	}
	file, err := s.openInPlace(split(key))
	if err != nil {
		return s.notStored(err)
	}
	return errors.Join(rewrite(file, body), file.Close())
}

func (s *Store) openInPlace(dir, name string) (*os.File, error) {
	if in := s.kept(dir); in != nil {
		if file, err := in.openInPlace(name); err == nil {
			return file, nil
		}
	}
	in, err := s.makeFolder(dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.openInPlace(name)
}

// openInPlace opens a file for writing, or makes it.
func (f *folder) openInPlace(name string) (*os.File, error) {
	file, shared, err := f.openRegular(name)
	if !shared {
		return file, err
	}
	// A copy of the folder by hard links has the file, too, and must keep its
	// content.
	if err := errors.Join(file.Close(), f.remove(name)); err != nil {
		return nil, err
	}
	file, _, err = f.openRegular(name)
	return file, err
}

// openRegular opens a regular file for writing, or makes it, and says whether it
// has a second name.
func (f *folder) openRegular(name string) (file *os.File, shared bool, err error) {
	// Without O_NONBLOCK a named pipe would wait for a reader.
	file, err = f.open(name, os.O_WRONLY|os.O_CREATE|unix.O_NONBLOCK)
	switch {
	case isOneOf(err, unix.ELOOP, unix.EISDIR, unix.ENXIO, unix.EOPNOTSUPP):
		return nil, false, errNotRegular
	case err != nil:
		return nil, false, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return nil, false, errors.Join(err, file.Close())
	}
	return file, links(info) > 1, nil
}

var errNotRegular = fmt.Errorf("%w: a symlink, a folder or a special file has that name; it is not written through",
	backends.ErrPermission)

// rewrite never truncates to nothing first: a reader in between would see an
// empty file.
func rewrite(file *os.File, body []byte) error {
	if err := write(file, body); err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil && info.Size() > int64(len(body)) {
		err = file.Truncate(int64(len(body)))
	}
	return err
}
