package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/integration/fixtures"
	"github.com/lancecommit/lancecommit/naming"
)

func (a *app) quickstart() *cobra.Command {
	return &cobra.Command{
		Use:   "quickstart [DIR]",
		Short: "Lay a small LanceDB table into DIR and commit its next version",
		Long: `quickstart lays a small table that LanceDB wrote into DIR, as DIR/quickstart.lance,
commits its third version, shows that a second writer of the same version is
refused, and prints the history. A DIR that ends in .lance is the table's own
folder. Without DIR it works in a new temporary folder, which stays and is named
in what is printed; remove it by hand. Nothing that is there is overwritten, so
it can be run again.`,
		Example: "  lancecommit quickstart demo",
		Args:    arguments("[DIR]"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := quickstartFolder(args)
			if err != nil {
				return err
			}
			return a.runQuickstart(cmd.Context(), folder)
		},
	}
}

// quickstartFolder makes the folder of the table.
func quickstartFolder(args []string) (string, error) {
	table := fixtures.V2()
	var folder string
	switch {
	case len(args) == 0:
		dir, err := os.MkdirTemp("", "lancecommit-quickstart-")
		if err != nil {
			return "", noFolder("a temporary folder cannot be made in "+os.TempDir(), "set TMPDIR to a folder that is there, or name DIR", err)
		}
		folder = filepath.Join(dir, table.Root)
	case args[0] == "":
		return "", fmt.Errorf("%w: DIR is empty", committer.ErrInvalid)
	case strings.Contains(args[0], "://"):
		return "", fmt.Errorf("%w: DIR is a path of a folder on disk, not a URL", committer.ErrInvalid)
	case strings.HasSuffix(filepath.Clean(args[0]), ".lance"):
		folder = filepath.Clean(args[0])
	default:
		folder = filepath.Join(args[0], table.Root)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", noFolder("the folder "+folder+" cannot be made", "choose another DIR", err)
	}
	return folder, nil
}

// noFolder says that a folder cannot be made, and what to do. That one in its path
// is missing, or is none, is no table that is missing, but invalid input.
func noFolder(what, do string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) {
		return fmt.Errorf("%w: %s: %v; %s", committer.ErrInvalid, what, err, do)
	}
	return fmt.Errorf("%s: %w; %s", what, err, do)
}

// A tour is what quickstart did.
type tour struct {
	folder    string
	laid      []committer.Version
	committed committer.Version
	// again is whether it was committed before, and took how long it took.
	again   bool
	took    time.Duration
	refusal *committer.ConflictError
	history []committer.Version
}

func (a *app) runQuickstart(ctx context.Context, folder string) error {
	t := tour{folder: folder}
	if err := t.run(ctx); err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	// Not before the end: the commit does not depend on who reads of it.
	a.notPrinted(a.printTour(t), "version %d is committed in %s", t.committed.Number, folder)
	return nil
}

// run lays the table, commits its next version, and tries to commit another one.
func (t *tour) run(ctx context.Context) error {
	store, err := file.Open(t.folder)
	if err != nil {
		return err
	}
	defer store.Close()
	table := committer.NewTable(store, "")
	if t.laid, err = layQuickstart(ctx, store, table); err != nil {
		return err
	}
	fixture := fixtures.V2()
	next, err := fs.ReadFile(fixture.FS, fixture.Main.Staged)
	if err != nil {
		return err
	}
	before, err := table.Resolve(ctx, fixture.Main.Next.Number, next)
	if err != nil {
		return err
	}
	t.again = before == committer.Committed
	began := time.Now()
	if t.committed, err = table.Commit(ctx, fixture.Main.Next.Number, next); err != nil {
		return err
	}
	t.took = time.Since(began)
	if t.refusal, err = refusedCommit(ctx, committer.NewTable(store, ""), t.laid[0], t.committed.Number); err != nil {
		return err
	}
	for v, err := range table.Versions(ctx, committer.VersionsOptions{}) {
		if err != nil {
			return err
		}
		t.history = append(t.history, v)
	}
	return nil
}

