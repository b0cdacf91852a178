package stores_test

import (
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/integration/fixtures"
	"github.com/lancecommit/lancecommit/internal/bench"
)

func TestEveryStoreIsMeasuredAndLeftAsItWas(t *testing.T) {
	eachOpened(t, func(t *testing.T, handles []backends.Store, root string) {
		table := fixtures.V2()
		body, err := fs.ReadFile(table.FS, table.Main.Staged)
		require.NoError(t, err)
		report, err := bench.Run(withDeadline(t), bench.Config{
			Root: root, Stores: handles, Manifest: body, Writers: []int{1, 8}, For: 4 * time.Second, MaxObjects: bench.MinObjects,
		})
		require.NoError(t, err)

		hint := 0.0
		if !handles[0].Capabilities().OrderedList {
			hint = 1
		}
		ops := report.Operations
		require.Positive(t, ops.Put.N)
		require.Equal(t, bench.Requests{Put: 1}, ops.Put.Requests)
		require.Equal(t, bench.Requests{Put: 1, Hint: hint}, ops.Commit.Requests)
		require.Equal(t, bench.Requests{List: 1}, ops.LatestCold.Requests)
		require.Equal(t, bench.Requests{Head: 1}, ops.LatestWarm.Requests)
		require.Len(t, report.Contention, 4)
		for _, c := range report.Contention {
			require.Positive(t, c.Commits)
			require.Positive(t, c.PerSecond)
			require.Zero(t, c.Failed)
			if c.Form == bench.OneHandle || c.Writers == 1 {
				require.Equal(t, 1.0, c.Requests.Put)
			}
		}
		require.LessOrEqual(t, report.Objects, bench.MinObjects)
		require.Empty(t, report.Left)
		require.Empty(t, allKeys(t, handles[0], root))
	})
}
