package processes_test

import (
	"context"
	"maps"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/integration/bench/processes"
	"github.com/lancecommit/lancecommit/integration/servers"
	"github.com/lancecommit/lancecommit/naming"
)

// eachPlace runs a test with a table on disk and on each chosen server.
func eachPlace(t *testing.T, test func(t *testing.T, location string, options map[string]string)) {
	t.Run("disk", func(t *testing.T) { test(t, "file://"+filepath.ToSlash(t.TempDir()), nil) })
	for _, kind := range servers.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			server := servers.Require(t, kind)
			options := maps.Clone(server.StorageOptions())
			if kind == servers.FakeGCS {
				options = map[string]string{"google_base_url": server.Endpoint, "allow_http": "true"}
			}
			test(t, server.URI(server.Bucket(t))+"/db/t.lance", options)
		})
	}
}

func TestWhatTheProcessesCountIsInTheTable(t *testing.T) {
	eachPlace(t, func(t *testing.T, location string, options map[string]string) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		result, err := processes.Run(ctx, processes.Config{
			Location: location, Options: options, Processes: 3, Goroutines: 2, For: time.Second,
		})
		require.NoError(t, err)
		require.Empty(t, result.Errors)
		require.Len(t, result.Commits, 3)
		t.Logf("%+v", result)

		opened, root, err := all.Open(ctx, location, options)
		require.NoError(t, err)
		defer opened.Close()
		latest, err := committer.NewTable(opened, root).Latest(ctx)
		require.NoError(t, err)
		require.EqualValues(t, result.Total(), latest.Number, "each commit is a version, and there are no others")
		require.Positive(t, result.InTime)
		require.Less(t, result.InTime, result.Total(), "each goroutine ends with an update that was under way")
		require.GreaterOrEqual(t, result.PUTs, result.Total())
		require.Positive(t, result.P50)
		require.GreaterOrEqual(t, result.P99, result.P50)
	})
}

func TestWhatCannotRunIsAnErrorThatSaysWhy(t *testing.T) {
	config := processes.Config{Location: "file://" + filepath.ToSlash(t.TempDir()), Processes: 2, Goroutines: 1, For: time.Second}

	absent := config
	absent.Location += "/absent"
	_, err := processes.Run(t.Context(), absent)
	require.ErrorContains(t, err, "absent")

	nobody := config
	nobody.Processes = 0
	_, err = processes.Run(t.Context(), nobody)
	require.ErrorContains(t, err, "0 processes")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = processes.Run(ctx, config)
	require.ErrorIs(t, err, context.Canceled)
}

// No version can follow the last one.
func TestUpdatesThatFailAreInTheResult(t *testing.T) {
	location := t.TempDir()
	opened, root, err := all.Open(t.Context(), location, nil)
	require.NoError(t, err)
	defer opened.Close()
	_, err = opened.PutIfAbsent(t.Context(), naming.Versions(root)+naming.V2.Final(naming.MaxVersion), nil, backends.PutOptions{})
	require.NoError(t, err)

	result, err := processes.Run(t.Context(), processes.Config{Location: location, Processes: 1, Goroutines: 2, For: time.Minute})
	require.NoError(t, err)
	require.Len(t, result.Errors, 2, "one of each goroutine")
	require.Zero(t, result.Total())
	require.Zero(t, result.Share())
}
