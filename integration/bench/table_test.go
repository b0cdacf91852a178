package bench_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
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

// parse reads the table of a document.
func parse(markdown string) (t table) {
	for line := range strings.Lines(markdown) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "| ") {
			continue
		}
		row := strings.Split(strings.Trim(line, "|"), "|")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		t = append(t, row)
	}
	return t
}

// after is the table when another was there before: what was not measured again stays.
// The first column says what it is of.
func (t table) after(before table) table {
	if len(before) == 0 || !slices.Equal(t[0], before[0]) {
		return t
	}
	of := make(map[string]table)
	for _, row := range t[1:] {
		of[row[0]] = append(of[row[0]], row)
	}
	merged := table{t[0]}
	placed := make(map[string]bool)
	for _, row := range slices.Concat(before[1:], t[1:]) {
		if again := of[row[0]]; again == nil {
			merged = append(merged, row)
		} else if !placed[row[0]] {
			merged, placed[row[0]] = append(merged, again...), true
		}
	}
	return merged
}

// in puts a table into a document, between the comments of its name, in place of
// the rows that are there of the same.
func (t table) in(document []byte, name string) ([]byte, error) {
	head, rest, begins := bytes.Cut(document, []byte(marker(name)))
	before, tail, ends := bytes.Cut(rest, []byte(marker("end of "+name)))
	if !begins || !ends {
		return nil, fmt.Errorf("no %s and %s in %s", marker(name), marker("end of "+name), readme)
	}
	return fmt.Appendf(nil, "%s%s\n\n%s\n%s%s", head, marker(name), t.after(parse(string(before))).markdown(), marker("end of "+name), tail), nil
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

func TestWhatIsNotMeasuredAgainStaysInTheTable(t *testing.T) {
	header := []string{"benchmark", "what", "median", "goal"}
	before := table{
		header,
		{"Commit", "a", "1", ""}, {"Commit", "b", "2", ""},
		{"Latest", "a", "3", "<= 1.05"}, {"Latest", "b", "4", ""},
		{"Memory", "a", "5", ""},
	}
	require.Equal(t, before, parse(before.markdown()))
	again := table{header, {"Latest", "a", "6", "<= 1.05"}, {"Disk", "a", "7", ""}}
	require.Equal(t, table{
		header,
		{"Commit", "a", "1", ""}, {"Commit", "b", "2", ""},
		{"Latest", "a", "6", "<= 1.05"},
		{"Memory", "a", "5", ""},
		{"Disk", "a", "7", ""},
	}, again.after(parse(before.markdown())))
	require.Equal(t, again, again.after(nil))
	require.Equal(t, again, again.after(table{{"another", "table"}, {"Commit", "a"}}))

	document, err := os.ReadFile(readme)
	require.NoError(t, err)
	for _, name := range []string{figuresTable, comparisonsTable} {
		_, rest, _ := strings.Cut(string(document), marker(name))
		there, _, _ := strings.Cut(rest, marker("end of "+name))
		require.Equal(t, there, "\n\n"+parse(there).markdown()+"\n", "as it is written")
	}
}
