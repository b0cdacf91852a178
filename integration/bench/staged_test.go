package bench_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// CreateTableVersion of a staged manifest by a handle that knows nothing of the
// table, beside the create of the same bytes with the SDK alone: up to the
// certain answer, and with the removal of the staged manifest. And beside the
// requests that this takes, made with the SDK alone: no less can be reached.
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
		requests := func(ctx context.Context, n int) error {
			reads, ctx := errgroup.WithContext(ctx)
			reads.Go(func() error { return at.raw.get(ctx, request.ManifestPath) })
			reads.Go(func() error { return at.raw.list(ctx, naming.Versions(root)) })
			if err := reads.Wait(); err != nil {
				return err
			}
			return at.raw.create(context.WithoutCancel(ctx), naming.Versions(root)+naming.V2.Final(next), bytes, record(n))
		}
		compare(b,
			side{name: "SDK", prepare: func(n int) { bytes = body(uint64(n + 1)) }, do: func(ctx context.Context, n int) error {
				return at.raw.create(ctx, naming.Versions(bare)+naming.V2.Final(uint64(n+1)), bytes, "")
			}},
			side{name: "Create, staged kept", prepare: stage, most: 1.8, bare: "GET, LIST, PUT", do: create(committer.KeepStaged())},
			side{name: "Create", prepare: stage, most: 2.4, bare: "GET, LIST, PUT, DELETE", do: create()},
			side{name: "GET, LIST, PUT", prepare: stage, do: requests},
			side{name: "GET, LIST, PUT, DELETE", prepare: stage, do: func(ctx context.Context, n int) error {
				if err := requests(ctx, n); err != nil {
					return err
				}
				return at.raw.remove(ctx, request.ManifestPath)
			}},
		)
	})
}
