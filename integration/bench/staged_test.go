package bench_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// CreateTableVersion of a staged manifest by a handle that knows nothing of the
// table, beside the create of the same bytes with the SDK alone: up to the
// certain answer, and with the removal of the staged manifest.
func BenchmarkStagedCreate(b *testing.B) {
	const before = 100 // versions
	eachServer(b, func(b *testing.B, at place) {
		lay(b, at.store, root, naming.V2, 1, before)
		next := uint64(before)
		var bytes []byte
		var request committer.CreateTableVersionRequest
		stage := func(int) {
			next++
			bytes = body(next)
			size := int64(len(bytes))
			request = committer.CreateTableVersionRequest{
				Version: int64(next), ManifestSize: &size,
				ManifestPath: naming.Staging(naming.Versions(root)+naming.V2.Final(next), "6ba7b810-9dad-41d1-80b4-00c04fd430c8"),
			}
			_, err := at.store.PutIfAbsent(b.Context(), request.ManifestPath, bytes, backends.PutOptions{})
			require.NoError(b, err)
		}
		create := func(opts ...committer.Option) func(context.Context, int) error {
			return func(ctx context.Context, _ int) error {
				_, err := committer.NewNamespace(at.store, root, append(opts, committer.AtTable())...).CreateTableVersion(ctx, &request)
				return err
			}
		}
		compare(b,
			side{name: "SDK", prepare: func(n int) { bytes = body(uint64(n + 1)) }, do: func(ctx context.Context, n int) error {
				return at.raw.create(ctx, naming.Versions(bare)+naming.V2.Final(uint64(n+1)), bytes)
			}},
			side{name: "Create, staged kept", prepare: stage, most: 1.8, do: create(committer.KeepStaged())},
			side{name: "Create", prepare: stage, most: 2.4, do: create()},
		)
	})
}
