//go:build linux || darwin

package file

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// A journal is the order of the calls of a store. Folders are named below the
// root.
type journal struct {
	dir     string
	entries []string
	// leftovers is what temporary files there were at each sync of a folder.
	leftovers []string
}

// keepJournal notes the calls of a store from now on.
func keepJournal(t *testing.T, s *Store) *journal {
	j := &journal{dir: s.root.Name()}
	calls := s.calls
	s.calls.syncFile = func(f *os.File) error { j.note("sync file"); return calls.syncFile(f) }
	s.calls.link = func(in *os.File, oldname, newname string) error {
		j.note("link")
		return calls.link(in, oldname, newname)
	}
	s.calls.syncFolder = func(f *os.File) error {
		name, err := filepath.Rel(j.dir, filepath.Clean(f.Name()))
		require.NoError(t, err)
		j.note("sync " + name)
		found, err := filepath.Glob(filepath.Join(j.dir, "*", "*", TempPrefix+"*"))
		require.NoError(t, err)
		j.leftovers = append(j.leftovers, found...)
		return calls.syncFolder(f)
	}
	return j
}

func (j *journal) note(entry string) { j.entries = append(j.entries, entry) }

// take returns the entries since the last time.
func (j *journal) take() []string {
	entries := j.entries
	j.entries = nil
	return entries
}

var (
	wayThere = []string{"sync .", "sync t", "sync t/_versions"}
	created  = []string{"sync file", "link", "sync t/_versions"}
)

func TestEveryAnswerComesAfterTheFolderIsDurable(t *testing.T) {
	s, _ := newStore(t)
	j := keepJournal(t, s)
	put(t, s, key, "body")
	require.Equal(t, append(wayThere, created...), j.take(), "a first create makes the way durable")
	put(t, s, "t/_versions/2.manifest", "body")
	require.Equal(t, created, j.take(), "a second one has nothing to do there")
	_, err := s.PutIfAbsent(t.Context(), key, []byte("late"), backends.PutOptions{})
	require.ErrorIs(t, err, backends.ErrExists)
	require.Equal(t, created, j.take(), "a lost race is told after the folder is durable")
	_, err = s.Head(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, []string{"sync t/_versions"}, j.take(), "what Head reports is durable")
	_, err = s.Head(t.Context(), "t/_versions/9.manifest")
	require.ErrorIs(t, err, backends.ErrNotExist)
	require.Empty(t, j.take(), "an absent object needs nothing")
	require.Empty(t, j.leftovers, "the temporary name is gone before the folder is synced")
}

func TestAnUnknownOutcomeIsToldAfterTheFolderIsDurable(t *testing.T) {
	s, _ := newStore(t)
	s.calls.link = linkAnswers(syscall.EIO)
	j := keepJournal(t, s)
	_, err := s.PutIfAbsent(t.Context(), key, nil, backends.PutOptions{})
	require.ErrorIs(t, err, syscall.EIO)
	require.Equal(t, append(wayThere, created...), j.take())
}

func TestAFolderThatAnotherMadeIsMadeDurable(t *testing.T) {
	s, dir := newStore(t)
	put(t, s, "t/_versions/1.manifest", "body")
	j := keepJournal(t, s)

	require.NoError(t, os.MkdirAll(filepath.Join(dir, "u/_versions"), 0o777))
	put(t, s, "u/_versions/1.manifest", "body")
	require.Equal(t, []string{"sync .", "sync u", "sync u/_versions", "sync file", "link", "sync u/_versions"}, j.take(),
		"another table")

	_, err := openStore(t, dir).Head(t.Context(), "t/_versions/1.manifest")
	require.NoError(t, err)
	other := openStore(t, dir)
	j2 := keepJournal(t, other)
	_, err = other.Head(t.Context(), "t/_versions/1.manifest")
	require.NoError(t, err)
	require.Equal(t, append(wayThere, "sync t/_versions"), j2.take(), "a new store knows nothing yet")
}

