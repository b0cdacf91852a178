//go:build linux || darwin

package backendtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/file"
)

func TestMain(m *testing.M) {
	Child(func(address string) (backends.Store, error) {
		store, err := file.Open(address)
		return renaming{store, address}, err
	})
	goleak.VerifyTestMain(m)
}

// renaming looks first and then renames a file to the key, which is not one step.
type renaming struct {
	*file.Store
	dir string
}

func (r renaming) PutIfAbsent(
	ctx context.Context, key string, body []byte, _ backends.PutOptions,
) (backends.Attrs, error) {
	if _, err := r.Head(ctx, key); err == nil {
		return backends.Attrs{}, &backends.Error{Op: "put", Key: key, Err: backends.ErrExists}
	}
	path := filepath.Join(r.dir, filepath.FromSlash(key))
	temp, err := os.CreateTemp(r.dir, "")
	return backends.Attrs{}, errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o777),
		os.WriteFile(temp.Name(), body, 0o666), temp.Sync(), temp.Close(), os.Rename(temp.Name(), path))
}

func TestTheRaceOfProcessesFindsAStoreThatLooksAndThenRenames(t *testing.T) {
	dir := t.TempDir()
	store, err := file.Open(dir)
	require.NoError(t, err)
	defer store.Close()
	found := failures(func(r reporter) { raceProcesses(t.Context(), r, store, dir, 400) })
	require.NotEmpty(t, found)
	require.Contains(t, found[0], "processes that were told that they had created")
}
