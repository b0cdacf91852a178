package bench_test

import (
	"context"
	"testing"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// versions is how many versions the tables have that the latest is looked for in.
const versions = 1000

// The latest version by a handle that knows nothing beside a bare listing of 8
// keys, and by one that knew it beside a bare HEAD of a name that is not there.
func BenchmarkLatest(b *testing.B) {
	eachServer(b, func(b *testing.B, at place) {
		lay(b, at.store, root, naming.V2, 1, versions)
		prefix := naming.Versions(root)
		b.Run("cold", func(b *testing.B) {
			compare(b,
				side{name: "LIST", do: func(ctx context.Context, _ int) error { return at.raw.list(ctx, prefix) }},
				side{name: "Latest", most: 1.05, do: func(ctx context.Context, _ int) error {
					return latest(ctx, committer.NewTable(at.store, root), versions)
				}},
			)
		})
		b.Run("warm", func(b *testing.B) {
			table := committer.NewTable(at.store, root)
			compare(b,
				side{name: "HEAD", do: func(ctx context.Context, _ int) error {
					return at.raw.head(ctx, prefix+naming.V2.Final(versions+1))
				}},
				side{name: "Latest", most: 1.03, do: func(ctx context.Context, _ int) error {
					return latest(ctx, table, versions)
				}},
			)
		})
	})
}

// latest asks a table for its latest version, which is to be the one given.
func latest(ctx context.Context, table *committer.Table, want uint64) error {
	v, err := table.Latest(ctx)
	if err != nil {
		return err
	}
	return same(v.Number, want)
}
