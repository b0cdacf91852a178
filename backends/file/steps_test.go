//go:build linux || darwin

package file

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

// manifestOf is what a writer commits here. It takes several pages.
func manifestOf(version uint64, note string) []byte {
	return testmanifest.New(version, "", note+strings.Repeat("x", 20_000))
}

// A step is a moment inside a create. Its hook has reached called in the middle
// of the create of version 2, which goes no further unless reached returns.
type step struct {
	name string
	hook func(s *Store, reached func())
	// made says whether the version is there, left what the temporary file is.
	made bool
	left string
}

// What can be left of the temporary file.
const (
	nothing  = ""
	empty    = "empty"
	half     = "half"
	whole    = "whole"
	twoNames = "whole, and has the version's name, too"
)

var steps = []step{
	{name: "the temporary file is made", left: empty, hook: func(s *Store, reached func()) {
		write := s.calls.write
		s.calls.write = func(f *os.File, body []byte) error { reached(); return write(f, body) }
	}},
	{name: "half of it is written", left: half, hook: func(s *Store, reached func()) {
		write := s.calls.write
		s.calls.write = func(f *os.File, body []byte) error {
			err := write(f, body[:len(body)/2])
			reached()
			return errors.Join(err, write(f, body[len(body)/2:]))
		}
	}},
	{name: "it is written", left: whole, hook: func(s *Store, reached func()) {
		write := s.calls.write
		s.calls.write = func(f *os.File, body []byte) error { defer reached(); return write(f, body) }
	}},
	{name: "its metadata is set", left: whole, hook: func(s *Store, reached func()) {
		set := s.calls.setMetadata
		s.calls.setMetadata = func(f *os.File, metadata string) error { defer reached(); return set(f, metadata) }
	}},
	{name: "it is synced", left: whole, hook: func(s *Store, reached func()) {
		sync := s.calls.syncFile
		s.calls.syncFile = func(f *os.File) error { defer reached(); return sync(f) }
	}},
	{name: "it is linked", left: twoNames, made: true, hook: func(s *Store, reached func()) {
		link := s.calls.link
		s.calls.link = func(in *os.File, oldname, newname string) error { defer reached(); return link(in, oldname, newname) }
	}},
	{name: "it is renamed where links are lacking", left: nothing, made: true, hook: func(s *Store, reached func()) {
		s.calls.link = linkAnswers(syscall.EPERM)
		s.calls.renameNoReplace = func(in *os.File, oldname, newname string) error {
			defer reached()
			return renameNoReplace(in, oldname, newname)
		}
	}},
	{name: "the temporary name is gone", left: nothing, made: true, hook: afterLink(func(sync, reached func()) { reached(); sync() })},
	{name: "the folder is synced", left: nothing, made: true, hook: afterLink(func(sync, reached func()) { sync(); reached() })},
}

// afterLink is a hook around the sync of the folder that follows a link.
func afterLink(around func(sync, reached func())) func(s *Store, reached func()) {
	return func(s *Store, reached func()) {
		linked := false
		link, sync := s.calls.link, s.calls.syncFolder
		s.calls.link = func(in *os.File, oldname, newname string) error {
			linked = true
			return link(in, oldname, newname)
		}
		s.calls.syncFolder = func(folder *os.File) (err error) {
			if !linked {
				return sync(folder)
			}
			linked = false
			around(func() { err = sync(folder) }, reached)
			return err
		}
	}
}

// tableOf is the table in a store.
func tableOf(store backends.Store, opts ...committer.Option) *committer.Table {
	return committer.NewTable(store, "t", append([]committer.Option{committer.WithVersionHint(true)}, opts...)...)
}

// commitUpTo is what a process does that is to be killed in a step: it commits
// version 1, and then version 2 as the step has it. One that reads the table in
// between has folders that are settled.
func commitUpTo(s *Store, at step, reached func()) error {
	ctx := context.Background()
	if _, err := tableOf(s).Commit(ctx, 1, manifestOf(1, "first")); err != nil {
		return err
	}
	at.hook(s, reached)
	_, err := tableOf(s).Commit(ctx, 2, manifestOf(2, "killed"))
	return err
}

