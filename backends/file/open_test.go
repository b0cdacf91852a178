//go:build linux || darwin

package file

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/lancecommit/lancecommit/backends"
)

func TestOpenSaysWhatIsWrongWithTheFolder(t *testing.T) {
	dir := t.TempDir()
	object := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(object, nil, 0o666))
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "pipe"), 0o666))
	for name, c := range map[string]struct {
		dir  string
		want error
		text string
	}{
		"a missing folder": {filepath.Join(dir, "missing"), backends.ErrNoBucket, "no such folder"},
		"no name":          {"", backends.ErrNoBucket, "no such folder"},
		"a file":           {object, backends.ErrInvalid, "not a folder"},
		"a named pipe":     {filepath.Join(dir, "pipe"), backends.ErrInvalid, "not a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(c.dir)
			require.Nil(t, s)
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, c.text)
			require.NotErrorIs(t, err, fs.ErrNotExist, "a missing folder must not look like an empty table")
			var typed *backends.Error
			require.ErrorAs(t, err, &typed)
			require.Equal(t, "open", typed.Op)
			require.Equal(t, c.dir, typed.Key)
		})
	}
}

func TestOpenWritesNothing(t *testing.T) {
	_, dir := newStore(t)
	require.Empty(t, filesIn(t, dir))
}

// everyCall makes one call of each kind and returns the errors.
func everyCall(t *testing.T, s *Store, key string) map[string]error {
	ctx := t.Context()
	_, put := s.PutIfAbsent(ctx, key, nil, backends.PutOptions{})
	_, _, get := s.Get(ctx, key)
	_, head := s.Head(ctx, key)
	_, list := s.List(ctx, backends.ListInput{Prefix: key})
	return map[string]error{
		"put": put, "get": get, "head": head, "list": list, "delete": s.Delete(ctx, key), "overwrite": s.Overwrite(ctx, key, nil),
	}
}

func TestAClosedStoreFailsAndWritesNothing(t *testing.T) {
	s, dir := newStore(t)
	put(t, s, key, "body")
	require.NoError(t, s.Close())
	for op, err := range everyCall(t, s, "t/_versions/2.manifest") {
		require.ErrorIs(t, err, os.ErrClosed, op)
		require.Equal(t, op == "put" || op == "overwrite", backends.IsDefinite(err), op)
	}
	require.Equal(t, []string{"1.manifest"}, filesIn(t, dir, "t/_versions"))
	require.Empty(t, s.settled.open)
}

func TestAFolderThatWasRemovedIsNoEmptyStore(t *testing.T) {
	for _, key := range []string{"key", key} {
		s, dir := newStore(t)
		require.NoError(t, os.RemoveAll(dir))
		for op, err := range everyCall(t, s, key) {
			require.ErrorIs(t, err, backends.ErrNoBucket, op)
			require.NotErrorIs(t, err, fs.ErrNotExist, op)
		}
	}
}
