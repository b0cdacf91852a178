//go:build linux || darwin

package crash

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

// requireWhole looks at a table whose writers are all dead: every byte, the
// listing, the sweep, and the next commit.
func (w *watched) requireWhole(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	temporary, err := w.examine(true)
	require.NoError(t, err)
	require.NoError(t, w.keepsPromises())
	require.NoError(t, w.lists(ctx))
	require.NoError(t, w.sweepsNothing(ctx))
	for _, info := range temporary {
		require.Truef(t, w.leftovers[info.Name()], "%s is no leftover of a killed writer", info.Name())
	}
	require.Len(t, temporary, len(w.leftovers), "leftovers that nobody swept")

	w.requireNextAtOnce(t)
	w.requireSwept(t)
}

// requireNextAtOnce has a new handle commit: there is no lock to break and no
// time to wait for.
func (w *watched) requireNextAtOnce(t *testing.T) {
	t.Helper()
	store, err := file.Open(w.Dir)
	require.NoError(t, err)
	defer store.Close()
	log := new(intercept.Log)
	table := committer.NewTable(intercept.Wrap(store, log.Around), w.Root,
		committer.WithScheme(w.Scheme), committer.WithVersionHint(true))
	next := uint64(len(w.versions)) + 1
	_, err = table.Commit(t.Context(), next, bodyOf("next", 1, next))
	require.NoError(t, err)
	require.Equal(t, []string{"LIST _versions 0", "PUT " + w.Scheme.Final(next), "OVERWRITE " + naming.Hint}, log.Take())
	_, err = w.examine(false)
	require.NoError(t, err)
	hint, err := os.ReadFile(filepath.Join(w.folder(), naming.Hint))
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf(`{"version":%d}`, next), string(hint), "whatever a kill left of the hint")
}

// requireSwept makes every second leftover old and has these swept, then the
// others.
func (w *watched) requireSwept(t *testing.T) {
	t.Helper()
	names := []string{}
	for name := range w.leftovers {
		names = append(names, name)
	}
	slices.Sort(names)
	old, young := names[:len(names)/2], names[len(names)/2:]
	for _, names := range [][]string{old, young} {
		want := []string{}
		for _, name := range names {
			long := time.Now().Add(-sweepAge - time.Hour)
			require.NoError(t, os.Chtimes(filepath.Join(w.folder(), name), long, long))
			want = append(want, naming.Versions(w.Root)+name)
		}
		require.NoError(t, w.handle(func(table *committer.Table) error {
			result, err := table.Sweep(t.Context(), sweepAge, committer.SweepOptions{})
			swept := []string{}
			for _, object := range result.Removed {
				swept = append(swept, object.Key)
			}
			require.ElementsMatch(t, want, swept, "the old leftovers and nothing else")
			return err
		}))
	}
	temporary, err := w.examine(true)
	require.NoError(t, errors.Join(err, w.keepsPromises(), w.lists(t.Context())))
	require.Empty(t, temporary)
}
