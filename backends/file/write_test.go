//go:build linux || darwin

package file

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/lancecommit/lancecommit/backends"
)

const hint = "t/_versions/latest_version_hint.json"

func TestAnOverwriteWritesInPlace(t *testing.T) {
	s, dir := newStore(t)
	j := keepJournal(t, s)
	require.NoError(t, s.Overwrite(t.Context(), hint, []byte(`{"version":10}`)), "folders are made as needed")
	first, err := os.Stat(filepath.Join(dir, hint))
	require.NoError(t, err)
	for _, body := range []string{`{"version":11}`, `{"version":9}`, ``, `{"version":100}`} {
		require.NoError(t, s.Overwrite(t.Context(), hint, []byte(body)))
		require.Equal(t, body, read(t, s, hint))
	}
	last, err := os.Stat(filepath.Join(dir, hint))
	require.NoError(t, err)
	require.True(t, os.SameFile(first, last))
	require.Equal(t, []string{filepath.Base(hint)}, filesIn(t, dir, "t/_versions"))
	require.Empty(t, j.take(), "a hint is worth no sync")
}

func TestAReaderNeverSeesAnOverwrittenFileEmpty(t *testing.T) {
	s, _ := newStore(t)
	require.NoError(t, s.Overwrite(t.Context(), hint, []byte(`{"version":9}`)))
	done := make(chan error, 1)
	go func() {
		for i := range 2000 {
			body := `{"version":9}`
			if i%2 == 0 {
				body = `{"version":10}`
			}
			if err := s.Overwrite(t.Context(), hint, []byte(body)); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		require.GreaterOrEqual(t, len(read(t, s, hint)), len(`{"version":9}`))
		select {
		case err := <-done:
			require.NoError(t, err)
			return
		default:
		}
	}
}

func TestAnOverwriteLeavesACopyByHardLinksAlone(t *testing.T) {
	s, dir := newStore(t)
	require.NoError(t, s.Overwrite(t.Context(), hint, []byte(`{"version":9}`)))
	kept := filepath.Join(dir, "copy")
	require.NoError(t, os.Link(filepath.Join(dir, hint), kept))
	require.NoError(t, s.Overwrite(t.Context(), hint, []byte(`{"version":10}`)))
	require.Equal(t, `{"version":10}`, read(t, s, hint))
	old, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Equal(t, `{"version":9}`, string(old))
}

// A named pipe that somebody reads can be opened for writing.
func TestAnOverwriteWritesIntoNoPipe(t *testing.T) {
	s, dir := newStore(t)
	put(t, s, key, "body")
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, hint), 0o666))
	reader, err := os.OpenFile(filepath.Join(dir, hint), os.O_RDWR|unix.O_NONBLOCK, 0)
	require.NoError(t, err)
	defer reader.Close()
	err = s.Overwrite(t.Context(), hint, []byte("hint"))
	require.ErrorIs(t, err, backends.ErrPermission)
	require.NotErrorIs(t, err, backends.ErrNotStored, "it is refused like any other")
	require.NoError(t, reader.SetReadDeadline(time.Now()))
	_, err = reader.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "nothing was written")
}

func TestADeleteNeverRemovesAFolder(t *testing.T) {
	s, dir := newStore(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "t/empty"), 0o777))
	require.NoError(t, s.Delete(t.Context(), "t/empty"))
	require.Equal(t, []string{"empty"}, filesIn(t, dir, "t"))
	put(t, s, key, "body")
	require.NoError(t, s.Delete(t.Context(), key))
	require.DirExists(t, filepath.Join(dir, "t/_versions"))
}
