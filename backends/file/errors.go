//go:build linux || darwin

package file

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/lancecommit/lancecommit/backends"
)

// notStored returns the definite error for a cause that came before anything
// could have got the object's name.
func (s *Store) notStored(cause error) error {
	switch {
	case errors.Is(cause, backends.ErrInvalid), errors.Is(cause, backends.ErrUnsupported), errors.Is(cause, errNotRegular):
		return cause
	case s.isGone(cause):
		return errGone
	case s.isRefusal(cause):
		return s.refusal(cause)
	case errors.Is(cause, unix.ENOTDIR):
		return backends.NotStored(fmt.Errorf("an object is where the key has a folder: %w", cause))
	case errors.Is(cause, fs.ErrExist), errors.Is(cause, fs.ErrNotExist):
		// Not wrapped: this is not about the object, and a caller must not
		// read it so.
		return fmt.Errorf("%w: %v", backends.ErrNotStored, cause)
	}
	return backends.NotStored(cause)
}

// unread returns the error of a read for its cause.
func (s *Store) unread(cause error) error {
	switch {
	case s.isGone(cause):
		return errGone
	case isAbsent(cause):
		return backends.ErrNotExist
	case s.isRefusal(cause):
		return s.refusal(cause)
	}
	return cause
}

// isAbsent reports whether err says that there is no file of that name. ENOTDIR
// means that a folder on the way is a file; ENXIO that the name is a socket.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || isOneOf(err, unix.ENOTDIR, unix.ENXIO)
}

var errGone = fmt.Errorf("%w: the folder was removed while it was open", backends.ErrNoBucket)

// isGone reports whether err is about a missing file because the store's own
// folder was removed. A folder without a name has no links.
func (s *Store) isGone(err error) bool {
	if !s.linked || !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	info, err := s.root.Stat(".")
	return err == nil && links(info) == 0
}

func links(info fs.FileInfo) uint64 {
	return uint64(info.Sys().(*syscall.Stat_t).Nlink)
}

// isRefusal reports whether err says that the caller may not do this.
func (s *Store) isRefusal(err error) bool {
	return errors.Is(err, s.escapes) || isOneOf(err, unix.EACCES, unix.EPERM, unix.EROFS)
}

func (s *Store) refusal(cause error) error {
	if errors.Is(cause, s.escapes) {
		return fmt.Errorf("%w: a symlink leads out of the store's folder: %w", backends.ErrPermission, cause)
	}
	return fmt.Errorf("%w: %w", backends.ErrPermission, cause)
}

// decides reports whether err, from giving a name, proves that the name was not
// given. Others, such as EIO, ESTALE, ETIMEDOUT and EINTR, are what a network
// file system says when it does not know.
func decides(err error) bool {
	return isOneOf(err, unix.EACCES, unix.EPERM, unix.EROFS, unix.ENOSPC, unix.EDQUOT, unix.ENOENT, unix.ENOTDIR,
		unix.ENAMETOOLONG, unix.ELOOP, unix.EXDEV)
}

// lacksCall reports whether err says that the file system or the kernel does
// not have the call. EPERM is what Linux answers for link on such a file
// system, and also means other things.
func lacksCall(err error) bool {
	return isOneOf(err, unix.ENOTSUP, unix.EOPNOTSUPP, unix.ENOSYS, unix.EINVAL)
}

func isOneOf(err error, errnos ...syscall.Errno) bool {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return false
	}
	for _, one := range errnos {
		if errno == one {
			return true
		}
	}
	return false
}
