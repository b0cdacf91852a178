package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/integration/fixtures"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

// asCommand is set for a process of these tests that is the command itself.
const asCommand = "LANCECOMMIT_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

// A result is what a command left behind.
type result struct {
	code     int
	out, err string
}

// call runs a command in this process.
func call(t *testing.T, args ...string) result { return callWith(t, nil, args...) }

// callWith runs a command with something on standard input.
func callWith(t *testing.T, in []byte, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	code := run(context.Background(), args, streams{bytes.NewReader(in), &out, &err})
	return result{code, out.String(), err.String()}
}

// parse reads the JSON of a command that ended well.
func parse[T any](t *testing.T, r result) (value T) {
	t.Helper()
	require.Equal(t, exitOK, r.code, r.err)
	require.NoError(t, json.Unmarshal([]byte(r.out), &value), r.out)
	return value
}

// layFixture lays a table of LanceDB's and returns its folder.
func layFixture(t *testing.T, fixture fixtures.Table) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "db")
	require.NoError(t, os.CopyFS(dir, fixture.FS))
	return filepath.Join(dir, fixture.Root)
}

// staged writes the staged manifest of a chain to a file of its own.
func staged(t *testing.T, fixture fixtures.Table, chain fixtures.Chain) string {
	t.Helper()
	body, err := fs.ReadFile(fixture.FS, chain.Staged)
	require.NoError(t, err)
	return write(t, body)
}

// write puts bytes into a new file.
func write(t *testing.T, body []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "next.manifest")
	require.NoError(t, os.WriteFile(file, body, 0o666))
	return file
}

// finals counts the manifests of a table's chain.
func finals(t *testing.T, table string) (count int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(table, "_versions"))
	require.NoError(t, err)
	for _, entry := range entries {
		if naming.Parse(entry.Name()).Kind == naming.Final {
			count++
		}
	}
	return count
}

func TestLatestVersionsAndShow(t *testing.T) {
	for _, fixture := range []fixtures.Table{fixtures.V1(), fixtures.V2(), fixtures.Branch()} {
		table := layFixture(t, fixture)
		for _, chain := range fixture.Chains() {
			on := []string{table, "--branch", chain.Branch, "--json"}
			latest := parse[versionJSON](t, call(t, append([]string{"latest"}, on...)...))
			require.Equal(t, chain.Latest().Number, latest.Version)
			require.Equal(t, fixture.Scheme, latest.NamingScheme)

			all := parse[[]versionJSON](t, call(t, append([]string{"versions"}, on...)...))
			require.Len(t, all, len(chain.Versions))
			for i, want := range chain.Versions {
				require.Equal(t, want.Number, all[len(all)-1-i].Version, "newest first")
				shown := parse[struct{ Manifest manifest.Info }](t,
					call(t, append([]string{"show", table, formatVersion(want.Number)}, on[1:]...)...))
				require.Equal(t, want.Number, shown.Manifest.Version)
				require.Equal(t, chain.Branch, shown.Manifest.Branch)
				require.EqualValues(t, len(want.IDs), shown.Manifest.Rows)
			}
			limited := parse[[]versionJSON](t, call(t, append([]string{"versions", "--limit", "1"}, on...)...))
			require.Equal(t, all[:1], limited)
		}
	}
}

func TestAPipeGetsATableWithoutColours(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	for _, args := range [][]string{{"latest", table}, {"versions", table}, {"show", table}, {"quickstart", t.TempDir()}} {
		got := call(t, args...)
		require.Equal(t, exitOK, got.code, got.err)
		require.Contains(t, got.out, "VERSION")
		require.NotContains(t, got.out, "\x1b")
		require.Empty(t, got.err)
	}
}

func TestCompletionIsOffered(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		require.Contains(t, call(t, "completion", shell).out, "lancecommit")
	}
	require.Contains(t, call(t, "__complete", "lat").out, "latest\t")
}

