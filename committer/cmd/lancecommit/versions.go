package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lancecommit/lancecommit/committer"
)

func (a *app) versions() *cobra.Command {
	var limit int
	cmd := a.onTable(&cobra.Command{
		Use:   "versions TABLE",
		Short: "List the versions, newest first",
		Long: `versions lists the versions, newest first. With --json each is printed as it is
found: after an error in between, the array is not closed, and the exit code is not 0.`,
		Example: "  lancecommit versions db/images.lance --limit 10",
		Args:    arguments("TABLE"),
	}, func(ctx context.Context, t *committer.Table, _ []string) error {
		if limit < 0 {
			return fmt.Errorf("%w: --limit %d is negative", committer.ErrInvalid, limit)
		}
		if a.json {
			return a.streamVersions(ctx, t, limit)
		}
		var all []committer.Version
		for v, err := range t.Versions(ctx, committer.VersionsOptions{Limit: limit}) {
			if err != nil {
				return err
			}
			all = append(all, v)
		}
		if len(all) == 0 {
			return refusalOfNone(ctx, t)
		}
		return a.printVersions(all...)
	})
	cmd.Flags().IntVar(&limit, "limit", 0, "print so many versions at most (0 = all)")
	return cmd
}

// refusalOfNone says that a table has no versions as the other commands do.
func refusalOfNone(ctx context.Context, t *committer.Table) error {
	if _, err := t.Latest(ctx); err != nil {
		return err
	}
	return fmt.Errorf("%w: its first version appeared as the command ended; ask again", committer.ErrTableNotFound)
}

// streamVersions prints a JSON array without holding the history in memory.
func (a *app) streamVersions(ctx context.Context, t *committer.Table, limit int) error {
	separator := "["
	for v, err := range t.Versions(ctx, committer.VersionsOptions{Limit: limit}) {
		if err != nil {
			return err
		}
		text, err := json.Marshal(toJSON(v))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(a.out, "%s\n  %s", separator, text); err != nil {
			return err
		}
		separator = ","
	}
	if separator == "[" {
		return refusalOfNone(ctx, t)
	}
	_, err := fmt.Fprintln(a.out, "\n]")
	return err
}
