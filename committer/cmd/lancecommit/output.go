package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"syscall"
	"text/tabwriter"
	"time"

	"golang.org/x/term"

	"github.com/lancecommit/lancecommit/committer"
)

// versionJSON is a version with the field names of the Lance Namespace
// specification.
type versionJSON struct {
	Version         uint64            `json:"version"`
	ManifestPath    string            `json:"manifest_path"`
	ManifestSize    int64             `json:"manifest_size"`
	ETag            string            `json:"e_tag,omitempty"`
	TimestampMillis int64             `json:"timestamp_millis,omitempty"`
	NamingScheme    string            `json:"naming_scheme"`
	Metadata        map[string]string `json:"metadata,omitempty"`
}

func toJSON(v committer.Version) versionJSON {
	j := versionJSON{
		Version:      v.Number,
		ManifestPath: v.Key,
		ManifestSize: v.Size,
		ETag:         v.ETag,
		NamingScheme: v.Scheme.String(),
		Metadata:     v.Metadata,
	}
	if !v.Modified.IsZero() {
		j.TimestampMillis = v.Modified.UnixMilli()
	}
	return j
}

// printJSON writes one value, indented.
func (a *app) printJSON(value any) error {
	encoder := json.NewEncoder(a.out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// notPrinted says that something is done, where the words about it could not be
// printed: that is no failure of the command. A reader of the output who has gone
// has seen enough.
func (a *app) notPrinted(err error, format string, args ...any) {
	if err != nil && !errors.Is(err, syscall.EPIPE) {
		a.printNote("%s; to print that failed: %v", fmt.Sprintf(format, args...), err)
	}
}

// printVersions writes versions as a table.
func (a *app) printVersions(versions ...committer.Version) error {
	rows := [][]string{{"VERSION", "SIZE", "MODIFIED", "MANIFEST"}}
	for _, v := range versions {
		rows = append(rows, []string{fmt.Sprint(v.Number), fmt.Sprint(v.Size), shownTime(v.Modified), path.Base(v.Key)})
	}
	return a.printTable(rows)
}

// printTable aligns rows in columns. The first row is the header, bold on a
// terminal.
func (a *app) printTable(rows [][]string) error {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, cell)
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	text := b.Bytes()
	if colour(a.out) {
		header, rest, _ := bytes.Cut(text, []byte("\n"))
		text = fmt.Appendf(nil, "\x1b[1m%s\x1b[0m\n%s", header, rest)
	}
	_, err := a.out.Write(text)
	return err
}

// colour reports whether w is a terminal of somebody who has not switched
// colours off.
func colour(w io.Writer) bool {
	if o, wrapped := w.(*output); wrapped {
		w = o.Writer
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

func shownTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}
