//go:build linux || darwin

package crash

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// layVersions commits the first versions of a table.
func (w *watched) layVersions(t *testing.T, n int) {
	t.Helper()
	for call := 1; call <= n; call++ {
		w.requireCommits(t, "laid", call)
	}
}

// requireCommits commits the bytes of a call as the next version.
func (w *watched) requireCommits(t *testing.T, id string, call int) {
	t.Helper()
	_, err := w.examine(false)
	require.NoError(t, err)
	next := uint64(len(w.versions)) + 1
	require.NoError(t, w.commits(t, id, call, next))
	w.told[next] = commitOf(id, call)
	delete(w.never, commitAt(w.told[next], next))
	_, err = w.examine(false)
	require.NoError(t, err)
	require.NoError(t, w.keepsPromises())
}

func (w *watched) commits(t *testing.T, id string, call int, version uint64) error {
	return w.handle(func(table *committer.Table) error {
		_, err := table.Commit(t.Context(), version, bodyOf(id, call, version))
		return err
	})
}

func (w *watched) layHint(t *testing.T, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(w.folder(), naming.Hint), []byte(text), 0o666))
}
