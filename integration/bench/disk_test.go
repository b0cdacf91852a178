//go:build linux || darwin

package bench_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// A commit on disk, hint file included, beside the least that makes a file
// appear whole and stay: write, fsync, link, fsync of the folder. And beside the
// same with an attribute as long as that of a commit. TMPDIR says which file
// system.
func BenchmarkDisk(b *testing.B) {
	dir := b.TempDir()
	table := committer.NewTable(open(b, dir, nil), root)
	bare, marked := filepath.Join(dir, "bare"), filepath.Join(dir, "marked")
	require.NoError(b, os.Mkdir(bare, 0o777))
	require.NoError(b, os.Mkdir(marked, 0o777))
	var bytes []byte
	prepare := func(n int) { bytes = body(uint64(n + 1)) }
	compare(b,
		side{name: "link", prepare: prepare, do: func(_ context.Context, n int) error {
			return link(bare, naming.V2.Final(uint64(n+1)), bytes, "")
		}},
		side{name: "Commit", prepare: prepare, most: 1.15, also: withAttribute, do: func(ctx context.Context, n int) error {
			_, err := table.Commit(ctx, uint64(n+1), bytes)
			return err
		}},
		side{name: withAttribute, prepare: prepare, do: func(_ context.Context, n int) error {
			return link(marked, naming.V2.Final(uint64(n+1)), bytes, record(n))
		}},
	)
}

const withAttribute = "link with attribute"

// link creates a file as a whole, or not at all, with an attribute unless that is
// empty.
func link(folder, name string, content []byte, attribute string) error {
	temp, err := os.CreateTemp(folder, ".tmp")
	if err != nil {
		return err
	}
	defer temp.Close()
	if _, err := temp.Write(content); err != nil {
		return err
	}
	if attribute != "" {
		if err := unix.Fsetxattr(int(temp.Fd()), "user."+backends.MetadataName, []byte(attribute), 0); err != nil {
			return err
		}
	}
	if err := temp.Sync(); err != nil {
		return err
	}
	if err := os.Link(temp.Name(), filepath.Join(folder, name)); err != nil {
		return err
	}
	// Before the fsync, or the next one would have to write it.
	if err := os.Remove(temp.Name()); err != nil {
		return err
	}
	in, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer in.Close()
	return in.Sync()
}
