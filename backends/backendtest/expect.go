package backendtest

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// put creates an object that is not there yet.
func (s subject) put(ctx context.Context, t reporter, key string, body []byte) backends.Attrs {
	t.Helper()
	attrs, err := s.PutIfAbsent(ctx, key, body, backends.PutOptions{})
	require.NoErrorf(t, err, "create of the free key %q", key)
	return attrs
}

// putAll creates small objects, each with its key as content.
func (s subject) putAll(ctx context.Context, t reporter, keys ...string) {
	t.Helper()
	for _, key := range keys {
		s.put(ctx, t, key, []byte(key))
	}
}

// holds requires that an object has that content.
func (s subject) holds(ctx context.Context, t reporter, key string, body []byte) backends.Attrs {
	t.Helper()
	got, attrs, err := s.Get(ctx, key)
	require.NoErrorf(t, err, "read of %q", key)
	if !bytes.Equal(body, got) {
		require.Failf(t, "wrong content", "%q has %s; it must have %s", key, brief(got), brief(body))
	}
	require.EqualValuesf(t, len(body), attrs.Size, "size of %q that came with its content", key)
	return attrs
}

// lacks requires that there is no object.
func (s subject) lacks(ctx context.Context, t reporter, key string) {
	t.Helper()
	_, err := s.Head(ctx, key)
	wantError(t, err, "head", key, backends.ErrNotExist)
	_, _, err = s.Get(ctx, key)
	wantError(t, err, "get", key, backends.ErrNotExist)
}

// refuses requires that a create fails for a reason that proves that it wrote
// nothing.
func (s subject) refuses(
	ctx context.Context, t reporter, key string, body []byte, opts backends.PutOptions, reason error,
) {
	t.Helper()
	_, err := s.PutIfAbsent(ctx, key, body, opts)
	wantError(t, err, "put", key, reason)
	require.Truef(t, backends.IsDefinite(err), "a create of %q that fails so wrote nothing, so the error must be definite: %v", key, err)
}

// head returns the attributes of an object that is there.
func (s subject) head(ctx context.Context, t reporter, key string) backends.Attrs {
	t.Helper()
	attrs, err := s.Head(ctx, key)
	require.NoErrorf(t, err, "attributes of %q", key)
	return attrs
}

// wantError requires a *backends.Error that names the call and is the reason.
func wantError(t reporter, err error, op, key string, reason error) {
	t.Helper()
	require.ErrorIsf(t, err, reason, "%s of %q", op, key)
	var typed *backends.Error
	require.ErrorAsf(t, err, &typed, "%s of %q must fail with a *backends.Error", op, key)
	require.Equalf(t, op, typed.Op, "Op of the error %v", err)
	require.Equalf(t, key, typed.Key, "Key of the error %v", err)
}

// brief describes content that may be long.
func brief(body []byte) string {
	const most = 60
	if len(body) <= most {
		return fmt.Sprintf("%q", body)
	}
	return fmt.Sprintf("%d bytes starting %q", len(body), body[:most])
}

// bodyOf returns size bytes that differ from those of another name.
func bodyOf(name string, size int) []byte {
	return []byte(strings.Repeat(name+"\n", size/(len(name)+1)+1)[:size])
}
