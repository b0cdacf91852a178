//go:build linux || darwin

package file

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/lancecommit/lancecommit/backends"
)

// attribute is the extended attribute that holds an object's metadata.
const attribute = "user." + backends.MetadataName

func setMetadata(file *os.File, metadata string) error {
	return os.NewSyscallError("fsetxattr", unix.Fsetxattr(int(file.Fd()), attribute, []byte(metadata), 0))
}

// metadataOf returns the metadata of a file, empty where there is none or what
// is there can be nobody's metadata.
func metadataOf(file *os.File) (string, error) {
	value := make([]byte, backends.MaxMetadataSize)
	size, err := unix.Fgetxattr(int(file.Fd()), attribute, value)
	switch {
	case errors.Is(err, errNoAttribute), errors.Is(err, unix.ERANGE), lacksAttributes(err):
		return "", nil
	case err != nil:
		return "", os.NewSyscallError("fgetxattr", err)
	}
	metadata := string(value[:size])
	if backends.CheckMetadata(metadata) != nil {
		return "", nil
	}
	return metadata, nil
}

// keepsMetadata asks the store's folder for the attribute: a file system
// without attributes says so, and nothing has to be written to find out.
func (s *Store) keepsMetadata() (bool, error) {
	folder, err := s.root.Open(".")
	if err != nil {
		return false, err
	}
	defer folder.Close()
	_, err = unix.Fgetxattr(int(folder.Fd()), attribute, nil)
	switch {
	case err == nil, errors.Is(err, errNoAttribute):
		return true, nil
	case lacksAttributes(err):
		return false, nil
	}
	return false, fmt.Errorf("ask the folder for extended attributes: %w", err)
}

func lacksAttributes(err error) bool {
	return isOneOf(err, unix.ENOTSUP, unix.EOPNOTSUPP, unix.ENOSYS)
}
