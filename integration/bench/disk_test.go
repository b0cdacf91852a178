package bench_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// A commit on disk, hint file included, beside the least that makes a file
// appear whole and stay: write, fsync, link, fsync of the folder. TMPDIR says
// which file system.
func BenchmarkDisk(b *testing.B) {
	dir := b.TempDir()
	table := committer.NewTable(open(b, dir, nil), root)
	folder := filepath.Join(dir, "bare")
	require.NoError(b, os.Mkdir(folder, 0o777))
	var bytes []byte
	prepare := func(n int) { bytes = body(uint64(n + 1)) }
	compare(b,
		side{name: "link", prepare: prepare, do: func(_ context.Context, n int) error {
			return link(folder, naming.V2.Final(uint64(n+1)), bytes)
		}},
		side{name: "Commit", prepare: prepare, most: 1.15, do: func(ctx context.Context, n int) error {
			_, err := table.Commit(ctx, uint64(n+1), bytes)
			return err
		}},
	)
}

// link creates a file as a whole, or not at all.
func link(folder, name string, content []byte) error {
	temp, err := os.CreateTemp(folder, ".tmp")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	if _, err := temp.Write(content); err != nil {
		return err
	}
	if err := temp.Sync(); err != nil {
		return err
	}
	if err := os.Link(temp.Name(), filepath.Join(folder, name)); err != nil {
		return err
	}
	in, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer in.Close()
	return in.Sync()
}
