//go:build linux || darwin

package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/lancecommit/lancecommit/backends"
)

// A folder is open for work on the names in it, whatever happens to its own
// name meanwhile. The names are single ones: no call follows a symlink.
type folder struct {
	*os.File
	// settled is whether the way to it is durable, as the store knows.
	settled bool
}

// openFolder opens a folder by its path below the root.
func (s *Store) openFolder(dir string) (*folder, error) {
	if in := s.openSettled(dir); in != nil {
		return in, nil
	}
	// The dot has the last part opened as a folder, so that a named pipe does
	// not block.
	file, err := s.root.Open(dir + "/.")
	if err != nil {
		return nil, err
	}
	return &folder{File: file}, nil
}

// makeFolder opens a folder and makes it first where it is missing.
func (s *Store) makeFolder(dir string) (*folder, error) {
	in, err := s.openFolder(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return in, err
	}
	if err := s.root.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return s.openFolder(dir)
}

// open opens a file in the folder, or makes it.
func (f *folder) open(name string, flag int) (*os.File, error) {
	var opened int
	err := f.do("openat", name, func(fd int) (err error) {
		opened, err = unix.Openat(fd, name, flag|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o666)
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(opened), f.Name()+"/"+name), nil
}

// stat describes what has a name in the folder.
func (f *folder) stat(name string) (*unix.Stat_t, error) {
	stat := new(unix.Stat_t)
	err := f.do("fstatat", name, func(fd int) error {
		return unix.Fstatat(fd, name, stat, unix.AT_SYMLINK_NOFOLLOW)
	})
	return stat, err
}

// has reports whether a name in the folder is that of a file.
func (f *folder) has(name string, file os.FileInfo) bool {
	stat, err := f.stat(name)
	want := file.Sys().(*syscall.Stat_t)
	return err == nil && stat.Dev == want.Dev && stat.Ino == want.Ino
}

// hasFolder reports whether a name in the folder is that of another folder.
func (f *folder) hasFolder(name string) bool {
	stat, err := f.stat(name)
	return err == nil && stat.Mode&unix.S_IFMT == unix.S_IFDIR
}

// remove takes a name from the folder, unless it is that of another folder.
func (f *folder) remove(name string) error {
	return f.do("unlinkat", name, func(fd int) error { return unix.Unlinkat(fd, name, 0) })
}

// do makes a system call with the folder's descriptor, and again when a signal
// cuts it short. The descriptor stays open until it is done.
func (f *folder) do(op, name string, call func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	for {
		if conn.Control(func(fd uintptr) { err = call(int(fd)) }) != nil {
			err = os.ErrClosed
		}
		switch err {
		case nil:
			return nil
		case unix.EINTR:
			continue
		}
		return &os.PathError{Op: op, Path: name, Err: err}
	}
}

// link gives a file in a folder a second name. It fails with EEXIST when that is
// taken. One that a signal cut short is not made again: it could meet itself.
func link(in *os.File, oldname, newname string) error {
	fd := int(in.Fd())
	if err := unix.Linkat(fd, oldname, fd, newname, 0); err != nil {
		return &os.LinkError{Op: "linkat", Old: oldname, New: newname, Err: err}
	}
	return nil
}

// split cuts a key into the folder and the name in it.
func split(key string) (dir, name string) {
	return path.Dir(key), path.Base(key)
}

// maxName is the longest name that file systems take, in bytes.
const maxName = 255

// check refuses a key that can name no file, by one of the backends.Check
// functions.
func check(key string, valid func(string) error) error {
	if err := valid(key); err != nil {
		return err
	}
	for part := range strings.SplitSeq(key, "/") {
		if len(part) > maxName {
			return fmt.Errorf("%w: a part of the key has %d bytes, more than the %d of a file's name",
				backends.ErrInvalid, len(part), maxName)
		}
	}
	return nil
}
