//go:build linux || darwin

package file

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/lancecommit/lancecommit/backends"
)

// Whatever happened to a folder since this store used it, the next call goes
// where the path leads now.
func TestASettledFolderIsUsedOnlyWhileThePathLeadsToIt(t *testing.T) {
	const next = "t/_versions/2.manifest"
	move := func(t *testing.T, dir, from, to string) {
		require.NoError(t, os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)))
	}
	symlink := func(t *testing.T, dir, target, name string) {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir, outside string)
		// old is where the folder of before is, now where the path leads.
		old, now string
		want     error
	}{
		{"moved away", func(t *testing.T, dir, _ string) {
			move(t, dir, "t/_versions", "old")
		}, "old", "t/_versions", nil},
		{"moved away with its parent", func(t *testing.T, dir, _ string) {
			move(t, dir, "t", "old")
		}, "old/_versions", "t/_versions", nil},
		{"moved away, another in its place", func(t *testing.T, dir, _ string) {
			move(t, dir, "t/_versions", "old")
			require.NoError(t, os.Mkdir(filepath.Join(dir, "t/_versions"), 0o777))
		}, "old", "t/_versions", nil},
		{"moved away, a symlink to another in its place", func(t *testing.T, dir, _ string) {
			move(t, dir, "t/_versions", "old")
			require.NoError(t, os.Mkdir(filepath.Join(dir, "t/real"), 0o777))
			symlink(t, dir, "real", "t/_versions")
		}, "old", "t/real", nil},
		{"moved away, a symlink out of the store in its place", func(t *testing.T, dir, outside string) {
			move(t, dir, "t/_versions", "old")
			symlink(t, dir, outside, "t/_versions")
		}, "old", "", backends.ErrPermission},
		{"its parent moved away, a symlink to another in its place", func(t *testing.T, dir, _ string) {
			move(t, dir, "t", "old")
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "real/_versions"), 0o777))
			symlink(t, dir, "real", "t")
		}, "old/_versions", "real/_versions", nil},
		{"its parent moved out, a symlink to it in its place", func(t *testing.T, dir, outside string) {
			move(t, dir, "t", "../outside/t")
			symlink(t, dir, filepath.Join(outside, "t"), "t")
		}, "../outside/t/_versions", "", backends.ErrPermission},
		{"moved away, an object in its place", func(t *testing.T, dir, _ string) {
			move(t, dir, "t/_versions", "old")
			require.NoError(t, os.WriteFile(filepath.Join(dir, "t/_versions"), nil, 0o666))
		}, "old", "", backends.ErrNotStored},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, dir, outside := newStoreBesideOutside(t)
			put(t, s, key, "body")
			require.NoError(t, s.Overwrite(t.Context(), hint, []byte("old")))
			c.change(t, dir, outside)
			err := s.Overwrite(t.Context(), hint, []byte("new"))
			_, putErr := s.PutIfAbsent(t.Context(), next, []byte("body"), backends.PutOptions{})

			body, readErr := os.ReadFile(filepath.Join(dir, c.old, filepath.Base(hint)))
			require.NoError(t, readErr)
			require.Equal(t, "old", string(body))
			require.ElementsMatch(t, []string{"1.manifest", filepath.Base(hint)}, filesIn(t, dir, c.old))
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
				require.ErrorIs(t, putErr, c.want)
				return
			}
			require.NoError(t, err)
			require.NoError(t, putErr)
			require.ElementsMatch(t, []string{"2.manifest", filepath.Base(hint)}, filesIn(t, dir, c.now))
			_, err = s.Head(t.Context(), key)
			require.ErrorIs(t, err, backends.ErrNotExist)
			require.NoError(t, s.Delete(t.Context(), next))
			require.Equal(t, []string{filepath.Base(hint)}, filesIn(t, dir, c.now))
		})
	}
}

// A sync tells of a failed write once to each opening of a folder, so creates
// must not share one.
func TestEveryCreateSyncsAnOpeningOfItsOwn(t *testing.T) {
	s, _ := newStore(t)
	put(t, s, key, "body")
	var synced []*os.File
	s.calls.syncFolder = func(f *os.File) error { synced = append(synced, f); return nil }
	put(t, s, "t/_versions/2.manifest", "body")
	put(t, s, "t/_versions/3.manifest", "body")
	require.Len(t, synced, 2)
	require.NotSame(t, synced[0], synced[1])
	require.NotSame(t, s.settled.open["t/_versions"].File, synced[0])
}

func TestAFolderThatIsClosedWhileItIsUsedIsOpenedAgain(t *testing.T) {
	s, dir := newStore(t)
	s.leaveUnsynced()
	var writers errgroup.Group
	for w := range 8 {
		writers.Go(func() error {
			for i := range 2 * maxSettled {
				table := strconv.Itoa(w) + "/" + strconv.Itoa(i)
				for _, folder := range []string{table, "all"} {
					key := folder + "/" + strconv.Itoa(w) + "-" + strconv.Itoa(i)
					if _, err := s.PutIfAbsent(t.Context(), key, []byte(key), backends.PutOptions{}); err != nil {
						return err
					}
					if err := s.Overwrite(t.Context(), folder+"/hint", []byte("hint")); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	require.NoError(t, writers.Wait())
	require.Len(t, filesIn(t, dir, "all"), 8*2*maxSettled+1)
	require.LessOrEqual(t, len(s.settled.open), maxSettled)
}

func TestAStoreThatIsClosedKeepsNoFolderOpen(t *testing.T) {
	s, _ := newStore(t)
	put(t, s, "t/_versions/1.manifest", "body")
	works := s.calls.syncFolder
	s.calls.syncFolder = func(f *os.File) error {
		require.NoError(t, s.Close())
		return works(f)
	}
	_, err := s.PutIfAbsent(t.Context(), "u/_versions/1.manifest", nil, backends.PutOptions{})
	require.ErrorIs(t, err, os.ErrClosed)
	require.Empty(t, s.settled.open)
	require.ErrorIs(t, s.Overwrite(t.Context(), hint, nil), os.ErrClosed)
}
