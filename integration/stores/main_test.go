package stores_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/backends/backendtest"
	"github.com/lancecommit/lancecommit/integration/servers"
	"github.com/lancecommit/lancecommit/integration/stores/own"
)

func TestMain(m *testing.M) {
	backendtest.Child(openAddress)
	if own.Chosen() {
		// The SDKs keep what they like for a cloud: that of Google leaves its
		// connections open until they were idle for long.
		os.Exit(servers.StopAfter(m).Run())
	}
	goleak.VerifyTestMain(servers.StopAfter(m))
}

func openAt(t testing.TB, location string, options map[string]string) backends.Store {
	t.Helper()
	store, key, err := all.Open(t.Context(), location, options)
	require.NoError(t, err)
	require.Empty(t, key)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// withDeadline bounds a test, so that a hang is a failure that says where. A
// store of whoever runs the tests may be far away.
func withDeadline(t *testing.T) context.Context {
	limit := 4 * time.Minute
	if own.Chosen() {
		limit = 20 * time.Minute
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}
