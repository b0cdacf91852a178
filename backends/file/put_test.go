//go:build linux || darwin

package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

const key = "t/_versions/1.manifest"

// linkAnswers is a link that does nothing but answer.
func linkAnswers(err error) func(*os.File, string, string) error {
	return func(*os.File, string, string) error { return err }
}

func renameAnswers(err error) func(*os.File, string, string) error {
	return func(*os.File, string, string) error { return err }
}

// linkDoesAndAnswers loses the reply of a link.
func linkDoesAndAnswers(t *testing.T, err error) func(*os.File, string, string) error {
	return func(in *os.File, oldname, newname string) error {
		require.NoError(t, link(in, oldname, newname))
		return err
	}
}

func TestAFailedCallGetsTheAnswerThatItProves(t *testing.T) {
	absent, there := false, true
	for name, c := range map[string]struct {
		breaks func(t *testing.T, c *calls)
		want   error // nil: success
		cause  error // what the error wraps, too
		kept   bool  // whether the object is there afterwards
	}{
		"a full disk stored nothing": {
			func(_ *testing.T, c *calls) { c.write = func(*os.File, []byte) error { return syscall.ENOSPC } },
			backends.ErrNotStored, syscall.ENOSPC, absent,
		},
		"a quota that is used up stored nothing": {
			func(_ *testing.T, c *calls) { c.syncFile = func(*os.File) error { return syscall.EDQUOT } },
			backends.ErrNotStored, syscall.EDQUOT, absent,
		},
		"half a body stored nothing": {
			func(_ *testing.T, c *calls) {
				c.write = func(f *os.File, body []byte) error { return errors.Join(write(f, body[:2]), syscall.EIO) }
			},
			backends.ErrNotStored, syscall.EIO, absent,
		},
		"a body that is not on the disk is not stored": {
			func(_ *testing.T, c *calls) { c.syncFile = func(*os.File) error { return syscall.EIO } },
			backends.ErrNotStored, syscall.EIO, absent,
		},
		"a read-only file system refuses": {
			func(_ *testing.T, c *calls) { c.write = func(*os.File, []byte) error { return syscall.EROFS } },
			backends.ErrPermission, syscall.EROFS, absent,
		},
		"metadata that cannot be kept stored nothing": {
			func(_ *testing.T, c *calls) { c.setMetadata = func(*os.File, string) error { return syscall.ENOSPC } },
			backends.ErrNotStored, syscall.ENOSPC, absent,
		},
		"a file system without attributes ignores metadata": {
			func(_ *testing.T, c *calls) { c.setMetadata = func(*os.File, string) error { return syscall.ENOTSUP } },
			nil, nil, there,
		},
		"a link that is not allowed refuses": {
			func(_ *testing.T, c *calls) { c.link = linkAnswers(syscall.EACCES) },
			backends.ErrPermission, syscall.EACCES, absent,
		},
		"a folder that is full stored nothing": {
			func(_ *testing.T, c *calls) { c.link = linkAnswers(syscall.ENOSPC) },
			backends.ErrNotStored, syscall.ENOSPC, absent,
		},
		"a temporary file that was swept stored nothing": {
			func(_ *testing.T, c *calls) { c.link = linkAnswers(syscall.ENOENT) },
			backends.ErrNotStored, nil, absent,
		},
		"a link whose reply was lost is a success": {
			func(t *testing.T, c *calls) { c.link = linkDoesAndAnswers(t, syscall.EIO) },
			nil, nil, there,
		},
		"a link that was sent again and met itself is a success": {
			func(t *testing.T, c *calls) { c.link = linkDoesAndAnswers(t, syscall.EEXIST) },
			nil, nil, there,
		},
		"without hard links (EPERM) a rename that does not replace is used": {
			func(_ *testing.T, c *calls) { c.link = linkAnswers(syscall.EPERM) }, nil, nil, there,
		},
		"without hard links (ENOTSUP) a rename that does not replace is used": {
			func(_ *testing.T, c *calls) { c.link = linkAnswers(syscall.ENOTSUP) }, nil, nil, there,
		},
		"without hard links (ENOSYS) a rename that does not replace is used": {
			func(_ *testing.T, c *calls) { c.link = linkAnswers(syscall.ENOSYS) }, nil, nil, there,
		},
		"with all hard links used a rename that does not replace is used": {
			func(_ *testing.T, c *calls) { c.link = linkAnswers(syscall.EMLINK) }, nil, nil, there,
		},
		"without hard links and such a rename (EINVAL) the store refuses": {
			func(_ *testing.T, c *calls) {
				c.link, c.renameNoReplace = linkAnswers(syscall.EPERM), renameAnswers(syscall.EINVAL)
			},
			backends.ErrUnsupported, syscall.EPERM, absent,
		},
		"without hard links and such a rename (ENOSYS) the store refuses": {
			func(_ *testing.T, c *calls) {
				c.link, c.renameNoReplace = linkAnswers(syscall.ENOTSUP), renameAnswers(syscall.ENOSYS)
			},
			backends.ErrUnsupported, syscall.ENOSYS, absent,
		},
		"without hard links and such a rename (ENOTSUP) the store refuses": {
			func(_ *testing.T, c *calls) {
				c.link, c.renameNoReplace = linkAnswers(syscall.EPERM), renameAnswers(syscall.ENOTSUP)
			},
			backends.ErrUnsupported, syscall.ENOTSUP, absent,
		},
		"an EPERM that the rename meets again is a refusal": {
			func(_ *testing.T, c *calls) {
				c.link, c.renameNoReplace = linkAnswers(syscall.EPERM), renameAnswers(syscall.EPERM)
			},
			backends.ErrPermission, syscall.EPERM, absent,
		},
		"a rename whose reply was lost is a success": {
			func(t *testing.T, c *calls) {
				c.link = linkAnswers(syscall.ENOTSUP)
				c.renameNoReplace = func(in *os.File, oldname, newname string) error {
					require.NoError(t, renameNoReplace(in, oldname, newname))
					return syscall.EIO
				}
			},
			nil, nil, there,
		},
		"a folder that cannot be synced on the way stored nothing": {
			func(_ *testing.T, c *calls) { c.syncFolder = func(*os.File) error { return syscall.EIO } },
			backends.ErrNotStored, syscall.EIO, absent,
		},
		"a file system that cannot sync folders is unsupported": {
			func(_ *testing.T, c *calls) { c.syncFolder = func(*os.File) error { return syscall.EINVAL } },
			backends.ErrUnsupported, syscall.EINVAL, absent,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := newStore(t)
			c.breaks(t, &s.calls)
			_, err := s.PutIfAbsent(t.Context(), key, []byte("body"), backends.PutOptions{Metadata: "m"})
			if c.want == nil {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, c.want)
				require.True(t, backends.IsDefinite(err), "%v", err)
				require.NotErrorIs(t, err, fs.ErrExist)
				require.NotErrorIs(t, err, fs.ErrNotExist)
			}
			if c.cause != nil {
				require.ErrorIs(t, err, c.cause)
			}
			if c.kept {
				require.Equal(t, "body", read(t, s, key))
				require.Equal(t, []string{"1.manifest"}, filesIn(t, dir, "t/_versions"))
			} else {
				require.Empty(t, filesIn(t, dir, "t/_versions"), "nothing may stay behind")
			}
		})
	}
}

