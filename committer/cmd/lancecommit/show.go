package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/naming"
)

func (a *app) show() *cobra.Command {
	return a.onTable(&cobra.Command{
		Use:     "show TABLE [N]",
		Short:   "Show what a version's manifest says (default the latest)",
		Example: "  lancecommit show db/images.lance 3",
		Args:    arguments("TABLE", "[N]"),
	}, func(ctx context.Context, t *committer.Table, args []string) error {
		v, err := pick(ctx, t, args)
		if err != nil {
			return err
		}
		body, err := t.ReadManifest(ctx, v)
		if err != nil {
			return err
		}
		info, err := manifest.Inspect(body)
		if err != nil {
			return fmt.Errorf("%s: %w", v.Key, err)
		}
		if a.json {
			err = a.printJSON(struct {
				versionJSON
				Manifest manifest.Info `json:"manifest"`
			}{toJSON(v), info})
		} else {
			err = a.printInfo(v, info)
		}
		if err == nil && info.Version != v.Number {
			err = fmt.Errorf("%s is named version %d and says version %d: the table is damaged there", v.Key, v.Number, info.Version)
		}
		return err
	})
}

// pick returns the version that the arguments name, or the latest.
func pick(ctx context.Context, t *committer.Table, args []string) (committer.Version, error) {
	if len(args) == 0 {
		return t.Latest(ctx)
	}
	number, err := parseVersion(args[0])
	if err != nil {
		return committer.Version{}, err
	}
	v, err := t.Version(ctx, number)
	if err != nil {
		err = withLatest(ctx, t, err)
	}
	return v, err
}

// parseVersion reads a version number. One that is out of bounds is refused here
// or by the table.
func parseVersion(text string) (uint64, error) {
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: %q is no version: they are numbers from %d to %d", committer.ErrInvalid, text,
			naming.MinVersion, naming.MaxVersion)
	}
	return number, nil
}

func (a *app) printInfo(v committer.Version, info manifest.Info) error {
	branch := naming.MainBranch
	if !naming.IsMain(info.Branch) {
		branch = info.Branch
	}
	transaction := info.TransactionFile
	if info.InlineTransaction {
		transaction += " (also in the manifest)"
	}
	rows := "-"
	if info.RowsKnown {
		rows = strconv.FormatUint(info.Rows, 10)
	}
	return a.printTable([][]string{
		{"VERSION", strconv.FormatUint(v.Number, 10)},
		{"branch", branch},
		{"timestamp", shownTime(info.Timestamp)},
		{"writer", known(info.WriterLibrary + " " + info.WriterVersion)},
		{"rows", rows},
		{"fragments", strconv.Itoa(info.Fragments)},
		{"fields", strconv.Itoa(info.Fields)},
		{"data format", known(info.DataFormat.FileFormat + " " + info.DataFormat.Version)},
		{"feature flags", fmt.Sprintf("reader %d, writer %d", info.ReaderFlags, info.WriterFlags)},
		{"transaction", known(transaction)},
		{"manifest", v.Key},
		{"size", strconv.FormatInt(v.Size, 10)},
		{"naming scheme", v.Scheme.String()},
		{"ETag", known(v.ETag)},
		{"metadata", known(shownMetadata(v.Metadata))},
	})
}

// shownMetadata is what the writer of a version said about it. What would break
// the line, or run into the next entry, is quoted.
func shownMetadata(metadata map[string]string) string {
	quote := func(text string) string {
		if quoted := strconv.Quote(text); text == "" || quoted != `"`+text+`"` || strings.ContainsAny(text, " =,") {
			return quoted
		}
		return text
	}
	var entries []string
	for _, name := range slices.Sorted(maps.Keys(metadata)) {
		entries = append(entries, quote(name)+"="+quote(metadata[name]))
	}
	return strings.Join(entries, ", ")
}

// known shows what is empty as a dash.
func known(text string) string {
	if text == "" || text == " " {
		return "-"
	}
	return text
}
