package servers

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAzuritesLockFilePinsEveryPackageAndNamesNoRegistry(t *testing.T) {
	require.NotContains(t, string(azuriteLock), "://")
	var lock struct {
		Packages map[string]struct{ Version, Resolved, Integrity string }
	}
	require.NoError(t, json.Unmarshal(azuriteLock, &lock))
	require.Equal(t, azuriteVersion, lock.Packages["node_modules/azurite"].Version)
	require.NotContains(t, lock.Packages, "node_modules/applicationinsights", "telemetry")
	for name, pinned := range lock.Packages {
		if name != "" {
			require.NotEmpty(t, pinned.Integrity, name)
			require.Empty(t, pinned.Resolved, name)
		}
	}
}

func TestInstallationsAtOnceBuildOnceAndLeaveOneCompleteFolder(t *testing.T) {
	cache := t.TempDir()
	folder := filepath.Join(cache, "server-v1")
	var builds atomic.Int32
	build := func(_ context.Context, work string) error {
		builds.Add(1)
		time.Sleep(50 * time.Millisecond) // the others are to come meanwhile
		return os.WriteFile(filepath.Join(work, "server"), nil, 0o777)
	}
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		all.Go(func() { errs[i] = installOnce(t.Context(), folder, build) })
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	require.EqualValues(t, 1, builds.Load())
	require.Equal(t, []string{"server-v1", "server-v1.lock"}, names(t, cache))
	require.Equal(t, []string{"server"}, names(t, folder))
}

func TestAFailedInstallationLeavesNothingAndIsMadeAgain(t *testing.T) {
	cache := t.TempDir()
	folder := filepath.Join(cache, "server-v1")
	broken := errors.New("broken")
	err := installOnce(t.Context(), folder, func(_ context.Context, work string) error {
		require.NoError(t, os.WriteFile(filepath.Join(work, "half"), nil, 0o666))
		return broken
	})
	require.ErrorIs(t, err, broken)
	require.Equal(t, []string{"server-v1.lock"}, names(t, cache))

	require.NoError(t, installOnce(t.Context(), folder, func(context.Context, string) error { return nil }))
	require.DirExists(t, folder)
}

func TestInstallationThatWaitsForAnotherEndsWithItsContext(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "server-v1")
	unlock, err := lock(t.Context(), folder+".lock")
	require.NoError(t, err)
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, installOnce(ctx, folder, nil), context.Canceled)
}

func TestInstallRefusesAnAzuriteMadeFromAnotherLockFile(t *testing.T) {
	module := moduleFolder(t)
	t.Chdir(module)
	folder := filepath.Join(module, "integration", ".cache", "servers", "azurite-"+azuriteVersion)
	require.NoError(t, os.MkdirAll(folder, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "package-lock.json"), []byte("{}"), 0o666))
	_, err := Install(t.Context(), Azurite)
	require.ErrorContains(t, err, folder)
	require.ErrorContains(t, err, "remove that folder")
}

// moduleFolder is the root of a module of this name, with nothing installed.
func moduleFolder(t *testing.T) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module github.com/lancecommit/lancecommit\n"), 0o666))
	return folder
}

func names(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
