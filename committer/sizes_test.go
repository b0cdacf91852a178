package committer_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

func TestAFalseManifestSizeCostsNoMemory(t *testing.T) {
	store := laid(1)
	staged := naming.Staging(naming.Versions(root)+naming.V2.Final(2), "6ba7b810-9dad-41d1-80b4-00c04fd430c8")
	_, err := store.PutIfAbsent(t.Context(), staged, manifestOf(2, "staged"), backends.PutOptions{})
	require.NoError(t, err)
	size := int64(1 << 30)

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = committer.NewNamespace(store, root, committer.AtTable()).CreateTableVersion(t.Context(), &committer.CreateTableVersionRequest{
		Version: 2, ManifestPath: staged, ManifestSize: &size,
	})
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, committer.ErrInvalid)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}
