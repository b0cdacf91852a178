//go:build linux || darwin

package file

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// A temp is a file that is whole and durable, but has no object's name yet.
type temp struct {
	in   *folder
	name string
	file *os.File
	info os.FileInfo
}

// writeTemp makes a temporary file in a folder. An error leaves none behind.
func (s *Store) writeTemp(in *folder, body []byte, metadata string) (*temp, error) {
	name := TempPrefix + rand.Text()
	file, err := in.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	t := &temp{in: in, name: name, file: file}
	if t.info, err = s.fill(file, body, metadata); err != nil {
		t.discard()
		return nil, err
	}
	return t, nil
}

func (s *Store) fill(file *os.File, body []byte, metadata string) (os.FileInfo, error) {
	if err := s.calls.write(file, body); err != nil {
		return nil, err
	}
	if metadata != "" {
		if err := s.calls.setMetadata(file, metadata); err != nil && !lacksAttributes(err) {
			return nil, fmt.Errorf("keep %d bytes of metadata as an extended attribute: %w", len(metadata), err)
		}
	}
	if err := s.calls.syncFile(file); err != nil {
		return nil, err
	}
	return file.Stat()
}

func write(file *os.File, body []byte) error {
	_, err := file.Write(body)
	return err
}

// hasName reports whether the file has that name in its folder.
func (t *temp) hasName(name string) bool {
	return t.in.has(name, t.info)
}

// hasSecondName reports whether the file has a name beside its own, or had one
// when nobody can tell any more. The file is opened again since NFS asks the
// server then.
func (t *temp) hasSecondName() bool {
	file, err := t.in.open(t.name, os.O_RDONLY)
	if err != nil {
		file = t.file
	} else {
		defer file.Close()
	}
	info, err := file.Stat()
	return err != nil || links(info) > 1
}

// discard removes the temporary name and closes the file, which is durable by
// now or of no use. A name that stays behind harms nothing.
func (t *temp) discard() {
	_ = t.in.remove(t.name)
	_ = t.file.Close()
}

// lacksLinks reports whether err from link can mean that the file system has no
// hard links, or has all of them. EPERM can also be a refusal, which the rename
// meets again.
func lacksLinks(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.EMLINK) || lacksCall(err)
}