func TestAWriterKilledAtEachStepOfACreate(t *testing.T) {
	for _, at := range steps {
		t.Run(at.name, func(t *testing.T) {
			s, dir := newStore(t)
			killAfter(t, crash{Dir: dir, At: at.name}, 1)
			left := leftIn(t, dir, at.left)

			ctx := t.Context()
			outcome, err := tableOf(s).Resolve(ctx, 2, manifestOf(2, "killed"))
			require.NoError(t, err)
			next := uint64(2)
			if at.made {
				require.Equal(t, committer.Committed, outcome)
				require.Equal(t, string(manifestOf(2, "killed")), read(t, s, "t/_versions/"+naming.V2.Final(2)))
				next = 3
			} else {
				require.Equal(t, committer.Absent, outcome)
			}

			log := new(intercept.Log)
			_, err = tableOf(intercept.Wrap(s, log.Around)).Commit(ctx, next, manifestOf(next, "the next process's"))
			require.NoError(t, err)
			require.Equal(t, []string{"LIST _versions 0", "PUT " + naming.V2.Final(next), "OVERWRITE " + naming.Hint}, log.Take(),
				"nothing to wait for, nothing to break")
			var listed []uint64
			for v, err := range tableOf(s).Versions(ctx, committer.VersionsOptions{}) {
				require.NoError(t, err)
				listed = append(listed, v.Number)
			}
			slices.Reverse(listed)
			require.Equal(t, []uint64{1, 2, 3}[:next], listed)
			requireSweep(t, s, dir, left)
			if at.made {
				require.Equal(t, string(manifestOf(2, "killed")), read(t, s, "t/_versions/"+naming.V2.Final(2)), "a name stays whole when the sweep takes its other one")
			}
		})
	}
}

// leftIn requires that a writer left so much of its temporary file, and returns
// the names.
func leftIn(t *testing.T, dir, want string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "t/_versions", TempPrefix+"*"))
	require.NoError(t, err)
	if want == nothing {
		require.Empty(t, found)
		return nil
	}
	require.Len(t, found, 1)
	info, err := os.Lstat(found[0])
	require.NoError(t, err)
	body := manifestOf(2, "killed")
	size := map[string]int{empty: 0, half: len(body) / 2, whole: len(body), twoNames: len(body)}[want]
	require.Equal(t, int64(size), info.Size())
	require.Equal(t, want == twoNames, links(info) == 2)
	return []string{filepath.Base(found[0])}
}

// requireSweep requires that a sweep leaves what is young and takes the leftovers
// once they are old.
func requireSweep(t *testing.T, s *Store, dir string, left []string) {
	t.Helper()
	const week = 7 * 24 * time.Hour
	before := filesIn(t, dir, "t/_versions")
	result, err := tableOf(s).Sweep(t.Context(), week, committer.SweepOptions{})
	require.NoError(t, err)
	require.Empty(t, result.Removed)
	require.Len(t, result.Kept, len(left))
	require.Equal(t, before, filesIn(t, dir, "t/_versions"))

	for _, name := range left {
		old := time.Now().Add(-week - time.Hour)
		require.NoError(t, os.Chtimes(filepath.Join(dir, "t/_versions", name), old, old))
	}
	result, err = tableOf(s).Sweep(t.Context(), week, committer.SweepOptions{})
	require.NoError(t, err)
	require.Len(t, result.Removed, len(left))
	for _, name := range left {
		before = slices.DeleteFunc(before, func(n string) bool { return n == name })
	}
	require.Equal(t, before, filesIn(t, dir, "t/_versions"))
}

// A table that is removed while a commit is under way: the commit is refused, or
// it was there first.
func TestATableThatIsRemovedAtEachStepOfACreate(t *testing.T) {
	for _, at := range steps {
		t.Run(at.name, func(t *testing.T) {
			s, dir := newStore(t)
			err := commitUpTo(s, at, func() { require.NoError(t, os.RemoveAll(filepath.Join(dir, "t"))) })
			if at.made {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, backends.ErrNotStored)
				require.NotErrorIs(t, err, committer.ErrUnknownOutcome)
				require.ErrorContains(t, err, naming.V2.Final(2))
			}
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "t")), "the hint")

			_, err = tableOf(openStore(t, dir)).Commit(t.Context(), 1, manifestOf(1, "made again"))
			require.NoError(t, err)
			names := filesIn(t, dir, "t/_versions")
			require.ElementsMatch(t, []string{naming.V2.Final(1), naming.Hint}, names, "nothing of the old table")
		})
	}
}
