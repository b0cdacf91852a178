package backendtest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// creating has the rules of PutIfAbsent for one caller.
var creating = []rule{
	{"a created object has the bytes given", func(ctx context.Context, t reporter, s subject) {
		s.put(ctx, t, "t/one", []byte("one"))
		s.put(ctx, t, "t/two", []byte("two"))
		s.holds(ctx, t, "t/one", []byte("one"))
		s.holds(ctx, t, "t/two", []byte("two"))
	}},
	{"an empty body is an object", func(ctx context.Context, t reporter, s subject) {
		s.put(ctx, t, "t/empty", nil)
		s.holds(ctx, t, "t/empty", []byte{})
		require.Zero(t, s.head(ctx, t, "t/empty").Size)
		s.refuses(ctx, t, "t/empty", []byte("late"), backends.PutOptions{}, backends.ErrExists)
		s.refuses(ctx, t, "t/empty", nil, backends.PutOptions{}, backends.ErrExists)
	}},
	{"a body of 8 MiB comes back whole", func(ctx context.Context, t reporter, s subject) {
		body := bodyOf("large", 8<<20)
		s.put(ctx, t, "t/large", body)
		s.holds(ctx, t, "t/large", body)
	}},
	{"a second create is refused and changes nothing", func(ctx context.Context, t reporter, s subject) {
		first := []byte("the first content")
		s.put(ctx, t, "t/key", first)
		before := s.head(ctx, t, "t/key")
		for _, second := range []string{"the second, longer content", "short", "", string(first)} {
			_, err := s.PutIfAbsent(ctx, "t/key", []byte(second), backends.PutOptions{})
			wantError(t, err, "put", "t/key", backends.ErrExists)
			require.ErrorIs(t, err, fs.ErrExist)
			require.True(t, backends.IsDefinite(err), "ErrExists must be definite")
		}
		s.holds(ctx, t, "t/key", first)
		after := s.head(ctx, t, "t/key")
		require.Equal(t, before.ETag, after.ETag, "the ETag must not change")
		require.Equal(t, before.Size, after.Size)
		require.True(t, before.Modified.Equal(after.Modified), "Modified must not change: %v, then %v",
			before.Modified, after.Modified)
	}},
	{"a create of a key that was deleted succeeds", func(ctx context.Context, t reporter, s subject) {
		s.put(ctx, t, "t/key", []byte("first"))
		require.NoError(t, s.Delete(ctx, "t/key"))
		s.put(ctx, t, "t/key", []byte("second"))
		s.holds(ctx, t, "t/key", []byte("second"))
	}},
	{"the body belongs to the caller", func(ctx context.Context, t reporter, s subject) {
		body := []byte("as it was given")
		want := bytes.Clone(body)
		s.put(ctx, t, "t/key", body)
		require.Equal(t, want, body, "a create must not modify the body")
		clear(body)
		s.holds(ctx, t, "t/key", want)
	}},
	{"a key that is the folder of another key does no damage", func(ctx context.Context, t reporter, s subject) {
		s.put(ctx, t, "t/a", []byte("file"))
		s.eitherOrNothing(ctx, t, "t/a/b", []byte("below"))
		s.holds(ctx, t, "t/a", []byte("file"))
		s.put(ctx, t, "t/c/d", []byte("below"))
		s.eitherOrNothing(ctx, t, "t/c", []byte("above"))
		s.holds(ctx, t, "t/c/d", []byte("below"))
	}},
}

// eitherOrNothing allows a store to have no room for a key, as a disk where a
// file is in the way of a folder, provided that it says so and writes nothing.
func (s subject) eitherOrNothing(ctx context.Context, t reporter, key string, body []byte) {
	t.Helper()
	_, err := s.PutIfAbsent(ctx, key, body, backends.PutOptions{})
	if err == nil {
		s.holds(ctx, t, key, body)
		return
	}
	require.Truef(t, backends.IsDefinite(err), "a store that cannot hold %q must say that nothing was written: %v", key, err)
	var typed *backends.Error
	require.Truef(t, errors.As(err, &typed), "a *backends.Error, not %T", err)
	s.lacks(ctx, t, key)
}
