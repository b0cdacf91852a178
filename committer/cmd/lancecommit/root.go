package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/committer"
)

// app is what the commands share.
type app struct {
	streams
	args           []string
	json           bool
	branch         string
	storageOptions []string
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "lancecommit",
		Short: "Commit versions of Lance tables straight to the store",
		Long: `lancecommit reads and commits versions of Lance tables, straight on the store:
no server, no lock, no catalog. A commit is one conditional create, and its
outcome is proven: committed, refused, or honestly unknown.

TABLE is the folder of a table, such as db/images.lance: a path, or a URL as
s3://bucket/db/images.lance, gs://, az:// or file://. Credentials and endpoints
come from the environment, or by --storage-option with the names that Lance has.
Results are on standard output, everything else on standard error.

Exit codes: 0 done, 1 interrupted or other errors, 2 invalid input or usage,
3 conflict, 4 not found, 5 the outcome is unknown or the commit is stale: keep
all files, 6 permission, 7 throttled, unavailable or too much contention, 8 the
store is unsupported or unsafe.`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		RunE:          printHelp,
	}
	root.SuggestionsMinimumDistance = 2
	root.SetVersionTemplate("lancecommit {{.Version}}\n")
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(a.flagError)
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print results, and errors, as JSON")
	root.PersistentFlags().StringArrayVar(&a.storageOptions, "storage-option", nil,
		"an option of the store as NAME=VALUE, by the names that Lance has; can be repeated")
	root.AddCommand(a.quickstart(), a.latest(), a.versions(), a.show(), a.commit(), a.create(), a.delete(), a.sweep())
	root.AddCommand(a.doctor(), a.bench())
	refuseWords(root)
	return root
}

// version is that of the module, as the Go command has put it into the program.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "of an unknown version"
	}
	return info.Main.Version
}

// onTable makes a command work on the table named by its first argument.
func (a *app) onTable(cmd *cobra.Command, do func(ctx context.Context, t *committer.Table, args []string) error) *cobra.Command {
	cmd.Flags().StringVar(&a.branch, "branch", "", "the branch to work on (default main)")
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.withTable(cmd.Context(), args[0], func(t *committer.Table) error {
			return do(cmd.Context(), t, args[1:])
		})
	}
	return cmd
}

// withTable opens a location as a table.
func (a *app) withTable(ctx context.Context, location string, do func(*committer.Table) error) error {
	options, err := parseOptions(a.storageOptions)
	if err != nil {
		return err
	}
	store, key, err := all.Open(ctx, location, options)
	if err != nil {
		return err
	}
	defer store.Close()
	err = do(committer.NewTable(store, key, committer.WithBranch(a.branch)))
	if errors.Is(err, committer.ErrTableNotFound) {
		if near := tableInside(ctx, store, key); near != "" {
			err = fmt.Errorf("%w; did you mean the table %s inside it?", err, near)
		}
	}
	return err
}

// parseOptions reads NAME=VALUE pairs. Errors tell them by their numbers, since a
// value can be a secret, and stand where the name belongs.
func parseOptions(pairs []string) (map[string]string, error) {
	options := make(map[string]string)
	numbers := make(map[string]int)
	for i, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%w: --storage-option number %d is not NAME=VALUE", committer.ErrInvalid, i+1)
		}
		if first, twice := numbers[name]; twice {
			return nil, fmt.Errorf("%w: --storage-option number %d is the option of number %d, given twice", committer.ErrInvalid, i+1, first)
		}
		options[name], numbers[name] = value, i+1
	}
	return options, nil
}

// tableInside returns the name of a table in the folder at key, empty where none
// is seen. LanceDB's databases are folders of tables, and easily taken for one.
func tableInside(ctx context.Context, store backends.Store, key string) string {
	prefix := ""
	if key != "" {
		prefix = key + "/"
	}
	page, err := store.List(ctx, backends.ListInput{Prefix: prefix})
	if err != nil {
		return ""
	}
	for _, folder := range page.Prefixes {
		if strings.HasSuffix(folder, ".lance/") {
			return strings.TrimSuffix(strings.TrimPrefix(folder, prefix), "/")
		}
	}
	return ""
}