func TestALinkThatProvesNothingIsUnknown(t *testing.T) {
	for _, cause := range []error{syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT, syscall.EINTR, syscall.ENOMEM} {
		for name, c := range map[string]func(s *Store){
			"link": func(s *Store) { s.calls.link = linkAnswers(cause) },
			"rename": func(s *Store) {
				s.calls.link, s.calls.renameNoReplace = linkAnswers(syscall.EPERM), renameAnswers(cause)
			},
		} {
			t.Run(name+" "+cause.Error(), func(t *testing.T) {
				s, dir := newStore(t)
				c(s)
				_, err := s.PutIfAbsent(t.Context(), key, []byte("body"), backends.PutOptions{})
				require.ErrorIs(t, err, cause)
				require.False(t, backends.IsDefinite(err), "%v", err)
				require.Empty(t, filesIn(t, dir, "t/_versions"), "a late link must find no file")
			})
		}
	}
}

// A tool that copies trees by hard links can give the temporary file a second
// name. That must make neither a winner nor a loser of us.
func TestASecondNameThatIsNotTheObjectProvesNothing(t *testing.T) {
	s, dir := newStore(t)
	put(t, s, key, "theirs")
	s.calls.link = func(in *os.File, oldname, newname string) error {
		require.NoError(t, link(in, oldname, "backup"))
		return link(in, oldname, newname)
	}
	_, err := s.PutIfAbsent(t.Context(), key, []byte("ours"), backends.PutOptions{})
	require.Error(t, err)
	require.False(t, backends.IsDefinite(err), "%v", err)
	require.NotErrorIs(t, err, fs.ErrExist)
	require.Equal(t, "theirs", read(t, s, key))
	require.ElementsMatch(t, []string{"1.manifest", "backup"}, filesIn(t, dir, "t/_versions"))
}

