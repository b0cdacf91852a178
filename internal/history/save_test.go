package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// wrongAt is a history of many versions in which one is seen with other bytes.
func wrongAt(version, versions uint64) []Operation {
	var operations []Operation
	for v := uint64(1); v <= versions; v++ {
		operations = append(operations, commit(v, "right", Done))
		if v == version {
			operations = append(operations, read(v-1, "wrong"))
		}
	}
	return inTurn(operations...)
}

func TestAFailedCheckIsSaved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	report := Check(wrongAt(500, 1000), time.Minute)
	require.False(t, report.OK())
	require.Len(t, report.Broken, 2)
	require.Contains(t, report.Broken[0], "version 499 has more than one content")
	require.Contains(t, report.Broken[1], "version 499 has bytes that nobody wrote")
	folder, err := report.Save()
	require.NoError(t, err)

	text, err := os.ReadFile(filepath.Join(folder, "history.txt"))
	require.NoError(t, err)
	require.Equal(t, 1001, strings.Count(string(text), "\n"), "all operations are in the text")
	require.Contains(t, string(text), "Read(499) done wrong")
	page, err := os.ReadFile(filepath.Join(folder, "history.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), "Read(499) done wrong")
}

func TestWhatIsShownIsSmallAndWrong(t *testing.T) {
	part, from := shrink(wrongAt(500, 1000))
	require.Less(t, len(part), 20)
	require.EqualValues(t, 500-4, from)
	require.Equal(t, "wrong", part[len(part)-1].Content, "the history ends where it goes wrong")
}
