//go:build linux || darwin

package file

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// newStoreBesideOutside returns a store, its folder, and a folder outside it
// that has the file "object".
func newStoreBesideOutside(t *testing.T) (s *Store, dir, outside string) {
	t.Helper()
	top := t.TempDir()
	dir, outside = filepath.Join(top, "store"), filepath.Join(top, "outside")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "t"), 0o777))
	require.NoError(t, os.Mkdir(outside, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "object"), []byte("outside"), 0o666))
	return openStore(t, dir), dir, outside
}

func TestNothingOutsideTheFolderIsReadOrWritten(t *testing.T) {
	s, dir, outside := newStoreBesideOutside(t)
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "t/absolute")))
	require.NoError(t, os.Symlink("../../outside", filepath.Join(dir, "t/relative")))
	require.NoError(t, os.Symlink("../../outside/object", filepath.Join(dir, "t/object")))
	for _, key := range []string{
		"t/absolute/new", "t/relative/new", "t/absolute/object", "t/relative/object", "t/absolute/folder/new",
	} {
		for op, err := range everyCall(t, s, key) {
			require.ErrorIs(t, err, backends.ErrPermission, "%s %s", op, key)
			require.ErrorContains(t, err, "a symlink leads out of the store's folder", "%s %s", op, key)
			require.True(t, backends.IsDefinite(err), "%s %s", op, key)
		}
	}
	_, err := s.PutIfAbsent(t.Context(), "t/object", []byte("new"), backends.PutOptions{})
	require.ErrorIs(t, err, backends.ErrExists, "the name is taken")
	require.ErrorIs(t, s.Overwrite(t.Context(), "t/object", []byte("new")), backends.ErrPermission)
	_, _, err = s.Get(t.Context(), "t/object")
	require.ErrorIs(t, err, backends.ErrPermission)

	require.Equal(t, []string{"object"}, filesIn(t, outside))
	body, err := os.ReadFile(filepath.Join(outside, "object"))
	require.NoError(t, err)
	require.Equal(t, "outside", string(body))
}

func TestASymlinkInsideIsFollowedForReadingAndToFolders(t *testing.T) {
	s, dir, _ := newStoreBesideOutside(t)
	put(t, s, "real/object", "body")
	require.NoError(t, os.Symlink("../real", filepath.Join(dir, "t/folder")))
	require.NoError(t, os.Symlink("../real/object", filepath.Join(dir, "t/object")))
	require.Equal(t, "body", read(t, s, "t/object"))
	require.Equal(t, "body", read(t, s, "t/folder/object"))
	put(t, s, "t/folder/new", "new")
	put(t, s, "t/folder/deep/new", "new")
	require.Equal(t, "new", read(t, s, "real/new"))
	require.Equal(t, "new", read(t, s, "real/deep/new"))

	_, err := s.PutIfAbsent(t.Context(), "t/object", []byte("new"), backends.PutOptions{})
	require.ErrorIs(t, err, backends.ErrExists)
	require.ErrorIs(t, s.Overwrite(t.Context(), "t/object", []byte("new")), backends.ErrPermission)
	require.NoError(t, os.Symlink("object", filepath.Join(dir, "real/beside")))
	require.ErrorIs(t, s.Overwrite(t.Context(), "real/beside", []byte("new")), backends.ErrPermission)
	require.NoError(t, s.Delete(t.Context(), "t/object"))
	require.Equal(t, "body", read(t, s, "real/object"), "a delete removes the link and not what it leads to")
}

func TestASymlinkIsListedAsWhatItLeadsTo(t *testing.T) {
	s, dir, outside := newStoreBesideOutside(t)
	put(t, s, "real/object", "body")
	for name, target := range map[string]string{
		"object": "../real/object", "folder": "../real", "nowhere": "missing", "circle": "circle", "outside": outside + "/object",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, "t", name)))
	}
	page, err := s.List(t.Context(), backends.ListInput{Prefix: "t/"})
	require.NoError(t, err)
	require.Equal(t, []string{"t/folder/"}, page.Prefixes)
	require.Len(t, page.Objects, 2)
	require.Equal(t, "t/object", page.Objects[0].Key)
	head, err := s.Head(t.Context(), "t/object")
	require.NoError(t, err)
	require.Equal(t, head.ETag, page.Objects[0].ETag, "Head and List agree")
	require.Equal(t, "t/outside", page.Objects[1].Key, "its name is taken, so a listing must not hide it")

	for _, name := range []string{"nowhere", "circle", "outside"} {
		_, err := s.PutIfAbsent(t.Context(), "t/"+name, nil, backends.PutOptions{})
		require.ErrorIs(t, err, backends.ErrExists, name)
	}
	require.NoFileExists(t, filepath.Join(dir, "t/missing"))
}