func TestALoserLeavesNoTrace(t *testing.T) {
	for name, link := range map[string]func(*os.File, string, string) error{
		"by link": link, "by rename": linkAnswers(syscall.EPERM),
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := newStore(t)
			s.calls.link = link
			put(t, s, key, "winner")
			before, err := os.Lstat(filepath.Join(dir, key))
			require.NoError(t, err)
			for _, body := range []string{"a loser", "winner", ""} {
				_, err := s.PutIfAbsent(t.Context(), key, []byte(body), backends.PutOptions{})
				require.ErrorIs(t, err, backends.ErrExists)
				require.True(t, backends.IsDefinite(err))
			}
			after, err := os.Lstat(filepath.Join(dir, key))
			require.NoError(t, err)
			require.True(t, os.SameFile(before, after), "the same file")
			require.Equal(t, before.ModTime(), after.ModTime())
			require.Equal(t, "winner", read(t, s, key))
			require.Equal(t, []string{"1.manifest"}, filesIn(t, dir, "t/_versions"), "no leftovers")
		})
	}
}

func TestAFolderOrFileInTheWayIsNoLostRace(t *testing.T) {
	s, dir := newStore(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "t/folder"), 0o777))
	put(t, s, "t/object", "body")
	for _, key := range []string{"t/folder", "t/object/below", "t/object/far/below"} {
		_, err := s.PutIfAbsent(t.Context(), key, nil, backends.PutOptions{})
		require.ErrorIs(t, err, backends.ErrNotStored, key)
		require.NotErrorIs(t, err, fs.ErrExist, key)
		require.True(t, backends.IsDefinite(err), key)
	}
	require.ElementsMatch(t, []string{"folder", "object"}, filesIn(t, dir, "t"))
	require.Empty(t, filesIn(t, dir, "t/folder"))
}

func TestAContextThatEndsWhileTheFileIsWrittenStoresNothing(t *testing.T) {
	s, dir := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.calls.syncFile = func(*os.File) error { cancel(); return nil }
	_, err := s.PutIfAbsent(ctx, key, []byte("body"), backends.PutOptions{})
	require.ErrorIs(t, err, backends.ErrNotStored)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, filesIn(t, dir, "t/_versions"))
}

func TestAContextThatEndsAfterTheLinkLeavesASuccess(t *testing.T) {
	s, _ := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.calls.link = func(in *os.File, oldname, newname string) error {
		defer cancel()
		return link(in, oldname, newname)
	}
	_, err := s.PutIfAbsent(ctx, key, []byte("body"), backends.PutOptions{})
	require.NoError(t, err)
	require.Equal(t, "body", read(t, s, key))
}

func TestAPartOfAKeyMayHave255Bytes(t *testing.T) {
	s, _ := newStore(t)
	longest := strings.Repeat("k", 255)
	put(t, s, longest+"/"+longest, "body")
	for _, key := range []string{longest + "k", longest + "k/key"} {
		_, err := s.PutIfAbsent(t.Context(), key, nil, backends.PutOptions{})
		require.ErrorIs(t, err, backends.ErrInvalid)
		require.True(t, backends.IsDefinite(err))
		_, err = s.Head(t.Context(), key)
		require.ErrorIs(t, err, backends.ErrInvalid)
	}
}

func TestANewFileHasTheModeOfTheUmask(t *testing.T) {
	s, dir := newStore(t)
	put(t, s, key, "body")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other"), nil, 0o666))
	want, err := os.Stat(filepath.Join(dir, "other"))
	require.NoError(t, err)
	got, err := os.Stat(filepath.Join(dir, key))
	require.NoError(t, err)
	require.Equal(t, want.Mode(), got.Mode())
}
