package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/integration/fixtures"
)

// What a command wrote stays written, so that 1, "no version was written", would
// be false.
func TestACommandThatWroteSucceedsWhateverBecomesOfTheWordsAboutIt(t *testing.T) {
	fixture := fixtures.V2()
	for name, tc := range map[string]struct {
		args func(table string) []string
		says string
	}{
		"quickstart": {func(string) []string { return []string{"quickstart", filepath.Join(t.TempDir(), "demo")} }, "version 3 is committed in "},
		"commit": {func(table string) []string {
			return []string{"commit", table, "--manifest", staged(t, fixture, fixture.Main)}
		}, "version 3 is committed"},
		"create": {func(table string) []string { return []string{"create", "--root", filepath.Dir(table), createFile(t)} }, "version 3 is committed"},
		"delete": {func(table string) []string { return []string{"delete", table, ":"} }, "1 version deleted"},
		"sweep":  {func(table string) []string { return []string{"sweep", table} }, "0 leftovers deleted"},
	} {
		for _, flag := range [][]string{nil, {"--json"}} {
			var said bytes.Buffer
			table := layFixture(t, fixture)
			age(t, table, 2*time.Hour)
			args := append(tc.args(table), flag...)
			require.Equal(t, exitOK, run(t.Context(), args, streams{strings.NewReader(""), full{}, &said}), "%s: %s", name, said.String())
			require.Contains(t, said.String(), tc.says, name)
			require.Contains(t, said.String(), "to print that failed", name)

			said.Reset()
			table = layFixture(t, fixture)
			age(t, table, 2*time.Hour)
			args = append(tc.args(table), flag...)
			require.Equal(t, exitOK, run(t.Context(), args, streams{strings.NewReader(""), goneReader{}, &said}), name)
			require.Empty(t, said.String(), "%s: who has gone has seen enough", name)
			if name == "quickstart" {
				table = filepath.Join(args[1], fixture.Root)
				require.Equal(t, 3, finals(t, table), "it commits also where nobody reads of it")
			}
		}
	}
}

// createFile writes a request to create the version that the fixture has staged.
func createFile(t *testing.T) string {
	t.Helper()
	return write(t, []byte(`{"id":["quickstart"],"version":3,"manifest_path":"`+fixtures.V2().Main.Staged+`"}`))
}

func TestAVerdictCountsMoreThanThatItCouldNotBePrinted(t *testing.T) {
	ran := func(out interface{ Write([]byte) (int, error) }) int {
		return run(t.Context(), []string{"doctor", "s3://bucket", "--storage-option", "endpoint=http://127.0.0.1:1", "--storage-option", "allow_http=true",
			"--storage-option", "access_key_id=id", "--storage-option", "secret_access_key=key"}, streams{nil, out, new(bytes.Buffer)})
	}
	require.Equal(t, exitUnavailable, ran(full{}))
	require.Equal(t, exitUnavailable, ran(goneReader{}))
}
