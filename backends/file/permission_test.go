//go:build linux || darwin

package file

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// restrict sets a mode until the test is over.
func restrict(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	require.NoError(t, os.Chmod(path, mode))
	t.Cleanup(func() { require.NoError(t, os.Chmod(path, 0o777)) })
}

func TestAReadOnlyFolderRefusesACreate(t *testing.T) {
	s, dir := newStore(t)
	put(t, s, key, "body")
	restrict(t, filepath.Join(dir, "t/_versions"), 0o555)
	restrict(t, filepath.Join(dir, "t"), 0o555)
	asNobody(t, func() {
		for _, key := range []string{"t/_versions/2.manifest", key, "t/new/key"} {
			_, err := s.PutIfAbsent(t.Context(), key, nil, backends.PutOptions{})
			require.ErrorIs(t, err, backends.ErrPermission, key)
			require.ErrorIs(t, err, fs.ErrPermission, key)
			require.True(t, backends.IsDefinite(err), key)
		}
		require.ErrorIs(t, s.Overwrite(t.Context(), "t/_versions/hint", nil), backends.ErrPermission)
		require.ErrorIs(t, s.Delete(t.Context(), key), backends.ErrPermission)
		require.Equal(t, "body", read(t, s, key), "reading is allowed")
		_, err := s.Head(t.Context(), key)
		require.NoError(t, err)
	})
	require.Equal(t, []string{"1.manifest"}, filesIn(t, dir, "t/_versions"))
	require.Equal(t, []string{"_versions"}, filesIn(t, dir, "t"))
}

func TestAFolderThatMayNotBeReadIsNoEmptyTable(t *testing.T) {
	for name, mode := range map[string]fs.FileMode{"not at all": 0, "not searched": 0o444, "not listed": 0o111} {
		t.Run(name, func(t *testing.T) {
			s, dir := newStore(t)
			put(t, s, key, "body")
			restrict(t, filepath.Join(dir, "t/_versions"), mode)
			asNobody(t, func() {
				for op, err := range everyCall(t, s, "t/_versions/2.manifest") {
					require.ErrorIs(t, err, backends.ErrPermission, op)
					require.NotErrorIs(t, err, fs.ErrNotExist, op)
				}
			})
		})
	}
}

func TestAnObjectThatMayNotBeReadIsNotAbsent(t *testing.T) {
	s, dir := newStore(t)
	put(t, s, key, "body")
	restrict(t, filepath.Join(dir, key), 0)
	asNobody(t, func() {
		_, _, err := s.Get(t.Context(), key)
		require.ErrorIs(t, err, backends.ErrPermission)
		_, err = s.Head(t.Context(), key)
		require.ErrorIs(t, err, backends.ErrPermission)
	})
}

func TestOpenOfAFolderThatMayNotBeReadIsRefused(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a/b"), 0o777))
	restrict(t, filepath.Join(dir, "a"), 0)
	t.Chdir(dir)
	asNobody(t, func() {
		for _, dir := range []string{"a", "a/b"} {
			_, err := Open(dir)
			require.ErrorIs(t, err, backends.ErrPermission, dir)
		}
	})
}
