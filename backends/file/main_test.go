//go:build linux || darwin

package file

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/backendtest"
)

func TestMain(m *testing.M) {
	backendtest.Child(func(address string) (backends.Store, error) {
		s, err := Open(address)
		if err == nil {
			s.leaveUnsynced()
		}
		return s, err
	})
	crashChild()
	goleak.VerifyTestMain(m)
}

// leaveUnsynced makes a store fast and, where there is a race, the race closer.
func (s *Store) leaveUnsynced() {
	s.calls.syncFile = func(*os.File) error { return nil }
	s.calls.syncFolder = s.calls.syncFile
}

func TestStore(t *testing.T) {
	backendtest.Run(t, backendtest.Config{
		New:    func(t testing.TB) backends.Store { s, _ := newStore(t); return s },
		Inject: inject,
		Keys:   20,
	})
}

func TestStoreWithoutWaitingForTheDisk(t *testing.T) {
	backendtest.Run(t, backendtest.Config{
		New: func(t testing.TB) backends.Store {
			s, _ := newStore(t)
			s.leaveUnsynced()
			return s
		},
		Keys:    400,
		Address: func(_ testing.TB, store backends.Store) string { return store.(*Store).root.Name() },
	})
}

func TestStoreWithoutHardLinks(t *testing.T) {
	backendtest.Run(t, backendtest.Config{
		New: func(t testing.TB) backends.Store {
			s, _ := newStore(t)
			s.leaveUnsynced()
			s.calls.link = func(*os.File, string, string) error { return syscall.EPERM }
			return s
		},
		Keys: 100,
	})
}

func TestStoreWithoutExtendedAttributes(t *testing.T) {
	backendtest.Run(t, backendtest.Config{
		New: func(t testing.TB) backends.Store {
			s, _ := newStore(t)
			s.leaveUnsynced()
			s.metadata = false
			s.calls.setMetadata = func(*os.File, string) error { return syscall.ENOTSUP }
			return s
		},
		Keys: 20,
	})
}

func newStore(t testing.TB) (*Store, string) {
	t.Helper()
	dir := t.TempDir()
	return openStore(t, dir), dir
}

func openStore(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// inject lays a file, or a folder for a key that ends in a slash.
func inject(t testing.TB, store backends.Store, key string, body []byte) {
	t.Helper()
	path := filepath.Join(store.(*Store).root.Name(), filepath.FromSlash(key))
	if strings.HasSuffix(key, "/") {
		require.NoError(t, os.MkdirAll(path, 0o777))
		return
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, body, 0o666))
}

// filesIn returns the names of everything in a folder.
func filesIn(t testing.TB, parts ...string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(parts...))
	require.NoError(t, err)
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}

func put(t testing.TB, s *Store, key, body string) backends.Attrs {
	t.Helper()
	attrs, err := s.PutIfAbsent(t.Context(), key, []byte(body), backends.PutOptions{})
	require.NoError(t, err)
	return attrs
}

func read(t testing.TB, s *Store, key string) string {
	t.Helper()
	body, _, err := s.Get(t.Context(), key)
	require.NoError(t, err)
	return string(body)
}