// The new folders get the numbers of the old ones on many file systems.
func TestAFolderThatWasRemovedAndMadeAgainIsMadeDurableAgain(t *testing.T) {
	s, dir := newStore(t)
	put(t, s, key, "body")
	j := keepJournal(t, s)
	for _, removed := range []string{"t", "t/_versions", "t/_versions", "t", "t"} {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, removed)))
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "t/_versions"), 0o777))
		put(t, s, key, "body")
		require.Equal(t, append(wayThere, created...), j.take(), removed)
	}
}

func TestAFolderThatMovedUnderANewOneIsMadeDurableAgain(t *testing.T) {
	s, dir := newStore(t)
	put(t, s, key, "body")
	j := keepJournal(t, s)
	require.NoError(t, os.Rename(filepath.Join(dir, "t"), filepath.Join(dir, "old")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "t"), 0o777))
	require.NoError(t, os.Rename(filepath.Join(dir, "old/_versions"), filepath.Join(dir, "t/_versions")))
	put(t, s, "t/_versions/2.manifest", "body")
	require.Equal(t, append(wayThere, created...), j.take())
}

func TestAFolderThatMovedUnderASettledOneIsMadeDurableAgain(t *testing.T) {
	s, dir := newStore(t)
	put(t, s, key, "body")
	require.NoError(t, os.Rename(filepath.Join(dir, "t"), filepath.Join(dir, "old")))
	put(t, s, "t/other/1.manifest", "body")
	require.NoError(t, os.Rename(filepath.Join(dir, "old/_versions"), filepath.Join(dir, "t/_versions")))
	j := keepJournal(t, s)
	put(t, s, "t/_versions/2.manifest", "body")
	require.Equal(t, append(wayThere, created...), j.take())
}

func TestTheFoldersThatAreKeptOpenAreBounded(t *testing.T) {
	s, _ := newStore(t)
	s.calls.syncFile = func(*os.File) error { return nil }
	s.calls.syncFolder = s.calls.syncFile
	for i := range 2 * maxSettled {
		put(t, s, strconv.Itoa(i)+"/_versions/1.manifest", "body")
		require.LessOrEqual(t, len(s.settled.open), maxSettled)
	}
}

func TestAnObjectWhoseFolderCannotBeSyncedIsNotDurable(t *testing.T) {
	s, dir := newStore(t)
	put(t, s, key, "body")
	works := s.calls.syncFolder
	s.calls.syncFolder = func(*os.File) error { return syscall.EIO }
	put := func(key string) error {
		_, err := s.PutIfAbsent(t.Context(), key, []byte("body"), backends.PutOptions{})
		return err
	}
	for name, err := range map[string]error{
		"a create": put("t/_versions/2.manifest"), "a lost race": put(key),
		"Head": func() error { _, err := s.Head(t.Context(), key); return err }(),
	} {
		require.ErrorIs(t, err, backends.ErrNotDurable, name)
		require.ErrorIs(t, err, syscall.EIO, name)
		require.False(t, backends.IsDefinite(err), name)
		require.NotErrorIs(t, err, fs.ErrExist, name)
	}
	require.Equal(t, []string{"1.manifest", "2.manifest"}, filesIn(t, dir, "t/_versions"))

	s.calls.syncFolder = works
	require.ErrorIs(t, put("t/_versions/2.manifest"), backends.ErrExists)
	_, err := s.Head(t.Context(), "t/_versions/2.manifest")
	require.NoError(t, err)
}

func TestHeadOnAWayThatCannotBeSyncedIsNotDurable(t *testing.T) {
	s, dir := newStore(t)
	put(t, s, key, "body")
	other := openStore(t, dir)
	other.calls.syncFolder = func(f *os.File) error {
		if strings.HasSuffix(f.Name(), "_versions") {
			return nil
		}
		return syscall.EIO
	}
	_, err := other.Head(t.Context(), key)
	require.ErrorIs(t, err, backends.ErrNotDurable)
}
