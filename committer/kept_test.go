package committer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
)

func TestAManifestThatWasReadStaysAsItIsWhenTheNextIsCommitted(t *testing.T) {
	table := committer.NewTable(laid(1), root)
	second, third := manifestOf(2, "mine"), manifestOf(3, "next")
	v, err := table.Commit(t.Context(), 2, second)
	require.NoError(t, err)
	read, err := table.ReadManifest(t.Context(), v)
	require.NoError(t, err)
	_, err = table.Commit(t.Context(), 3, third)
	require.NoError(t, err)
	require.Equal(t, second, read)
	read, err = table.ReadManifest(t.Context(), v)
	require.NoError(t, err)
	require.Equal(t, second, read, "it is read from the store now")
}
