package bench_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/integration/servers"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

const (
	// root is the table that is measured, bare where the SDK alone writes as
	// many objects with as long names.
	root = "db/t.lance"
	bare = "db/b.lance"
	// size is that of a manifest in bytes, as small tables have.
	size = 600
)

// A place is a bucket of a server, by way of this module and of the SDK alone.
type place struct {
	server  *servers.Server
	bucket  string
	uri     string
	options map[string]string
	store   backends.Store
	raw     raw
}

// eachServer runs a benchmark on each chosen server, of all or of those given.
func eachServer(b *testing.B, run func(b *testing.B, at place), kinds ...servers.Kind) {
	if len(kinds) == 0 {
		kinds = servers.Kinds()
	}
	for _, kind := range kinds {
		b.Run(string(kind), func(b *testing.B) { run(b, newPlace(b, servers.Require(b, kind))) })
	}
}

// newPlace makes an empty bucket, which does not outlast the benchmark where it would
// slow down the next one.
func newPlace(b *testing.B, server *servers.Server) place {
	b.Helper()
	bucket := server.Bucket(b)
	b.Cleanup(func() { require.NoError(b, server.Forget(context.Background(), bucket)) })
	at := place{server: server, bucket: bucket, uri: server.URI(bucket), options: maps.Clone(server.StorageOptions()), raw: rawBucket(b, server, bucket)}
	if server.Kind == servers.FakeGCS {
		at.options = map[string]string{"google_base_url": server.Endpoint, "allow_http": "true"}
	}
	at.store = open(b, at.uri, at.options)
	return at
}

// open opens a store that is closed with the benchmark.
func open(b *testing.B, location string, options map[string]string) all.Store {
	b.Helper()
	store, _, err := all.Open(b.Context(), location, options)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, store.Close()) })
	return store
}

// body is the manifest of a version.
func body(version uint64) []byte {
	return testmanifest.Appended(version, size)
}

// lay makes versions from first to last as fast as the store allows. The last is
// made last, so that a reader who finds it finds a whole chain.
func lay(b *testing.B, store backends.Store, root string, scheme naming.Scheme, first, last uint64) {
	b.Helper()
	create := func(ctx context.Context, version uint64) error {
		_, err := store.PutIfAbsent(ctx, naming.Versions(root)+scheme.Final(version), body(version), backends.PutOptions{})
		return err
	}
	writers, ctx := errgroup.WithContext(b.Context())
	writers.SetLimit(16)
	for version := first; version < last; version++ {
		writers.Go(func() error { return create(ctx, version) })
	}
	require.NoError(b, writers.Wait())
	require.NoError(b, create(b.Context(), last))
}

// same is an error unless a version is the one that it must be.
func same(got, want uint64) error {
	if got != want {
		return fmt.Errorf("version %d, and it must be %d", got, want)
	}
	return nil
}
