package bench_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/internal/bench"
)

func TestAManifestIsPaddedToASize(t *testing.T) {
	body := small(t).Manifest
	before, err := manifest.Inspect(body)
	require.NoError(t, err)
	for _, size := range []int{len(body) + 20, 700, 1000, 5000, 16_900, 100_000, 3 << 20} {
		padded, err := bench.Padded(body, size)
		require.NoError(t, err)
		require.LessOrEqual(t, len(padded), size)
		require.GreaterOrEqual(t, len(padded), size-3, "the lengths in front of the text grow in steps")
		after, err := manifest.Inspect(padded)
		require.NoError(t, err)
		require.Equal(t, before.Version, after.Version)
		_, err = manifest.WithVersion(padded, 1<<40)
		require.NoError(t, err)
	}
	for _, size := range []int{len(body), len(body) + 1} {
		same, err := bench.Padded(body, size)
		require.NoError(t, err)
		require.Equal(t, body, same)
	}
	for _, size := range []int{-1, 0, len(body) - 1, bench.MostManifest + 1, math.MaxInt} {
		_, err = bench.Padded(body, size)
		require.ErrorIs(t, err, committer.ErrInvalid)
	}
	_, err = bench.Padded([]byte("no manifest"), 1000)
	require.ErrorIs(t, err, committer.ErrInvalid)
}
