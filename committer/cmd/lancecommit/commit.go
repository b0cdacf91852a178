package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/naming"
)

func (a *app) commit() *cobra.Command {
	var file, version string
	cmd := a.onTable(&cobra.Command{
		Use:   "commit TABLE --manifest FILE|- [--version N]",
		Short: "Commit a manifest as the next version",
		Long: `commit makes a manifest the version that it says, if that is the next one and
nobody else has it. The data and transaction files that it names must be in
place. When the version is there with the same bytes, it is committed, and the
command succeeds: a commit can be repeated until its outcome is known.`,
		Example: `  lancecommit commit db/images.lance --manifest next.manifest
  build-manifest | lancecommit commit db/images.lance --manifest - --version 8`,
		Args: arguments(1, 1),
	}, func(ctx context.Context, t *committer.Table, _ []string) error {
		body, err := a.readManifest(file)
		if err != nil {
			return err
		}
		number, err := versionOf(version, body)
		if err != nil {
			return withLatest(ctx, t, err)
		}
		v, err := t.Commit(ctx, number, body)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(toJSON(v))
		}
		_, err = fmt.Fprintf(a.out, "version %d is committed: %s, %d bytes\n", v.Number, v.Key, v.Size)
		return err
	})
	cmd.Flags().StringVar(&file, "manifest", "", "the file with the manifest, - for standard input (required)")
	cmd.Flags().StringVar(&version, "version", "", "the version that the manifest must say (default: the one it says)")
	return cmd
}

// readManifest reads the manifest from a file or from standard input.
func (a *app) readManifest(file string) ([]byte, error) {
	var body []byte
	var err error
	switch file {
	case "":
		return nil, fmt.Errorf("%w: --manifest FILE is missing; - reads standard input", committer.ErrInvalid)
	case "-":
		body, err = io.ReadAll(a.in)
	default:
		body, err = os.ReadFile(file)
	}
	if err != nil {
		// Not wrapped: a manifest that is missing is not a missing table.
		return nil, fmt.Errorf("%w: read the manifest: %v", committer.ErrInvalid, err)
	}
	return body, nil
}

// versionOf returns the version asked for, or else the one that the manifest
// says.
func versionOf(asked string, body []byte) (uint64, error) {
	if asked != "" {
		return parseVersion(asked)
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
		return fmt.Errorf("%w; the table has no versions yet", refusal)
	default:
		return refusal
	}
}
