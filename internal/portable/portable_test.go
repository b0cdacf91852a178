package portable_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/gcerrors"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/portable"
)

func bucketOf(t *testing.T, keys ...string) *portable.Bucket {
	b := memblob.OpenBucket(nil)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	for _, key := range keys {
		require.NoError(t, b.WriteAll(t.Context(), key, []byte(key), &blob.WriterOptions{
			Metadata: map[string]string{backends.MetadataName: "kept"},
		}))
	}
	return &portable.Bucket{Blob: b, Dialect: portable.Dialect{
		Explain: func(err error) *backends.Error {
			if gcerrors.Code(err) == gcerrors.NotFound {
				return &backends.Error{Status: 404, Err: backends.ErrNotExist}
			}
			return &backends.Error{Err: err}
		},
		Opened: func(*blob.Reader) backends.Attrs {
			return backends.Attrs{ETag: "etag", VersionID: "7", Metadata: "kept"}
		},
	}}
}

func TestReadsJoinWhatGocloudAndTheDialectKnow(t *testing.T) {
	b := bucketOf(t, "t/1")
	body, attrs, err := b.Get(t.Context(), "t/1")
	require.NoError(t, err)
	require.Equal(t, "t/1", string(body))
	require.False(t, attrs.Modified.IsZero())
	require.Equal(t, backends.Attrs{Size: 3, ETag: "etag", VersionID: "7", Metadata: "kept", Modified: attrs.Modified}, attrs)
}

func TestWhatIsAbsentIsSaidByTheDialect(t *testing.T) {
	b := bucketOf(t, "t/1")
	_, _, err := b.Get(t.Context(), "t/2")
	require.EqualError(t, err, `get "t/2": status 404: the object does not exist`)

	b.Dialect.Explain = func(error) *backends.Error { return &backends.Error{Status: 403, Err: backends.ErrPermission} }
	_, _, err = b.Get(t.Context(), "t/2")
	require.ErrorIs(t, err, backends.ErrPermission)
	require.NotErrorIs(t, err, backends.ErrNotExist)
}

func TestKeysThatGocloudWouldRewriteAreRefused(t *testing.T) {
	b := bucketOf(t)
	for _, key := range []string{"a../b", "a__0x2f__b", "a//b", "a/", ""} {
		var failed *backends.Error
		_, _, err := b.Get(t.Context(), key)
		require.ErrorIs(t, err, backends.ErrInvalid, "%q", key)
		require.True(t, errors.As(err, &failed))
		require.Equal(t, key, failed.Key)
	}
	for _, prefix := range []string{"a../b", "a__0x2f__", "a../", "//"} {
		require.ErrorIs(t, portable.CheckPrefix(prefix), backends.ErrInvalid, "%q", prefix)
	}
	for _, key := range []string{"a..b/c", "..a/b", "a__b", "0x2f"} {
		require.NoError(t, portable.CheckKey(key), "%q", key)
	}
}
