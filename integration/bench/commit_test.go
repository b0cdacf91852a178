package bench_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	gocloud "gocloud.dev/blob"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// A commit, the end of the chain known, beside the create of the same bytes with
// the SDK alone, with the SDK and as much metadata as a commit stores, and with
// gocloud.dev/blob, which does not learn its outcome.
func BenchmarkCommit(b *testing.B) {
	eachServer(b, func(b *testing.B, at place) {
		table := committer.NewTable(at.store, root)
		portable := at.raw.portable(b)
		b.Cleanup(func() { require.NoError(b, portable.Close()) })
		var bytes []byte
		prepare := func(n int) { bytes = body(uint64(n + 1)) }
		compare(b,
			side{name: "SDK", prepare: prepare, do: func(ctx context.Context, n int) error {
				return at.raw.create(ctx, naming.Versions(bare)+naming.V2.Final(uint64(n+1)), bytes, "")
			}},
			side{name: "Commit", prepare: prepare, most: 1.03, mostAllocs: 1.08, bare: withRecord, do: func(ctx context.Context, n int) error {
				_, err := table.Commit(ctx, uint64(n+1), bytes)
				return err
			}},
			side{name: withRecord, prepare: prepare, do: func(ctx context.Context, n int) error {
				return at.raw.create(ctx, naming.Versions("db/r.lance")+naming.V2.Final(uint64(n+1)), bytes, record(n))
			}},
			side{name: "gocloud", prepare: prepare, do: func(ctx context.Context, n int) error {
				return portable.WriteAll(ctx, naming.Versions("db/g.lance")+naming.V2.Final(uint64(n+1)), bytes,
					&gocloud.WriterOptions{IfNotExist: true, ContentType: "application/octet-stream"})
			}},
		)
	})
}

// record is as long as what a commit stores beside a manifest, and as no other:
// ext4 keeps equal attributes of files that do not fit into their inodes once.
func record(n int) string { return fmt.Sprintf("%060d", n) }

const withRecord = "SDK with metadata"