// quickstartJSON is what quickstart prints with --json.
type quickstartJSON struct {
	Table     string        `json:"table"`
	Laid      []versionJSON `json:"laid"`
	Committed versionJSON   `json:"committed"`
	Refused   string        `json:"refused"`
	Versions  []versionJSON `json:"versions"`
}

func (a *app) printTour(t tour) error {
	if a.json {
		report := quickstartJSON{Table: t.folder, Committed: toJSON(t.committed), Refused: t.refusal.Error()}
		for _, v := range t.laid {
			report.Laid = append(report.Laid, toJSON(v))
		}
		for _, v := range t.history {
			report.Versions = append(report.Versions, toJSON(v))
		}
		return a.printJSON(report)
	}
	done := fmt.Sprintf("Committed version %d in %.1f ms: one create of %s, which nothing can overwrite.",
		t.committed.Number, float64(t.took.Microseconds())/1000, path.Base(t.committed.Key))
	if t.again {
		done = fmt.Sprintf("Version %d was committed before, with the same bytes; to commit it again changes nothing.", t.committed.Number)
	}
	if _, err := fmt.Fprintf(a.out, "A table that LanceDB wrote is in %s:\n\n", t.folder); err != nil {
		return err
	}
	if err := a.printVersions(t.laid...); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(a.out, "\n%s\nA second writer with other bytes is refused, as it must be:\n  %v\n\nThe history now:\n\n", done, t.refusal); err != nil {
		return err
	}
	if err := a.printVersions(t.history...); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.out, "\nNext: lancecommit show %q\n      or open it in LanceDB: (await lancedb.connect(%q)).openTable(%q)\n",
		t.folder, filepath.Dir(t.folder), strings.TrimSuffix(filepath.Base(t.folder), ".lance"))
	return err
}

// layQuickstart lays the table's files, each only where nothing is, and then its
// versions, oldest first, as a writer would. Another table in the folder is
// refused, at the first version.
func layQuickstart(ctx context.Context, store backends.Store, table *committer.Table) ([]committer.Version, error) {
	fixture := fixtures.V2()
	at, err := fs.Sub(fixture.FS, fixture.Root)
	if err != nil {
		return nil, err
	}
	if err := refuseOtherTables(ctx, table, at); err != nil {
		return nil, err
	}
	err = fs.WalkDir(at, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(name, "_versions/") {
			return err
		}
		body, err := fs.ReadFile(at, name)
		if err != nil {
			return err
		}
		_, err = store.PutIfAbsent(ctx, name, body, backends.PutOptions{})
		if errors.Is(err, backends.ErrExists) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var laid []committer.Version
	for _, version := range fixture.Main.Versions {
		body, err := fs.ReadFile(at, naming.Versions("")+naming.V2.Final(version.Number))
		if err != nil {
			return nil, err
		}
		v, err := table.Commit(ctx, version.Number, body)
		if err != nil {
			return nil, err
		}
		laid = append(laid, v)
	}
	return laid, nil
}

// refuseOtherTables keeps quickstart off tables that it did not lay.
func refuseOtherTables(ctx context.Context, table *committer.Table, laid fs.FS) error {
	_, err := table.Latest(ctx)
	if errors.Is(err, committer.ErrTableNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	first, err := fs.ReadFile(laid, naming.Versions("")+naming.V2.Final(1))
	if err != nil {
		return err
	}
	if outcome, err := table.Resolve(ctx, 1, first); err != nil || outcome != committer.Committed {
		return fmt.Errorf("%w: another table is there already; choose another folder", committer.ErrInvalid)
	}
	return nil
}

// refusedCommit tries to commit other bytes as a version that is there, and
// returns how it is refused.
func refusedCommit(
	ctx context.Context, rival *committer.Table, base committer.Version, version uint64,
) (*committer.ConflictError, error) {
	body, err := rival.ReadManifest(ctx, base)
	if err != nil {
		return nil, err
	}
	other, err := manifest.WithVersion(body, version)
	if err != nil {
		return nil, err
	}
	_, err = rival.Commit(ctx, version, other)
	var refusal *committer.ConflictError
	if !errors.As(err, &refusal) {
		return nil, fmt.Errorf("a second version %d was not refused: %w", version, err)
	}
	return refusal, nil
}
