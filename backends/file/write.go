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
	// Root.Remove would take an empty folder, too.
	err = unix.Unlinkat(int(in.file.Fd()), name, 0)
	if isOneOf(err, unix.EISDIR, unix.EPERM) {
		if info, err := in.Lstat(name); err == nil && info.IsDir() {
			return nil
		}
	}
	if err != nil {
		return unlessAbsent(s.unread(&os.PathError{Op: "unlinkat", Path: name, Err: err}))
	}
	return nil
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
	dir, name := split(key)
	in, err := s.makeNames(dir)
	if err != nil {
		return s.notStored(err)
	}
	defer in.Close()
	switch info, err := in.Lstat(name); {
	case err != nil:
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: a symlink, a folder or a special file has that name; it is not written through",
			backends.ErrPermission)
	case links(info) > 1:
		// A copy of the folder by hard links has the file, too, and must keep
		// its content.
		if err := in.Remove(name); err != nil {
			return s.notStored(err)
		}
	}
	file, err := in.OpenFile(name, os.O_WRONLY|os.O_CREATE|unix.O_NONBLOCK, 0o666)
	if err != nil {
		return s.notStored(err)
	}
	return errors.Join(rewrite(file, body), file.Close())
}

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
