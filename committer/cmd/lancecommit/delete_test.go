package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/integration/fixtures"
)

// deletedJSON is what delete --json prints.
type deletedJSON struct {
	DeletedCount int `json:"deleted_count"`
	Kept         []struct {
		Version      uint64
		Reason, Name string
	}
}

// age makes everything in a table's folder older.
func age(t *testing.T, table string, by time.Duration) {
	t.Helper()
	then := time.Now().Add(-by)
	require.NoError(t, filepath.WalkDir(table, func(path string, _ os.DirEntry, err error) error {
		require.NoError(t, err)
		return os.Chtimes(path, then, then)
	}))
}

func TestDeleteKeepsWhatIsNeededAndSaysSo(t *testing.T) {
	fixture := fixtures.Branch() // version 2 is tagged, 3 is a fork point, 4 the latest
	table := layFixture(t, fixture)
	age(t, table, 2*time.Hour)
	dry := parse[deletedJSON](t, call(t, "delete", table, "0:", "--dry-run", "--json"))
	require.Equal(t, 1, dry.DeletedCount)
	require.Equal(t, 4, finals(t, table))

	got := parse[deletedJSON](t, call(t, "delete", table, "0:", "--json"))
	require.Equal(t, 1, got.DeletedCount)
	require.Len(t, got.Kept, 3)
	require.Equal(t, "baseline", got.Kept[0].Name)
	require.Equal(t, "exp/one", got.Kept[1].Name)
	require.Equal(t, "latest", got.Kept[2].Reason)
	require.Equal(t, 3, finals(t, table))

	forced := call(t, "delete", table, ":3", "3:4", "4", "--force")
	require.Equal(t, exitOK, forced.code, forced.err)
	require.Contains(t, forced.out, "2 versions deleted, 1 kept")
	require.Equal(t, 1, finals(t, table))
}

func TestDeleteKeepsYoungVersions(t *testing.T) {
	table := layFixture(t, fixtures.V1())
	got := parse[deletedJSON](t, call(t, "delete", table, "1:11", "--json"))
	require.Zero(t, got.DeletedCount)
	require.Len(t, got.Kept, 10)
	age(t, table, 2*time.Hour)
	got = parse[deletedJSON](t, call(t, "delete", table, "1:11", "--json"))
	require.Equal(t, 10, got.DeletedCount)
}

func TestDeleteRefusesRangesThatMakeNoSense(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	for _, text := range []string{"", "x", "3:2", "2:2", "1:1000000000000", "1-2", "1:2:3", ":-1", "99999999999999999999", "9223372036854775807"} {
		got := call(t, "delete", table, text)
		require.Equal(t, exitInvalid, got.code, "%q: %s", text, got.err)
		require.Contains(t, got.err, "the latest version is 2", text)
	}
	require.Equal(t, exitInvalid, call(t, "delete", table).code)
	require.Equal(t, 2, finals(t, table))
}

func TestSweepRemovesOldLeftoversAndNoOthers(t *testing.T) {
	fixture := fixtures.V2()
	table := layFixture(t, fixture)
	above := filepath.Join(filepath.Dir(table), fixture.Main.Staged) // version 3 is not there
	below := filepath.Join(table, "_versions", "18446744073709551613.manifest-00000000-0000-4000-8000-000000000000")
	young := filepath.Join(table, "_versions", "18446744073709551613.manifest-00000000-0000-4000-8000-000000000001")
	require.NoError(t, os.WriteFile(below, []byte("left"), 0o666))
	age(t, table, 8*24*time.Hour)
	require.NoError(t, os.WriteFile(young, []byte("left"), 0o666))

	dry := call(t, "sweep", table, "--dry-run")
	require.Equal(t, exitOK, dry.code, dry.err)
	require.Contains(t, dry.out, "1 leftover would be deleted, 4 bytes; 2 kept")
	require.FileExists(t, below)

	type report struct {
		Removed []sweptJSON `json:"removed"`
		Kept    []sweptJSON `json:"kept"`
	}
	got := parse[report](t, call(t, "sweep", table, "--older-than", "168h", "--json"))
	require.Len(t, got.Removed, 1)
	require.Len(t, got.Kept, 2)
	require.NoFileExists(t, below)
	require.FileExists(t, above)
	require.FileExists(t, young)
	require.Equal(t, 2, finals(t, table))

	require.Equal(t, exitInvalid, call(t, "sweep", table, "--older-than", "1h").code)
}
