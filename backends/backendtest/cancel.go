package backendtest

import (
	"context"
	"errors"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// cancelling has the rules of contexts that ended before the call.
var cancelling = []rule{
	{"a create whose context was cancelled writes nothing and says so", func(ctx context.Context, t reporter, s subject) {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		s.refuses(ended, t, "t/key", []byte("body"), backends.PutOptions{}, context.Canceled)
		s.nothingAt(ctx, t)
	}},
	{"a create whose deadline has passed writes nothing and says so", func(ctx context.Context, t reporter, s subject) {
		ended, cancel := context.WithDeadline(ctx, time.Unix(1, 0))
		defer cancel()
		s.refuses(ended, t, "t/key", []byte("body"), backends.PutOptions{}, context.DeadlineExceeded)
		s.nothingAt(ctx, t)
	}},
	{"a call whose context was cancelled fails with its error", func(ctx context.Context, t reporter, s subject) {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		s.putAll(ctx, t, "t/key")
		_, _, err := s.Get(ended, "t/key")
		wantError(t, err, "get", "t/key", context.Canceled)
		_, err = s.Head(ended, "t/key")
		wantError(t, err, "head", "t/key", context.Canceled)
		_, err = s.Head(ended, "t/absent")
		wantError(t, err, "head", "t/absent", context.Canceled)
		require.False(t, errors.Is(err, backends.ErrNotExist), "a store that was not asked cannot say that a key is absent")
		_, err = s.List(ended, in("t/"))
		wantError(t, err, "list", "t/", context.Canceled)
		err = s.Delete(ended, "t/key")
		wantError(t, err, "delete", "t/key", context.Canceled)
		s.holds(ctx, t, "t/key", []byte("t/key"))
	}},
}

func (s subject) nothingAt(ctx context.Context, t reporter) {
	t.Helper()
	s.lacks(ctx, t, "t/key")
	objects, _ := s.listAll(ctx, t, in("t/"))
	require.Empty(t, keysOf(objects), "what the create left")
}
