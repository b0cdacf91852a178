package backends_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

func TestARefusalIsWhatAStoreWouldSayAgain(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want bool
	}{
		{backends.ErrPermission, true},
		{backends.ErrUnauthenticated, true},
		{backends.ErrNoBucket, true},
		{backends.ErrInvalid, true},
		{&backends.Error{Op: "put", Err: fmt.Errorf("%w: no condition", backends.ErrUnsupported)}, true},
		{backends.ErrExists, false},
		{backends.ErrContended, false},
		{backends.ErrThrottled, false},
		{backends.ErrNotExist, false},
		{backends.ErrNotStored, false},
		{backends.ErrNotDurable, false},
		{io.ErrUnexpectedEOF, false},
		{nil, false},
	} {
		require.Equal(t, tc.want, backends.IsRefusal(tc.err), "%v", tc.err)
	}
}

func TestOnlyProofMakesAnErrorDefinite(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want bool
	}{
		{backends.ErrExists, true},
		{backends.ErrContended, true},
		{backends.ErrThrottled, true},
		{backends.ErrPermission, true},
		{backends.ErrUnauthenticated, true},
		{backends.ErrNoBucket, true},
		{backends.ErrInvalid, true},
		{backends.ErrUnsupported, true},
		{backends.ErrNotStored, true},
		{backends.NotStored(context.Canceled), true},
		{fmt.Errorf("wrapped: %w", &backends.Error{Op: "put", Err: backends.ErrExists}), true},

		{nil, false},
		{context.Canceled, false},
		{context.DeadlineExceeded, false},
		{io.ErrUnexpectedEOF, false},
		{fs.ErrExist, false},
		{fs.ErrPermission, false},
		{backends.ErrNotExist, false},
		{backends.ErrNotDurable, false},
		{errors.Join(backends.ErrNotDurable, backends.ErrExists), false},
		{&backends.Error{Op: "put", Status: 503, Code: "SlowDown", Err: errors.New("slow down")}, false},
	} {
		require.Equal(t, tc.want, backends.IsDefinite(tc.err), "%v", tc.err)
	}
}

func TestSentinelsAreTheErrorsOfTheStandardLibrary(t *testing.T) {
	require.ErrorIs(t, backends.ErrExists, fs.ErrExist)
	require.ErrorIs(t, backends.ErrNotExist, fs.ErrNotExist)
	require.ErrorIs(t, backends.ErrPermission, fs.ErrPermission)
	require.ErrorIs(t, backends.ErrInvalid, fs.ErrInvalid)
	require.ErrorIs(t, backends.ErrUnsupported, errors.ErrUnsupported)
	require.ErrorIs(t, backends.NotStored(context.Canceled), context.Canceled)
	require.NotErrorIs(t, backends.ErrNoBucket, fs.ErrNotExist, "a missing bucket is not an empty table")
}

func TestAnErrorSaysWhatItKnows(t *testing.T) {
	err := &backends.Error{Op: "put", Key: "t/1", Status: 503, Code: "SlowDown", RequestID: "7", Err: errors.New("please wait")}
	require.Equal(t, `put "t/1": status 503 SlowDown (request 7): please wait`, err.Error())
	require.Equal(t, `get "t/1": the object does not exist`, (&backends.Error{Op: "get", Key: "t/1", Err: backends.ErrNotExist}).Error())
}

func TestKeysAndMetadataThatEveryStoreTakes(t *testing.T) {
	for _, key := range []string{"a", "a/b", "a b", "ä", "%41", "#?[x]", "...", "..a/b..", strings.Repeat("k", 1024)} {
		require.NoError(t, backends.CheckKey(key), "%q", key)
	}
	for _, key := range []string{
		"", "/", "/a", "a/", "a//b", ".", "..", "./a", "../a", "a/.", "a/..", "a/../b", "a\x00", "a\nb", "\x7f", "\xff",
		strings.Repeat("k", 1025),
	} {
		require.ErrorIs(t, backends.CheckKey(key), backends.ErrInvalid, "%q", key)
	}
	for _, prefix := range []string{"", "a", "a/", "a/b"} {
		require.NoError(t, backends.CheckPrefix(prefix), "%q", prefix)
	}
	for _, prefix := range []string{"/", "//", "a//", "../", "./"} {
		require.ErrorIs(t, backends.CheckPrefix(prefix), backends.ErrInvalid, "%q", prefix)
	}
	require.NoError(t, backends.CheckMetadata(strings.Repeat("m", backends.MaxMetadataSize)))
	for _, metadata := range []string{strings.Repeat("m", backends.MaxMetadataSize+1), "a b", "ä", "a\n", "\x7f"} {
		require.ErrorIs(t, backends.CheckMetadata(metadata), backends.ErrInvalid)
	}
}

func TestACallThatMustNotBegin(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, backends.CheckCall(t.Context(), "put", "t/1", backends.CheckKey))
	for _, op := range []string{"put", "overwrite", "delete", "bulkdelete", "get", "head", "list"} {
		require.ErrorIs(t, backends.CheckCall(ended, op, "a//b", backends.CheckKey), backends.ErrInvalid)
		err := backends.CheckCall(ended, op, "t/1", backends.CheckKey)
		require.ErrorIs(t, err, context.Canceled)
		isRead := op == "get" || op == "head" || op == "list"
		require.Equal(t, !isRead, errors.Is(err, backends.ErrNotStored), op)
	}
}
