package committer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

func TestTheAdviceIsThatOfTheErrorAndNotOfItsCodeAlone(t *testing.T) {
	const (
		keep   = "Keep all files"
		again  = "end the same request again"
		build  = "uild on the latest version"
		wrote  = "Nothing was written"
		remove = "remove it"
	)
	for _, tc := range []struct {
		err       error
		code      int
		says, not []string
	}{
		{&committer.UnknownOutcomeError{Cause: errReset}, 18, []string{keep, again, "its answer tells"}, []string{wrote, build}},
		{committer.ErrUndecidable, 18, []string{"keep all files", "Check the path", "do what the error says"}, []string{wrote, again, build, "its answer tells"}},
		{&committer.StaleCommitError{}, 18, []string{keep, remove, build}, []string{again, wrote}},
		{backends.ErrNotDurable, 18, []string{keep, "mend the disk", again}, []string{wrote}},
		{&committer.UnfinishedDeleteError{Cause: errReset}, 18, []string{again, "what is gone is not counted"}, []string{keep, wrote}},
		{committer.ErrBadRef, 18, []string{wrote, "nothing was deleted", "Mend the tag or branch ref"}, []string{keep, "its answer tells"}},
		{committer.ErrReentrant, 18, []string{wrote, "hook"}, []string{keep, again}},
		{errors.New("the catalog cannot be read"), 18, []string{"The error says what must be mended", again}, []string{keep, "its answer tells"}},
		{committer.ErrStagedChanged, 14, []string{wrote, "stage the manifest again under another name"}, []string{build}},
		{&committer.ConflictError{}, 14, []string{wrote, build}, nil},
		{committer.ErrInconsistentStore, 0, []string{wrote, "use another"}, nil},
		{committer.ErrUnsupported, 0, []string{wrote, "does not help"}, nil},
		{committer.ErrContention, 17, []string{wrote, "Other writers were faster"}, nil},
		{&backends.Error{Err: fs.ErrClosed}, 18, []string{wrote, "open it again"}, []string{"later"}},
		{backends.ErrNotStored, 17, []string{wrote, "later"}, nil},
		{context.DeadlineExceeded, 17, []string{wrote, "later"}, nil},
		{&backends.Error{Status: http.StatusServiceUnavailable, Err: io.EOF}, 17, []string{wrote, "later"}, nil},
	} {
		body := committer.ErrorResponse(fmt.Errorf("asked: %w", tc.err), "")
		require.Equal(t, tc.code, body.Code, tc.err)
		for _, text := range tc.says {
			require.Contains(t, body.Detail, text, tc.err)
		}
		for _, text := range tc.not {
			require.NotContains(t, body.Detail, text, tc.err)
		}
	}
}

func TestAStagedManifestThatChangedIsNoReasonToBuildOnTheLatest(t *testing.T) {
	store := laid(1)
	namespace, _ := inNamespace(store)
	req := stage(store, 2, "mine")
	req.ETag = "another"
	_, err := namespace.CreateTableVersion(t.Context(), req)
	body := committer.ErrorResponse(err, "")
	require.Equal(t, committer.CodeConcurrentModification, body.Code)
	require.NotContains(t, body.Detail, "uild on the latest")
	require.Contains(t, body.Detail, "ETag")
}

func TestADefiniteErrorOfTheTableIsNotCalledAnUnknownOutcome(t *testing.T) {
	store := laid(1)
	store.Inject("db/__manifest/_versions/"+naming.V2.Final(1), []byte("no manifest"))
	namespace, _ := inNamespace(store)
	_, err := namespace.CreateTableVersion(t.Context(), stage(store, 2, "mine"))
	require.ErrorContains(t, err, "catalog")
	require.NotContains(t, committer.ErrorResponse(err, "").Detail, "Keep all files")

	store = laid(1)
	store.Inject(naming.BranchRefs(root, "exp")[0], []byte("{"))
	namespace, _ = inNamespace(store)
	_, err = namespace.CreateTableVersion(t.Context(), stageAs(store, root, "exp", 2, "mine"))
	require.ErrorIs(t, err, committer.ErrBadRef)
	require.NotContains(t, committer.ErrorResponse(err, "").Detail, "Keep all files")
}
