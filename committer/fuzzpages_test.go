package committer_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// Whatever names lie in _versions/, in pages of whatever size and order, the
// versions are those of the final names, and no other.
func FuzzPages(f *testing.F) {
	staged := naming.Staging(naming.V2.Final(4), "6ba7b810-9dad-41d1-80b4-00c04fd430c8")
	for _, names := range [][]string{
		{},
		{naming.V2.Final(1), naming.V2.Final(2), naming.V2.Final(3), staged},
		{"1.manifest", "2.manifest", "9.manifest", "10.manifest", "100.manifest", "x.manifest", "01.manifest"},
		{"1.manifest", naming.V2.Final(2)},
		{naming.Detached(1 << 63), ".tmp_7.manifest_x", "latest_version_hint.json", naming.V2.Final(9) + ".attrs"},
	} {
		f.Add(strings.Join(names, "\n"), uint8(3), false)
		f.Add(strings.Join(names, "\n"), uint8(0), true)
	}
	f.Fuzz(func(t *testing.T, names string, size uint8, unordered bool) {
		store := memory.New(memory.Options{PageSize: int(size), Unordered: unordered})
		want := []uint64{}
		schemes := make(map[naming.Scheme]bool)
		seen := make(map[string]bool)
		for name := range strings.SplitSeq(names, "\n") {
			if name == "" || strings.Contains(name, "/") || seen[name] {
				continue
			}
			seen[name] = true
			store.Inject(naming.Versions(root)+name, nil)
			if parsed := naming.Parse(name); parsed.Kind == naming.Final {
				want = append(want, parsed.Version)
				schemes[parsed.Scheme] = true
			}
		}
		slices.Sort(want)
		slices.Reverse(want)

		got := []uint64{}
		for v, err := range committer.NewTable(store, root).Versions(context.Background(), committer.VersionsOptions{}) {
			if len(schemes) > 1 && err != nil {
				require.ErrorIs(t, err, committer.ErrMixedSchemes)
				return
			}
			require.NoError(t, err)
			got = append(got, v.Number)
		}
		require.Less(t, len(schemes), 2, "a table of both schemes is refused")
		require.Equal(t, want, got)

		latest, err := committer.NewTable(store, root).Latest(context.Background())
		if len(want) == 0 {
			require.ErrorIs(t, err, committer.ErrTableNotFound)
			return
		}
		require.NoError(t, err)
		require.Equal(t, want[0], latest.Number)
	})
}
