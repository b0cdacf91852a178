package bench_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"
)

// writeVariable has the tables written into README.md, too.
const writeVariable = "LANCECOMMIT_BENCH_WRITE"

const readme = "README.md"

// A table is one of those in README.md. Its first row is the header.
type table [][]string

// print writes a table whose columns stand below one another.
func (t table) print(w io.Writer) {
	out := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	for i, row := range t {
		fmt.Fprintf(out, "| %s\t|\n", strings.Join(row, "\t| "))
		if i == 0 {
			fmt.Fprintln(out, strings.Repeat("|-\t", len(row))+"|")
		}
	}
	_ = out.Flush()
}

// markdown is a table without what only lines it up.
func (t table) markdown() string {
	var out strings.Builder
	for i, row := range t {
		fmt.Fprintf(&out, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			out.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return out.String()
}

// in puts a table into a document, in place of what stands between the comments
// of its name.
func (t table) in(document []byte, name string) ([]byte, error) {
	head, rest, begins := bytes.Cut(document, []byte(marker(name)))
	_, tail, ends := bytes.Cut(rest, []byte(marker("end of "+name)))
	if !begins || !ends {
		return nil, fmt.Errorf("no %s and %s in %s", marker(name), marker("end of "+name), readme)
	}
	return fmt.Appendf(nil, "%s%s\n\n%s\n%s%s", head, marker(name), t.markdown(), marker("end of "+name), tail), nil
}

func marker(name string) string { return "<!-- " + name + " -->" }

// publish prints a table, and writes it into README.md where that is asked for.
func (t table) publish(name string) error {
	if len(t) < 2 {
		return nil
	}
	t.print(os.Stdout)
	if os.Getenv(writeVariable) == "" {
		return nil
	}
	document, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	if document, err = t.in(document, name); err != nil {
		return err
	}
	return os.WriteFile(readme, document, 0o666)
}

func TestReadmeHasAPlaceForEachTable(t *testing.T) {
	document, err := os.ReadFile(readme)
	require.NoError(t, err)
	for _, name := range []string{figuresTable, comparisonsTable} {
		written, err := table{{"a", "b"}, {"1", "2"}}.in(document, name)
		require.NoError(t, err)
		require.Contains(t, string(written), "\n| a | b |\n|---|---|\n| 1 | 2 |\n")
		again, err := table{{"a", "b"}, {"1", "2"}}.in(written, name)
		require.NoError(t, err)
		require.Equal(t, string(written), string(again))
	}
	_, err = table{}.in(document, "no such table")
	require.Error(t, err)
}
