package all

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
)

func TestATimeIsWrittenAsLanceDoesIt(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"30s": 30 * time.Second, "5 m": 5 * time.Minute, "1m30s": 90 * time.Second, "1m 30s": 90 * time.Second, "500ms": time.Second / 2,
		"2 minutes": 2 * time.Minute, "10 Seconds": 10 * time.Second, " 1h ": time.Hour,
	} {
		got, err := parseDuration(value)
		require.NoError(t, err, value)
		require.Equal(t, want, got, value)
	}
	for _, value := range []string{"0s", "-1s", "30", "s", "SECRET", "1 fortnight", "1s SECRET", "999999999h999999999h"} {
		_, _, err := Open(t.Context(), "gs://bucket/t", env{"timeout": value, "anonymous": "true"})
		require.ErrorIs(t, err, backends.ErrInvalid, value)
		require.ErrorContains(t, err, "the option timeout is no time; write it as 30s", value)
	}
}

// silent answers no request until the test is over, and counts them.
func silent(t *testing.T) (url string, arrived *atomic.Int64) {
	over := make(chan struct{})
	arrived = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived.Add(1)
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(over) })
	return server.URL, arrived
}

func TestNoCallTakesLongerThanTheTimeout(t *testing.T) {
	url, arrived := silent(t)
	for location, options := range map[string]env{
		"s3://bucket/t": {"endpoint": url, "region": "r", "access_key_id": "i", "secret_access_key": "s"},
		"gs://bucket/t": {"endpoint": url},
		"az://box/t":    {"endpoint": url + "/acct", "account_name": "acct", "account_key": "c2VjcmV0"},
	} {
		options["allow_http"], options["timeout"] = "true", "100ms"
		store, _, err := Open(t.Context(), location, options)
		require.NoError(t, err, location)
		over, overwrites := store.(backends.Overwriter)
		bulk, deletes := store.(backends.BulkDeleter)
		require.Equal(t, location[:2] == "s3", overwrites, location)
		require.Equal(t, location[:2] != "gs", deletes, location)
		require.NotEmpty(t, store.(backends.Located).URLs(), location)

		calls := map[string]func(ctx context.Context) error{
			"put": func(ctx context.Context) error {
				_, err := store.PutIfAbsent(ctx, "k", nil, backends.PutOptions{})
				return err
			},
			"get":    func(ctx context.Context) error { _, _, err := store.Get(ctx, "k"); return err },
			"head":   func(ctx context.Context) error { _, err := store.Head(ctx, "k"); return err },
			"list":   func(ctx context.Context) error { _, err := store.List(ctx, backends.ListInput{}); return err },
			"delete": func(ctx context.Context) error { return store.Delete(ctx, "k") },
		}
		if overwrites {
			calls["overwrite"] = func(ctx context.Context) error { return over.Overwrite(ctx, "k", nil) }
		}
		if deletes {
			require.Positive(t, bulk.BulkLimit())
			calls["bulk delete"] = func(ctx context.Context) error { return bulk.BulkDelete(ctx, []string{"k"}) }
		}
		for name, call := range calls {
			// Without the timeout the call would end with the test.
			before := arrived.Load()
			err := call(t.Context())
			require.ErrorIs(t, err, context.DeadlineExceeded, "%s %s", location, name)
			require.ErrorContains(t, err, "the option timeout is 100ms", name)
			// On a busy machine the time can be over before anything is sent.
			if arrived.Load() > before {
				require.False(t, backends.IsDefinite(err), "%s %s: it reached the store", location, name)
			}
		}
		require.NoError(t, store.Close())
	}
	require.Positive(t, arrived.Load())
}

func TestATimeoutChangesNothingElse(t *testing.T) {
	store := within(closing{memory.New(memory.Options{})}, time.Minute)
	ctx, end := context.WithCancel(t.Context())
	_, err := store.PutIfAbsent(ctx, "k", []byte("body"), backends.PutOptions{})
	require.NoError(t, err)
	body, _, err := store.Get(ctx, "k")
	require.NoError(t, err)
	require.Equal(t, "body", string(body))
	_, err = store.PutIfAbsent(ctx, "k", nil, backends.PutOptions{})
	require.ErrorIs(t, err, backends.ErrExists)
	end()
	_, err = store.Head(ctx, "k")
	require.ErrorIs(t, err, context.Canceled)
	require.NotContains(t, err.Error(), "timeout")
	require.NoError(t, store.Close())
}

// closing is a store in memory that is closed as others are.
type closing struct{ *memory.Store }

func (closing) Close() error { return nil }
