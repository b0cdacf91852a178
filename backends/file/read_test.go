//go:build linux || darwin

package file

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/lancecommit/lancecommit/backends"
)

// A call on one of these would hang if it waited for the other end.
func TestOnlyARegularFileIsAnObject(t *testing.T) {
	s, dir := newStore(t)
	put(t, s, "t/file", "body")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "t/folder"), 0o777))
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "t/pipe"), 0o666))
	t.Chdir(filepath.Join(dir, "t")) // a socket's path must be short
	socket, err := net.Listen("unix", "socket")
	require.NoError(t, err)
	defer socket.Close()

	for _, key := range []string{"t/folder", "t/pipe", "t/socket", "t/pipe/below", "t/socket/below", "t/file/below"} {
		_, _, err := s.Get(t.Context(), key)
		require.ErrorIs(t, err, backends.ErrNotExist, key)
		_, err = s.Head(t.Context(), key)
		require.ErrorIs(t, err, backends.ErrNotExist, key)
		page, err := s.List(t.Context(), backends.ListInput{Prefix: key + "/"})
		require.NoError(t, err, key)
		require.Empty(t, page.Objects, key)
		require.Empty(t, page.Prefixes, key)
	}
	for _, key := range []string{"t/pipe", "t/socket"} {
		_, err := s.PutIfAbsent(t.Context(), key, nil, backends.PutOptions{})
		require.ErrorIs(t, err, backends.ErrExists, "the name %q is taken", key)
	}
	for _, key := range []string{"t/pipe/below", "t/socket/below"} {
		_, err := s.PutIfAbsent(t.Context(), key, nil, backends.PutOptions{})
		require.ErrorIs(t, err, backends.ErrNotStored, key)
		require.ErrorIs(t, s.Overwrite(t.Context(), key, nil), backends.ErrNotStored, key)
		require.NoError(t, s.Delete(t.Context(), key), key)
	}
	for _, key := range []string{"t/folder", "t/pipe", "t/socket"} {
		require.ErrorIs(t, s.Overwrite(t.Context(), key, nil), backends.ErrPermission, key)
	}
	page, err := s.List(t.Context(), backends.ListInput{Prefix: "t/"})
	require.NoError(t, err)
	require.Len(t, page.Objects, 1)
	require.Equal(t, "t/file", page.Objects[0].Key)
	require.Equal(t, []string{"t/folder/"}, page.Prefixes)
}

func TestAnETagStaysWhenTheFileGetsAnotherName(t *testing.T) {
	s, dir := newStore(t)
	created := put(t, s, key, "body")
	require.NoError(t, os.Link(filepath.Join(dir, key), filepath.Join(dir, "backup")))
	require.NoError(t, os.Chmod(filepath.Join(dir, key), 0o400))
	attrs, err := s.Head(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, created.ETag, attrs.ETag)
	require.True(t, created.Modified.Equal(attrs.Modified))
}

// The value is not ours: another program may use the same name.
func TestAnAttributeThatIsNobodysMetadataIsLeftOut(t *testing.T) {
	s, dir := newStore(t)
	require.True(t, s.Capabilities().Metadata, "this test wants a temporary folder with extended attributes")
	put(t, s, key, "body")
	for _, value := range []string{"two words", string([]byte{0, 1}), string(make([]byte, 3000))} {
		require.NoError(t, unix.Setxattr(filepath.Join(dir, key), attribute, []byte(value), 0))
		attrs, err := s.Head(t.Context(), key)
		require.NoError(t, err)
		require.Empty(t, attrs.Metadata)
	}
}

func TestALeftoverOfAnotherProgramIsListed(t *testing.T) {
	s, dir := newStore(t)
	put(t, s, key, "body")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "t/_versions", TempPrefix+"OLD"), nil, 0o666))
	page, err := s.List(t.Context(), backends.ListInput{Prefix: "t/_versions/"})
	require.NoError(t, err)
	require.Len(t, page.Objects, 2)
}

func TestATokenOfAnotherListingIsInvalid(t *testing.T) {
	s, _ := newStore(t)
	put(t, s, "t/1", "body")
	put(t, s, "t/2", "body")
	page, err := s.List(t.Context(), backends.ListInput{Prefix: "t/", Limit: 1})
	require.NoError(t, err)
	for _, in := range []backends.ListInput{{Prefix: "u/", Token: page.Token}, {Prefix: "t/", Token: "no token"}} {
		_, err := s.List(t.Context(), in)
		require.ErrorIs(t, err, backends.ErrInvalid)
	}
}

func TestAFileThatSaysItIsEnormousIsReadPieceByPiece(t *testing.T) {
	s, dir := newStore(t)
	put(t, s, key, "body")
	err := os.Truncate(filepath.Join(dir, filepath.FromSlash(key)), 8<<40)
	if errors.Is(err, unix.EFBIG) {
		t.Skip("the file system has no files of this size")
	}
	require.NoError(t, err)
	_, _, err = s.Get(backends.WithReadLimit(t.Context(), 1<<30), key)
	require.ErrorIs(t, err, backends.ErrTooLarge)

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, _, err = s.Get(ctx, key)
	require.ErrorIs(t, err, context.DeadlineExceeded, "no memory is taken for what nobody has read")
}
