package backendtest

import (
	"context"
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// bulkDeleting has the rules of stores that are a backends.BulkDeleter.
var bulkDeleting = []rule{
	bulkRule("a bulk delete removes its keys and nothing else", func(ctx context.Context, t reporter, s subject, bulk backends.BulkDeleter) {
		s.putAll(ctx, t, "t/a", "t/ab", "t/b", "t/c", "t/f/a", "u/a")
		require.NoError(t, bulk.BulkDelete(ctx, []string{"t/a", "t/c", "t/f", "u/a"}))
		for _, key := range []string{"t/a", "t/c", "u/a"} {
			s.lacks(ctx, t, key)
		}
		for _, key := range []string{"t/ab", "t/b", "t/f/a"} {
			s.holds(ctx, t, key, []byte(key))
		}
		s.lists(ctx, t, in("t/"), "t/ab", "t/b", "t/f/")
	}),
	bulkRule("absent keys are no error to a bulk delete", func(ctx context.Context, t reporter, s subject, bulk backends.BulkDeleter) {
		s.putAll(ctx, t, "t/a", "t/b")
		for _, when := range []string{"the first time", "the second time"} {
			require.NoError(t, bulk.BulkDelete(ctx, []string{"t/absent", "t/a", "no/such/folder/key"}), when)
			s.lacks(ctx, t, "t/a")
		}
		require.NoError(t, bulk.BulkDelete(ctx, nil), "no keys")
		s.holds(ctx, t, "t/b", []byte("t/b"))
	}),
	bulkRule("a bulk delete takes as many keys as the store says and no more", func(ctx context.Context, t reporter, s subject, bulk backends.BulkDeleter) {
		limit := bulk.BulkLimit()
		require.Positive(t, limit)
		keys := make([]string, limit)
		for i := range keys {
			keys[i] = fmt.Sprintf("t/_versions/%d.manifest", i)
		}
		there := []string{keys[0], keys[limit/2], keys[limit-1]}
		s.putAll(ctx, t, there...)
		err := bulk.BulkDelete(ctx, append(slices.Clone(keys), "t/more"))
		wantError(t, err, "bulkdelete", keys[0], backends.ErrInvalid)
		s.lists(ctx, t, in("t/_versions/"), there...)
		require.NoError(t, bulk.BulkDelete(ctx, keys))
		s.lists(ctx, t, in("t/_versions/"))
	}),
	bulkRule("a bulk delete of a malformed key or with a cancelled context removes nothing", func(ctx context.Context, t reporter, s subject, bulk backends.BulkDeleter) {
		s.putAll(ctx, t, "t/key")
		for _, key := range badKeys {
			wantError(t, bulk.BulkDelete(ctx, []string{"t/key", key}), "bulkdelete", key, backends.ErrInvalid)
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		wantError(t, bulk.BulkDelete(ended, []string{"t/key"}), "bulkdelete", "t/key", context.Canceled)
		s.holds(ctx, t, "t/key", []byte("t/key"))
	}),
	bulkRule("a bulk delete takes odd keys as they are", func(ctx context.Context, t reporter, s subject, bulk backends.BulkDeleter) {
		var deleted, kept []string
		for _, part := range oddKeys {
			deleted, kept = append(deleted, oddKey(part)), append(kept, "kept/"+part)
		}
		s.putAll(ctx, t, deleted...)
		s.putAll(ctx, t, kept...)
		require.NoError(t, bulk.BulkDelete(ctx, deleted))
		s.lists(ctx, t, in("odd/"))
		s.lists(ctx, t, in("kept/"), kept...)
	}),
}

// bulkRule is a rule that stores without the upgrade pass.
func bulkRule(name string, check func(context.Context, reporter, subject, backends.BulkDeleter)) rule {
	return rule{name, func(ctx context.Context, t reporter, s subject) {
		if bulk, ok := s.Store.(backends.BulkDeleter); ok {
			check(ctx, t, s, bulk)
		}
	}}
}
