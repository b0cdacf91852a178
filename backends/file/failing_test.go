//go:build linux || darwin

package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// What a caller of the committer learns from a disk that fails for a while, and
// that the same commit succeeds when it works again.
func TestACommitOnAFailingDisk(t *testing.T) {
	for _, c := range []struct {
		name string
		fail func(c *calls)
		want error
		// cause is in the text.
		cause error
		// made says that the version is there, though nobody may rely on it.
		made bool
	}{
		{"no space for the body", func(c *calls) { c.write = writesHalf(syscall.ENOSPC) }, backends.ErrNotStored, syscall.ENOSPC, false},
		{"a quota for the body", func(c *calls) { c.write = writesHalf(syscall.EDQUOT) }, backends.ErrNotStored, syscall.EDQUOT, false},
		{"a limit of the file's size", func(c *calls) { c.write = writesHalf(syscall.EFBIG) }, backends.ErrNotStored, syscall.EFBIG, false},
		{"an error in the middle of the body", func(c *calls) { c.write = writesHalf(syscall.EIO) }, backends.ErrNotStored, syscall.EIO, false},
		{"no space for the metadata", func(c *calls) {
			c.setMetadata = func(*os.File, string) error { return syscall.ENOSPC }
		}, backends.ErrNotStored, syscall.ENOSPC, false},
		{"no space at the sync", func(c *calls) { c.syncFile = syncAnswers(syscall.ENOSPC) }, backends.ErrNotStored, syscall.ENOSPC, false},
		{"an error at the sync", func(c *calls) { c.syncFile = syncAnswers(syscall.EIO) }, backends.ErrNotStored, syscall.EIO, false},
		{"no space for the name", func(c *calls) { c.link = linkAnswers(syscall.ENOSPC) }, backends.ErrNotStored, syscall.ENOSPC, false},
		{"a name that is not allowed", func(c *calls) { c.link = linkAnswers(syscall.EACCES) }, backends.ErrPermission, syscall.EACCES, false},
		{"a disk that became read-only", func(c *calls) { c.link = linkAnswers(syscall.EROFS) }, backends.ErrPermission, syscall.EROFS, false},
		{"an error for the name, again and again", func(c *calls) { c.link = linkAnswers(syscall.EIO) }, committer.ErrUnknownOutcome, syscall.EIO, false},
		{"an error at the sync of the folder", func(c *calls) { c.syncFolder = syncAnswers(syscall.EIO) }, committer.ErrUnknownOutcome, syscall.EIO, true},
	} {
		for name, commit := range map[string]func(table *committer.Table) error{
			"Commit": func(table *committer.Table) error {
				_, err := table.Commit(context.Background(), 2, manifestOf(2, "ours"))
				return err
			},
			"Update": func(table *committer.Table) error {
				_, err := table.Update(context.Background(), func(_ context.Context, base committer.Version) ([]byte, error) {
					return manifestOf(base.Number+1, "ours"), nil
				})
				return err
			},
		} {
			t.Run(name+": "+c.name, func(t *testing.T) {
				s, dir := newStore(t)
				_, err := tableOf(s).Commit(t.Context(), 1, manifestOf(1, "first"))
				require.NoError(t, err)
				works := s.calls
				c.fail(&s.calls)
				table := tableOf(s, committer.WithRetry(committer.RetryPolicy{MaxTries: 3, MinPause: time.Millisecond}))
				err = commit(table)
				require.ErrorIs(t, err, c.want)
				require.ErrorContains(t, err, c.cause.Error(), "what is wrong")
				require.ErrorContains(t, err, naming.V2.Final(2), "where")
				require.Equal(t, c.want == committer.ErrUnknownOutcome, errors.Is(err, committer.ErrUnknownOutcome))
				require.NotErrorIs(t, err, committer.ErrConflict)
				require.NotErrorIs(t, err, fs.ErrExist)
				names := []string{naming.Hint, naming.V2.Final(1)}
				want := committer.Absent
				if c.made {
					names, want = append(names, naming.V2.Final(2)), committer.Committed
				}
				require.ElementsMatch(t, names, filesIn(t, dir, "t/_versions"), "nothing torn, nothing left")

				s.calls = works
				outcome, err := table.Resolve(t.Context(), 2, manifestOf(2, "ours"))
				require.NoError(t, err)
				require.Equal(t, want, outcome)
				_, err = table.Commit(t.Context(), 2, manifestOf(2, "ours"))
				require.NoError(t, err)
				require.Equal(t, string(manifestOf(2, "ours")), read(t, s, "t/_versions/"+naming.V2.Final(2)))
			})
		}
	}
}

// The winner's name may be lost with the power, so that nobody has lost yet.
func TestALostRaceThatIsNotDurableIsUnknown(t *testing.T) {
	s, dir := newStore(t)
	_, err := tableOf(s).Commit(t.Context(), 1, manifestOf(1, "first"))
	require.NoError(t, err)
	table := tableOf(s)
	_, err = table.Latest(t.Context())
	require.NoError(t, err)
	_, err = tableOf(openStore(t, dir)).Commit(t.Context(), 2, manifestOf(2, "theirs"))
	require.NoError(t, err)

	works := s.calls.syncFolder
	s.calls.syncFolder = syncAnswers(syscall.EIO)
	_, err = table.Commit(t.Context(), 2, manifestOf(2, "ours"))
	require.ErrorIs(t, err, committer.ErrUnknownOutcome)
	require.NotErrorIs(t, err, committer.ErrConflict)

	s.calls.syncFolder = works
	_, err = table.Commit(t.Context(), 2, manifestOf(2, "ours"))
	require.ErrorIs(t, err, committer.ErrConflict)
}

// writesHalf fails in the middle of a body.
func writesHalf(err error) func(*os.File, []byte) error {
	return func(f *os.File, body []byte) error { return errors.Join(write(f, body[:len(body)/2]), err) }
}

func syncAnswers(err error) func(*os.File) error {
	return func(*os.File) error { return err }
}
