//go:build linux || darwin

package memory_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lancecommit/lancecommit/integration/bench/memory"
)

func TestMain(m *testing.M) {
	memory.Main()
	goleak.VerifyTestMain(m)
}

const size = 8 << 20

func TestTheManifestIsInThePeak(t *testing.T) {
	dir := t.TempDir()
	r, err := memory.Peak(t.Context(), memory.Config{Location: dir, Size: size})
	require.NoError(t, err)
	require.Positive(t, r.Base)
	// What a process has without it differs by a MiB or two, since much of that is
	// pages of its executable. Without the manifest there would be nothing else.
	require.Greater(t, r.Growth(size), 0.5, "the manifest is in memory: %d beyond %d", r.Peak, r.Base)

	tables, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, table := range tables {
		left, err := os.ReadDir(dir + "/" + table.Name() + "/_versions")
		require.NoError(t, err)
		require.Empty(t, left, "what was made is removed")
	}
}

func TestAFailureOfTheProcessIsSaid(t *testing.T) {
	_, err := memory.Peak(t.Context(), memory.Config{Location: t.TempDir() + "/missing", Size: size})
	require.Error(t, err)
}
