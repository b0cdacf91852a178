package stores_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/integration/servers"
	"github.com/lancecommit/lancecommit/integration/stores/own"
)

// eachOpened runs a test with eight handles of one store, each with connections
// of its own where there are any, and with the key to work in.
func eachOpened(t *testing.T, test func(t *testing.T, handles []backends.Store, root string)) {
	opened := func(t *testing.T, location string, options map[string]string) {
		var handles []backends.Store
		var root string
		for range 8 {
			store, key, err := all.Open(t.Context(), location, options)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, store.Close()) })
			handles, root = append(handles, store), key
		}
		test(t, handles, root)
	}
	t.Run("memory", func(t *testing.T) {
		test(t, []backends.Store{memory.New(memory.Options{})}, "some/folder")
	})
	t.Run("disk", func(t *testing.T) { opened(t, t.TempDir(), nil) })
	eachServer(t, func(t *testing.T, server *servers.Server) {
		opened(t, server.URI(server.Bucket(t))+"/some/folder", optionsOf(server))
	})
	onOwn(t, func(t *testing.T, store *own.Store) {
		test(t, []backends.Store{store.Folder(t).Store}, "")
	})
}

func TestEveryStoreIsSafe(t *testing.T) {
	eachOpened(t, func(t *testing.T, handles []backends.Store, root string) {
		report, err := committer.Probe(withDeadline(t), handles[0], committer.ProbeOptions{Root: root, Others: handles[1:]})
		require.NoError(t, err)
		require.True(t, report.Safe(), "%+v", report)
		for _, f := range report.Findings[1:] {
			require.Equal(t, committer.ProbeNote, f.Level, "%+v", f)
		}
		require.Equal(t, 5, report.Figures.DecidedPairs)
		require.Equal(t, 20, report.Figures.DecidedRounds)
		require.Equal(t, len(handles), report.Figures.Connections)
		require.NotNil(t, report.Figures.ClockAhead)
		require.Empty(t, report.Left)
		require.Empty(t, allKeys(t, handles[0], root))
	})
}
