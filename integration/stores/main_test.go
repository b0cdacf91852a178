package stores_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/integration/servers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(servers.StopAfter(m)) }

// A place is somewhere that stores can be opened in.
type place struct {
	// open returns a new store, empty, closed with the test.
	open func(t testing.TB) backends.Store
}

// eachPlace runs a test in memory, on disk, and on each chosen server.
func eachPlace(t *testing.T, test func(t *testing.T, at place)) {
	t.Run("memory", func(t *testing.T) {
		test(t, place{open: func(testing.TB) backends.Store { return memory.New(memory.Options{}) }})
	})
	t.Run("disk", func(t *testing.T) {
		test(t, place{open: func(t testing.TB) backends.Store { return openAt(t, t.TempDir(), nil) }})
	})
	eachServer(t, func(t *testing.T, server *servers.Server) {
		test(t, place{open: func(t testing.TB) backends.Store {
			return openAt(t, server.URI(server.Bucket(t)), optionsOf(server))
		}})
	})
}

// eachServer runs a test on each chosen server.
func eachServer(t *testing.T, test func(t *testing.T, server *servers.Server)) {
	for _, kind := range servers.Kinds() {
		t.Run(string(kind), func(t *testing.T) { test(t, servers.Require(t, kind)) })
	}
}

// optionsOf returns the storage options for a server.
func optionsOf(server *servers.Server) map[string]string {
	if server.Kind == servers.FakeGCS {
		return map[string]string{"google_base_url": server.Endpoint, "allow_http": "true"}
	}
	return maps.Clone(server.StorageOptions())
}

func openAt(t testing.TB, location string, options map[string]string) backends.Store {
	t.Helper()
	store, key, err := all.Open(t.Context(), location, options)
	require.NoError(t, err)
	require.Empty(t, key)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// withDeadline bounds a test, so that a hang is a failure that says where.
func withDeadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	return ctx
}
