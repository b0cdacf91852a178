package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/naming"
)

func (a *app) commit() *cobra.Command {
	var file, version string
	var asked func() bool
	cmd := a.onTable(&cobra.Command{
		Use:   "commit TABLE --manifest FILE|- [--version N]",
		Short: "Commit a manifest as the next version",
		Long: `commit makes a manifest the version that it says, if that is the next one and
nobody else has it. The data and transaction files that it names must be in
place. When the version is there with the same bytes, it is committed, and the
command succeeds: a commit can be repeated until its outcome is known.`,
		Example: `  lancecommit commit db/images.lance --manifest next.manifest
  build-manifest | lancecommit commit db/images.lance --manifest - --version 8`,
		Args: arguments("TABLE"),
	}, func(ctx context.Context, t *committer.Table, _ []string) error {
		if file == "" {
			return fmt.Errorf("%w: --manifest FILE is missing; - reads standard input", committer.ErrInvalid)
		}
		body, err := a.read(ctx, "manifest", file, maxManifest)
		if err != nil {
			return err
		}
		number, err := versionOf(version, asked(), body)
		if err != nil {
			return withLatest(ctx, t, err)
		}
		v, err := t.Commit(ctx, number, body)
		if err != nil {
			return err
		}
		if a.json {
			err = a.printJSON(toJSON(v))
		} else {
			_, err = fmt.Fprintf(a.out, "version %d is committed: %s, %d bytes\n", v.Number, v.Key, v.Size)
		}
		a.notPrinted(err, "version %d is committed", v.Number)
		return nil
	})
	asked = func() bool { return cmd.Flags().Changed("version") }
	cmd.Flags().StringVar(&file, "manifest", "", "the file with the manifest, - for standard input (required)")
	cmd.Flags().StringVar(&version, "version", "", "the version that the manifest must say (default: the one it says)")
	return cmd
}

// maxManifest is the largest manifest that is read, in bytes.
const maxManifest = 1 << 30

// versionOf returns the version asked for, or else the one that the manifest
// says.
func versionOf(version string, asked bool, body []byte) (uint64, error) {
	if asked {
		return parseVersion(version)
	}
	info, err := manifest.Inspect(body)
	if err != nil {
		// Commit refuses it, and says why.
		return naming.MinVersion, nil
	}
	return info.Version, nil
}

// withLatest adds the latest version to a refusal that the table did not make.
func withLatest(ctx context.Context, t *committer.Table, refusal error) error {
	latest, err := t.Latest(ctx)
	switch {
	case err == nil:
		return fmt.Errorf("%w; the latest version is %d", refusal, latest.Number)
	case errors.Is(err, committer.ErrTableNotFound):
		if t.Branch() != "" {
			return fmt.Errorf("%w; the branch %q has no versions yet", refusal, t.Branch())
		}
		return fmt.Errorf("%w; the table has no versions yet", refusal)
	default:
		return refusal
	}
}
