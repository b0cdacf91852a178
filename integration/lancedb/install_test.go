package lancedb

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLockFilePinsEveryPackageAndNamesNoRegistry(t *testing.T) {
	content, err := os.ReadFile(lockFile)
	require.NoError(t, err)
	require.NotContains(t, string(content), "http")

	var lock struct {
		Packages map[string]struct{ Version, Resolved, Integrity string }
	}
	require.NoError(t, json.Unmarshal(content, &lock))
	require.Equal(t, Version, lock.Packages["node_modules/@lancedb/lancedb"].Version)
	for name, pinned := range lock.Packages {
		if name != "" {
			require.NotEmpty(t, pinned.Integrity, name)
			require.Empty(t, pinned.Resolved, name)
		}
	}
}

func TestRequireWithoutTheVariableSkipsInOneLineThatSaysHowToTurnItOn(t *testing.T) {
	t.Setenv(EnvEnable, "")
	seen := outcomeOf(t, func(t testing.TB) { Require(t) })
	require.Equal(t, outcome{skipped: "needs LanceDB from npm: set LANCECOMMIT_LANCEDB=1"}, seen)
}

func TestRequireWithTheVariableFailsWhenLanceDBCannotBeHad(t *testing.T) {
	t.Setenv(EnvEnable, "1")
	t.Setenv("PATH", t.TempDir())
	t.Chdir(moduleWithoutDependencies(t))
	seen := outcomeOf(t, func(t testing.TB) { Require(t) })
	require.Empty(t, seen.skipped)
	require.Contains(t, seen.fatal, "npm")
}

func TestInstallsAtOnceLeaveOneCompleteFolder(t *testing.T) {
	Require(t)
	module := moduleWithoutDependencies(t)
	t.Chdir(module)
	want := filepath.Join(module, "integration", ".cache", "lancedb-"+Version)

	var all sync.WaitGroup
	folders, errs := make([]string, 4), make([]error, 4)
	for i := range folders {
		all.Go(func() { folders[i], errs[i] = Install(t.Context()) })
	}
	all.Wait()
	for i := range folders {
		require.NoError(t, errs[i])
		require.Equal(t, want, folders[i])
	}
	left, err := os.ReadDir(filepath.Dir(want))
	require.NoError(t, err)
	require.Len(t, left, 1, "no half-made folder stays")
	require.FileExists(t, filepath.Join(want, lockFile))
}

func TestInstallRefusesAFolderMadeFromAnotherLockFile(t *testing.T) {
	module := moduleWithoutDependencies(t)
	t.Chdir(module)
	folder := filepath.Join(module, "integration", ".cache", "lancedb-"+Version)
	require.NoError(t, os.MkdirAll(folder, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(folder, lockFile), []byte("{}"), 0o666))
	_, err := Install(t.Context())
	require.ErrorContains(t, err, folder)
	require.ErrorContains(t, err, "remove that folder")
}

// moduleWithoutDependencies makes a module whose package.json asks for nothing,
// so that npm works for real and needs no network.
func moduleWithoutDependencies(t *testing.T) (folder string) {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	source := filepath.Join(folder, "integration", "lancedb")
	require.NoError(t, os.MkdirAll(source, 0o777))
	for name, content := range map[string]string{
		filepath.Join(folder, "go.mod"):       "module github.com/lancecommit/lancecommit\n",
		filepath.Join(source, "package.json"): `{"name":"none","version":"0.0.0"}`,
		filepath.Join(source, lockFile):       `{"name":"none","version":"0.0.0","lockfileVersion":3,"packages":{"":{"name":"none","version":"0.0.0"}}}`,
	} {
		require.NoError(t, os.WriteFile(name, []byte(content), 0o666))
	}
	return folder
}

// outcome is how a test function ended: by a skip, by a failure, or by neither.
type outcome struct{ skipped, fatal string }

type recordingTB struct {
	testing.TB
	outcome
}

func (r *recordingTB) Skip(args ...any) {
	r.skipped = strings.TrimSpace(fmt.Sprintln(args...))
	runtime.Goexit()
}

func (r *recordingTB) Fatalf(format string, args ...any) {
	r.fatal = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func outcomeOf(t *testing.T, test func(testing.TB)) outcome {
	recording := &recordingTB{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(recording)
	}()
	<-done
	return recording.outcome
}
