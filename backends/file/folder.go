//go:build linux || darwin

package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
)

// A folder is open for work on the names in it, whatever happens to its own
// name meanwhile.
type folder struct {
	*os.Root
	// file is the same folder, for what needs a descriptor.
	file *os.File
}

// openFolder opens a folder by its path below the root.
func (s *Store) openFolder(dir string) (*folder, error) {
	root, err := s.openNames(dir)
	if err != nil {
		return nil, err
	}
	return withFile(root)
}

// openNames is openFolder for who needs no descriptor.
func (s *Store) openNames(dir string) (*os.Root, error) {
	// The dot has the last part opened as a folder, so that a named pipe does
	// not block.
	return s.root.OpenRoot(dir + "/.")
}

func withFile(root *os.Root) (*folder, error) {
	file, err := root.Open(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &folder{Root: root, file: file}, nil
}

// makeFolder opens a folder and makes it first where it is missing.
func (s *Store) makeFolder(dir string) (*folder, error) {
	root, err := s.makeNames(dir)
	if err != nil {
		return nil, err
	}
	return withFile(root)
}

// makeNames is makeFolder for who needs no descriptor.
func (s *Store) makeNames(dir string) (*os.Root, error) {
	root, err := s.openNames(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return root, err
	}
	if err := s.root.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return s.openNames(dir)
}

func (f *folder) Close() error {
	return errors.Join(f.file.Close(), f.Root.Close())
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
