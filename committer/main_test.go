package committer_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const root = "db/t.lance"

// manifestOf returns a manifest for main.
func manifestOf(version uint64, note string) []byte { return testmanifest.New(version, "", note) }

// lay puts versions into a store as another writer would.
func lay(store *memory.Store, scheme naming.Scheme, versions ...uint64) {
	for _, v := range versions {
		store.Inject(naming.Versions(root)+scheme.Final(v), manifestOf(v, "laid"))
	}
}

// laid returns a store that has versions in V2 names.
func laid(versions ...uint64) *memory.Store {
	store := memory.New(memory.Options{})
	lay(store, naming.V2, versions...)
	return store
}

// counted returns a table on a store and the log of its requests.
func counted(store backends.Store, opts ...committer.Option) (*committer.Table, *intercept.Log) {
	log := new(intercept.Log)
	return committer.NewTable(intercept.Wrap(store, log.Around), root, opts...), log
}

// keys lists the objects of the table's _versions/.
func keys(t *testing.T, store backends.Store) []string {
	t.Helper()
	page, err := store.List(context.Background(), backends.ListInput{Prefix: naming.Versions(root)})
	require.NoError(t, err)
	names := []string{}
	for _, object := range page.Objects {
		names = append(names, object.Key[len(naming.Versions(root)):])
	}
	return names
}

// body reads the manifest of a V2 version.
func body(t *testing.T, store backends.Store, version uint64) []byte {
	t.Helper()
	content, _, err := store.Get(context.Background(), naming.Versions(root)+naming.V2.Final(version))
	require.NoError(t, err)
	return content
}
