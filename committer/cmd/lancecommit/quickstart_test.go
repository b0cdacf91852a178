package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/integration/fixtures"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

// tree is the content of each file below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		files[path] = string(content)
		return err
	}))
	return files
}

func TestQuickstartCommitsAVersionAndRefusesAnother(t *testing.T) {
	for _, dir := range []string{"demo", "demo.lance", "deep/er/demo"} {
		dir := filepath.Join(t.TempDir(), dir)
		got := call(t, "quickstart", dir)
		require.Equal(t, exitOK, got.code, got.err)
		steps := []string{"\n1 ", "\n2 ", "Committed version 3", "refused", "version 3 exists with other bytes", "\n3 ", "\n2 ", "\n1 "}
		rest := got.out
		for _, step := range steps {
			_, after, found := strings.Cut(rest, step)
			require.True(t, found, "%q is missing, or not in its place, in:\n%s", step, got.out)
			rest = after
		}
		before := tree(t, dir)
		again := call(t, "quickstart", dir)
		require.Equal(t, exitOK, again.code, again.err)
		require.Contains(t, again.out, "was committed before")
		require.Equal(t, before, tree(t, dir), "a second run changes nothing")
	}
}

func TestQuickstartWithoutAFolderWorksInANewOne(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	first := parse[quickstartJSON](t, call(t, "quickstart", "--json"))
	second := parse[quickstartJSON](t, call(t, "quickstart", "--json"))
	require.NotEqual(t, first.Table, second.Table)
	require.EqualValues(t, 3, first.Committed.Version)
	require.Len(t, first.Laid, 2)
	require.Len(t, first.Versions, 3)
	require.Contains(t, first.Refused, "version 3 exists")
}

func TestAFolderThatCannotBeMadeIsNoMissingTable(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "absent"))
	got := call(t, "quickstart")
	require.Equal(t, exitInvalid, got.code, got.err)
	require.Contains(t, got.err, "set TMPDIR to a folder that is there, or name DIR")
	for _, dir := range []string{filepath.Join(write(t, nil), "demo"), "/proc/absent"} {
		got := call(t, "quickstart", dir)
		require.Equal(t, exitInvalid, got.code, got.err)
		require.Contains(t, got.err, "cannot be made")
		require.Contains(t, got.err, "choose another DIR")
	}
	require.Contains(t, call(t, "quickstart", "--help").out, "temporary folder, which stays")
}

func TestQuickstartGoesOnWhereItWasInterrupted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	fixture := fixtures.V2()
	require.NoError(t, os.CopyFS(dir, fixture.FS))
	require.NoError(t, os.Remove(filepath.Join(dir, fixture.Root, "_versions", "18446744073709551613.manifest")))
	got := call(t, "quickstart", dir)
	require.Equal(t, exitOK, got.code, got.err)
	require.Equal(t, 3, finals(t, filepath.Join(dir, fixture.Root)))
}

func TestQuickstartKeepsOffWhatItDidNotLay(t *testing.T) {
	table := filepath.Join(t.TempDir(), "theirs.lance")
	require.NoError(t, os.Mkdir(table, 0o777))
	require.Equal(t, exitOK, call(t, "commit", table, "--manifest", write(t, testmanifest.New(1, "", "theirs"))).code)
	before := tree(t, table)
	got := call(t, "quickstart", table)
	require.Equal(t, exitInvalid, got.code)
	require.Contains(t, got.err, "another table is there already")
	require.Equal(t, before, tree(t, table))

	file := write(t, []byte("a file"))
	require.NotEqual(t, exitOK, call(t, "quickstart", file).code)
	require.Equal(t, exitInvalid, call(t, "quickstart", "").code)
	t.Chdir(t.TempDir())
	require.Equal(t, exitInvalid, call(t, "quickstart", "s3://bucket/t").code)
	require.NoDirExists(t, "s3:")
}
