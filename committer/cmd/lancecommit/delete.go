package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

func (a *app) delete() *cobra.Command {
	var opts committer.DeleteOptions
	cmd := a.onTable(&cobra.Command{
		Use:   "delete TABLE RANGE...",
		Short: "Delete old versions",
		Long: `delete removes the manifests of old versions, and neither data nor transaction
files. A RANGE is one version as 7, the versions 3 to 7 as 3:8, since the end is
exclusive as in the Lance Namespace specification, all from 3 on as 3:, and all
before 8 as :8.

Kept are the latest version, tagged versions, the versions from which branches
were made, and those that were the latest within the last hour. --force deletes
all of these but the latest; use it only while nobody writes or reads the table,
since a commit counts on it that nobody deletes the newest versions.`,
		Example: `  lancecommit delete db/images.lance :100 --dry-run
  lancecommit delete db/images.lance 3 7:12`,
		Args: arguments("TABLE", "RANGE..."),
	}, func(ctx context.Context, t *committer.Table, args []string) error {
		ranges := make([]committer.VersionRange, len(args))
		for i, text := range args {
			var err error
			if ranges[i], err = parseRange(text); err != nil {
				return withLatest(ctx, t, err)
			}
		}
		var done func()
		opts.Progress, done = a.progress("deleting versions")
		result, err := t.DeleteVersions(ctx, ranges, opts)
		done()
		if err != nil && result.Deleted == 0 {
			return err
		}
		a.notPrinted(a.printDeleted(result, opts.DryRun), "%s", counted(result.Deleted, "version", opts.DryRun))
		return err
	})
	cmd.Flags().BoolVar(&opts.Force, "force", false, "delete tagged versions, fork points and young versions, too")
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "delete nothing, and say what would be deleted")
	return cmd
}

// parseRange reads N, N:M, N: and :M. Its bounds are checked by the table.
func parseRange(text string) (committer.VersionRange, error) {
	from, to, isRange := strings.Cut(text, ":")
	given := text
	number := func(text string, absent int64) (int64, error) {
		if text == "" && isRange {
			return absent, nil
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if errors.Is(err, strconv.ErrRange) {
			return 0, fmt.Errorf("%w: range %q: no version has a number above %d", committer.ErrInvalid, given, uint64(naming.MaxVersion))
		}
		if err != nil {
			return 0, fmt.Errorf("%w: range %q: it is N, N:M with M exclusive, N: or :M", committer.ErrInvalid, given)
		}
		return n, nil
	}
	start, err := number(from, 0)
	if err != nil {
		return committer.VersionRange{}, err
	}
	if !isRange {
		if start < 0 || start == math.MaxInt64 {
			return committer.VersionRange{}, fmt.Errorf("%w: there is no version %d to delete", committer.ErrInvalid, start)
		}
		return committer.VersionRange{Start: start, End: start + 1}, nil
	}
	end, err := number(to, -1)
	if err != nil {
		return committer.VersionRange{}, err
	}
	if to != "" && end < 0 {
		return committer.VersionRange{}, fmt.Errorf("%w: the range %q ends below 0; leave the end out to delete through the latest",
			committer.ErrInvalid, text)
	}
	return committer.VersionRange{Start: start, End: end}, nil
}

func (a *app) printDeleted(result committer.DeleteResult, dryRun bool) error {
	if a.json {
		type kept struct {
			Version uint64 `json:"version"`
			Reason  string `json:"reason"`
			Name    string `json:"name,omitempty"`
		}
		report := struct {
			DeletedCount int    `json:"deleted_count"`
			DryRun       bool   `json:"dry_run,omitempty"`
			Kept         []kept `json:"kept"`
		}{result.Deleted, dryRun, make([]kept, 0, len(result.Kept))}
		for _, k := range result.Kept {
			report.Kept = append(report.Kept, kept{k.Number, k.Reason.String(), k.Name})
		}
		return a.printJSON(report)
	}
	if _, err := fmt.Fprintf(a.out, "%s, %d kept\n", counted(result.Deleted, "version", dryRun), len(result.Kept)); err != nil {
		return err
	}
	if len(result.Kept) == 0 {
		return nil
	}
	rows := [][]string{{"KEPT", "BECAUSE"}}
	for _, k := range result.Kept {
		rows = append(rows, []string{strconv.FormatUint(k.Number, 10), strings.TrimSpace(k.Reason.String() + " " + k.Name)})
	}
	return a.printTable(rows)
}

// counted says how many things were deleted, or would be.
func counted(n int, thing string, dryRun bool) string {
	if n != 1 {
		thing += "s"
	}
	if dryRun {
		return fmt.Sprintf("%d %s would be deleted", n, thing)
	}
	return fmt.Sprintf("%d %s deleted", n, thing)
}
