package backendtest

import (
	"context"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// overwriting has the rules of stores that are a backends.Overwriter.
var overwriting = []rule{
	{"an overwrite replaces the whole content", func(ctx context.Context, t reporter, s subject) {
		store, ok := s.Store.(backends.Overwriter)
		if !ok {
			return
		}
		const key = "t/_versions/latest_version_hint.json"
		etags := make(map[string]bool)
		for _, body := range []string{`{"version":9}`, `{"version":10}`, `{"version":1}`, ``, `{"version":1000}`} {
			require.NoError(t, store.Overwrite(ctx, key, []byte(body)))
			etags[s.holds(ctx, t, key, []byte(body)).ETag] = true
			s.lists(ctx, t, in("t/_versions/"), key)
		}
		require.Len(t, etags, 5, "ETags after 5 contents")
	}},
	{"an overwrite of a malformed key or with a cancelled context writes nothing", func(ctx context.Context, t reporter, s subject) {
		store, ok := s.Store.(backends.Overwriter)
		if !ok {
			return
		}
		for _, key := range badKeys {
			wantError(t, store.Overwrite(ctx, key, nil), "overwrite", key, backends.ErrInvalid)
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		wantError(t, store.Overwrite(ended, "t/key", nil), "overwrite", "t/key", context.Canceled)
		s.nothingAt(ctx, t)
	}},
}
