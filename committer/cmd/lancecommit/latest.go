package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lancecommit/lancecommit/committer"
)

func (a *app) latest() *cobra.Command {
	return a.onTable(&cobra.Command{
		Use:     "latest TABLE",
		Short:   "Print the latest version",
		Example: "  lancecommit latest db/images.lance",
		Args:    arguments("TABLE"),
	}, func(ctx context.Context, t *committer.Table, _ []string) error {
		v, err := t.Latest(ctx)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(toJSON(v))
		}
		return a.printVersions(v)
	})
}
