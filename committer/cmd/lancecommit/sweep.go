package main

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/lancecommit/lancecommit/committer"
)

func (a *app) sweep() *cobra.Command {
	var opts committer.SweepOptions
	olderThan := span(7 * day)
	cmd := a.onTable(&cobra.Command{
		Use:   "sweep TABLE [--older-than 7d]",
		Short: "Remove staged manifests that nobody will publish",
		Long: `sweep removes what writers left in _versions/: staged manifests of versions that
are there, and temporary files. Their age is told by the store's clock. Staged
manifests of versions above the latest are listed and kept, since they can be
the only copy that an external manifest store has.`,
		Example: "  lancecommit sweep db/images.lance --dry-run",
		Args:    arguments("TABLE"),
	}, func(ctx context.Context, t *committer.Table, _ []string) error {
		var done func()
		opts.Progress, done = a.progress("removing leftovers")
		result, err := t.Sweep(ctx, time.Duration(olderThan), opts)
		done()
		if err != nil && len(result.Removed) == 0 {
			return err
		}
		a.notPrinted(a.printSwept(result, opts.DryRun), "%s", counted(len(result.Removed), "leftover", opts.DryRun))
		return err
	})
	cmd.Flags().Var(&olderThan, "older-than", "the least age of what is removed, 7d or more; 36h and 7d12h are ages, too")
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "remove nothing, and say what would be removed")
	return cmd
}

// sweptJSON is a leftover in JSON.
type sweptJSON struct {
	Key      string    `json:"key"`
	Version  uint64    `json:"version,omitempty"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified,omitzero"`
	Reason   string    `json:"kept_because,omitempty"`
}

func sweptToJSON(object committer.SweptObject, reason string) sweptJSON {
	return sweptJSON{object.Key, object.Version, object.Size, object.Modified.UTC(), reason}
}

func (a *app) printSwept(result committer.SweepResult, dryRun bool) error {
	if a.json {
		report := struct {
			Removed []sweptJSON `json:"removed"`
			Bytes   int64       `json:"bytes"`
			DryRun  bool        `json:"dry_run,omitempty"`
			Kept    []sweptJSON `json:"kept"`
		}{make([]sweptJSON, 0, len(result.Removed)), result.Bytes, dryRun, make([]sweptJSON, 0, len(result.Kept))}
		for _, object := range result.Removed {
			report.Removed = append(report.Removed, sweptToJSON(object, ""))
		}
		for _, object := range result.Kept {
			report.Kept = append(report.Kept, sweptToJSON(object.SweptObject, object.Reason.String()))
		}
		return a.printJSON(report)
	}
	if _, err := fmt.Fprintf(a.out, "%s, %d bytes; %d kept\n",
		counted(len(result.Removed), "leftover", dryRun), result.Bytes, len(result.Kept)); err != nil {
		return err
	}
	rows := [][]string{{"LEFTOVER", "VERSION", "SIZE", "MODIFIED", "KEPT BECAUSE"}}
	row := func(object committer.SweptObject, reason string) {
		version := "-"
		if object.Version != 0 {
			version = strconv.FormatUint(object.Version, 10)
		}
		rows = append(rows, []string{path.Base(object.Key), version, strconv.FormatInt(object.Size, 10), shownTime(object.Modified), reason})
	}
	for _, object := range result.Removed {
		row(object, "-")
	}
	for _, object := range result.Kept {
		row(object.SweptObject, object.Reason.String())
	}
	if len(rows) == 1 {
		return nil
	}
	return a.printTable(rows)
}
