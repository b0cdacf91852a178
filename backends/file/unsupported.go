//go:build !linux && !darwin

package file

import (
	"fmt"
	"runtime"

	"github.com/lancecommit/lancecommit/backends"
)

// A Store does not exist on this system: Open always fails.
type Store struct {
	backends.Store
	backends.Overwriter
}

// Open returns [backends.ErrUnsupported].
func Open(dir string) (*Store, error) {
	return nil, &backends.Error{Op: "open", Key: dir, Err: fmt.Errorf(
		"%w: folders are stores on Linux and macOS only, not on %s; use an object store", backends.ErrUnsupported, runtime.GOOS)}
}

// Close does nothing.
func (*Store) Close() error { return nil }