func TestExitCodes(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	empty := t.TempDir()
	next := write(t, testmanifest.New(3, "", "mine"))
	for _, tc := range []struct {
		name string
		args string
		want int
		says string
	}{
		{"no such command", "latests", exitInvalid, `did you mean "latest"?`},
		{"no such flag", "latest --colour T", exitInvalid, "--colour"},
		{"an argument is missing", "latest", exitInvalid, "TABLE is missing"},
		{"an argument too many", "latest T T", exitInvalid, "argument number 2 is too many"},
		{"a folder that is not there", "latest T/absent", exitNotFound, "no such folder"},
		{"a table without versions", "latest EMPTY", exitNotFound, "no versions"},
		{"a database instead of a table", "latest T/..", exitNotFound, "did you mean the table quickstart.lance inside it?"},
		{"a table without versions, listed", "versions EMPTY", exitNotFound, "no versions"},
		{"a table without versions, as JSON", "versions EMPTY --json", exitNotFound, "no versions"},
		{"a version that is not there", "show T 9", exitNotFound, "9 was never committed, or is cleaned up; the latest version is 2"},
		{"a version that is no number", "show T one", exitInvalid, "one"},
		{"a version out of bounds", "show T 0", exitInvalid, "0"},
		{"a negative limit", "versions T --limit -1", exitInvalid, "-1"},
		{"a branch that is not there", "latest T --branch absent", exitNotFound, "absent"},
		{"a malformed branch", "latest T --branch a..b", exitInvalid, "a..b"},
		{"a store without a backend", "latest ftp://bucket/t", exitUnsupported, "ftp"},
		{"versions that a catalog keeps", "latest s3+ddb://bucket/t", exitUnsupported, "DynamoDB"},
		{"a storage option without a value", "latest T --storage-option SECRET", exitInvalid, "NAME=VALUE"},
		{"a folder with a question mark that is not there", "latest T/a?b", exitNotFound, `a?b": the store is not there`},
		{"a storage option twice", "latest T --storage-option SECRET=1 --storage-option a=1 --storage-option SECRET=2", exitInvalid, "number 3 is the option of number 1, given twice"},
		{"a storage option with its name and value swapped", "latest s3://b/t --storage-option SECRET=aws_secret_access_key", exitInvalid, "swapped"},
		{"the same on disk", "latest T --storage-option SECRET=aws_secret_access_key", exitInvalid, "swapped"},
		{"a storage option of another store", "latest T --storage-option aws_region=r", exitInvalid, "aws_region"},
		{"a storage option that is not known", "latest s3://b/t --storage-option aws_regon=r", exitInvalid, "did you mean aws_region?"},
		{"no manifest", "commit T", exitInvalid, "--manifest"},
		{"a manifest file that is not there", "commit T --manifest T/absent", exitInvalid, "absent"},
		{"done", "commit T --manifest NEXT", exitOK, ""},
		{"again", "commit T --manifest NEXT", exitOK, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			replace := strings.NewReplacer("EMPTY", empty, "NEXT", next, "T/", table+"/")
			var args []string
			for word := range strings.FieldsSeq(tc.args) {
				if word == "T" {
					word = table
				}
				args = append(args, replace.Replace(word))
			}
			got := call(t, args...)
			require.Equal(t, tc.want, got.code, got.err)
			require.Contains(t, got.err, tc.says)
			require.NotContains(t, got.err, "SECRET")
			if tc.want != exitOK {
				require.Empty(t, got.out, "results only on standard output")
				require.True(t, strings.HasPrefix(got.err, "lancecommit: ") || strings.HasPrefix(got.err, "{"), got.err)
			}
		})
	}
}

func TestErrorsOfUsageAreJSONWhereJSONIsAskedFor(t *testing.T) {
	for args, want := range map[string]bool{
		"versions t --limit=x --json": true, "--bogus --json": true, "--json nope": true, "nope --json": true, "latest --json": true,
		"versions t --limit=x --json=true": true, "versions t --limit=x --json=1": true, "latest t --json=x": true,
		"doctor --bogus t --json": true, "sweep --older-than x t --json": true, "show --json t 1 2": true, "delete --json t": true,
		"versions t --limit=x": false, "versions t --limit=x --json=false": false, "versions t --limit=x -- --json": false,
		"latest a b --branch --json": false, // it is the branch
	} {
		got := call(t, strings.Fields(args)...)
		require.Equal(t, exitInvalid, got.code, args)
		require.Equal(t, want, json.Valid([]byte(got.err)), "%s: %s", args, got.err)
		require.Empty(t, got.out)
	}
}

// full is a device that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestWhatIsDoneAndCouldNotBePrintedIsSaidInJSONWhereJSONIsAskedFor(t *testing.T) {
	for _, json := range []bool{false, true} {
		fixture := fixtures.V2()
		table := layFixture(t, fixture)
		args := []string{"commit", table, "--manifest", staged(t, fixture, fixture.Main)}
		if json {
			args = append(args, "--json")
		}
		var said bytes.Buffer
		require.Equal(t, exitOK, run(t.Context(), args, streams{strings.NewReader(""), full{}, &said}), "the commit is done")
		if json {
			require.Regexp(t, `^\{"note":"version 3 is committed; to print that failed: .*"\}\n$`, said.String())
		} else {
			require.Regexp(t, `^lancecommit: version 3 is committed; to print that failed: .*\n$`, said.String())
		}
	}
}

func TestShowTellsAManifestUnderAnotherName(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	versions := filepath.Join(table, "_versions")
	one, err := os.ReadFile(filepath.Join(versions, naming.V2.Final(1)))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(versions, naming.V2.Final(3)), one, 0o666))
	got := call(t, "show", table, "3")
	require.Equal(t, exitOther, got.code)
	require.Contains(t, got.err, "named version 3 and says version 1")
}

func TestErrorsAreJSONWhereResultsAre(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	got := call(t, "commit", table, "--json", "--manifest", write(t, testmanifest.New(2, "", "mine")))
	require.Equal(t, exitConflict, got.code)
	var report map[string]any
	require.NoError(t, json.Unmarshal([]byte(got.err), &report))
	require.EqualValues(t, exitConflict, report["exit_code"])
	require.EqualValues(t, 2, report["latest"])
	require.Contains(t, report["error"], "version 2 exists with other bytes")
}
