package backendtest

import (
	"context"
	"io/fs"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// reading has the rules of Get and Head.
var reading = []rule{
	{"an object above the limit of a read is refused", func(ctx context.Context, t reporter, s subject) {
		s.put(ctx, t, "t/key", []byte("content"))
		body, _, err := s.Get(backends.WithReadLimit(ctx, 6), "t/key")
		wantError(t, err, "get", "t/key", backends.ErrTooLarge)
		require.Empty(t, body)
		body, _, err = s.Get(backends.WithReadLimit(ctx, 7), "t/key")
		require.NoError(t, err)
		require.Equal(t, []byte("content"), body)
	}},
	{"an absent key is ErrNotExist", func(ctx context.Context, t reporter, s subject) {
		for _, key := range []string{"key", "t/key", "t/folder/key"} {
			s.lacks(ctx, t, key)
		}
		s.putAll(ctx, t, "t/folder/key")
		for _, key := range []string{"t", "t/folder", "t/folder/ke", "t/folder/key2", "t/folder/key/below"} {
			s.lacks(ctx, t, key)
		}
		_, err := s.Head(ctx, "t/folder/key2")
		require.ErrorIs(t, err, fs.ErrNotExist)
		_, _, err = s.Get(ctx, "t/folder/key2")
		require.ErrorIs(t, err, fs.ErrNotExist)
	}},
	{"content that was read belongs to the caller", func(ctx context.Context, t reporter, s subject) {
		s.put(ctx, t, "t/key", []byte("content"))
		body, _, err := s.Get(ctx, "t/key")
		require.NoError(t, err)
		clear(body)
		s.holds(ctx, t, "t/key", []byte("content"))
	}},
}

// deleting has the rules of Delete.
var deleting = []rule{
	{"deleting an absent key is no error", func(ctx context.Context, t reporter, s subject) {
		require.NoError(t, s.Delete(ctx, "no/such/folder/key"))
		s.putAll(ctx, t, "t/key")
		require.NoError(t, s.Delete(ctx, "t/other"))
		require.NoError(t, s.Delete(ctx, "t/key"))
		require.NoError(t, s.Delete(ctx, "t/key"), "the second time")
	}},
	{"a delete removes one object and nothing else", func(ctx context.Context, t reporter, s subject) {
		s.putAll(ctx, t, "t/a", "t/ab", "t/b", "t/f/a")
		require.NoError(t, s.Delete(ctx, "t/a"))
		s.lacks(ctx, t, "t/a")
		objects, prefixes := s.listAll(ctx, t, in("t/"))
		require.ElementsMatch(t, []string{"t/ab", "t/b"}, keysOf(objects))
		require.Equal(t, []string{"t/f/"}, prefixes)
		for _, key := range []string{"t/ab", "t/b", "t/f/a"} {
			s.holds(ctx, t, key, []byte(key))
		}
	}},
	{"deleting a folder removes nothing", func(ctx context.Context, t reporter, s subject) {
		s.putAll(ctx, t, "t/f/a")
		require.NoError(t, s.Delete(ctx, "t/f"))
		require.NoError(t, s.Delete(ctx, "t"))
		s.holds(ctx, t, "t/f/a", []byte("t/f/a"))
	}},
}
