package committer_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
)

// A diskStore says that it is on disk.
type diskStore struct{ *scriptedStore }

func (diskStore) URLs() []string { return []string{"file:///some/path/", "some/path/"} }

func TestProbeSaysWhatADiskFailsFor(t *testing.T) {
	notStored := func(cause error) error {
		return &backends.Error{Op: "put", Key: "key", Err: backends.NotStored(cause)}
	}
	for _, tc := range []struct {
		name  string
		cause error
		want  committer.ProbeVerdict
		says  string
		tries int
	}{
		{"it is full", notStored(syscall.ENOSPC), committer.ProbeDisk, "There is no room on the disk", 1},
		{"the quota is used up", notStored(syscall.EDQUOT), committer.ProbeDisk, "There is no room on the disk", 1},
		{"a file has the folder's name", notStored(syscall.ENOTDIR), committer.ProbeDisk, "Something that is no folder", 1},
		{"it takes no folders", notStored(errors.New("no such file")), committer.ProbeDisk, "fails to create: put", 3},
		{"it denies", &backends.Error{Op: "put", Key: "key", Err: backends.ErrPermission}, committer.ProbeDenied, "another user's probe left", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newScripted(memory.Options{})
				fails("create", tc.cause)(store)
				var creates times
				next := store.put
				store.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
					creates.next("")
					return next(ctx, key, body, opts)
				}
				started := time.Now()
				report, err := committer.Probe(t.Context(), diskStore{store}, committer.ProbeOptions{})
				require.NoError(t, err)
				require.Equal(t, tc.want, report.Verdict)
				require.Contains(t, named(report)[string(tc.want)].Text(), tc.says)
				require.NotContains(t, named(report)[string(tc.want)].Text(), "network")
				require.Equal(t, tc.tries, creates.next("")-1)
				require.Less(t, time.Since(started), 200*time.Millisecond)
			})
		})
	}
}

func TestAStoreThatDeletesNothingIsNotJustSafe(t *testing.T) {
	store := newScripted(memory.Options{})
	fails("delete", nil)(store)
	report, err := committer.Probe(t.Context(), store, committer.ProbeOptions{Rounds: 1})
	require.NoError(t, err)
	require.Contains(t, report.Findings[0].Do, "nothing that is deleted goes")
	require.Len(t, report.Left, 19)
}

func TestAProbeSaysWhereItWorksBeforeItBegins(t *testing.T) {
	store := newScripted(memory.Options{})
	var folder string
	report, err := committer.Probe(t.Context(), store, committer.ProbeOptions{Root: "db", Rounds: 1, Begin: func(in string) {
		require.Empty(t, folder, "once")
		folder = in
	}})
	require.NoError(t, err)
	require.Equal(t, report.Folder, folder)
}
