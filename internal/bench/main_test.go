package bench_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/integration/fixtures"
	"github.com/lancecommit/lancecommit/internal/bench"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// small is a benchmark that ends when its objects are used up.
func small(t *testing.T, stores ...backends.Store) bench.Config {
	t.Helper()
	table := fixtures.V2()
	body, err := fs.ReadFile(table.FS, table.Main.Staged)
	require.NoError(t, err)
	return bench.Config{
		Root: "some/folder", Stores: stores, Manifest: body, Writers: []int{8, 1, 3}, For: bench.MaxFor, MaxObjects: bench.MinObjects,
	}
}

// inside returns the keys below a folder of the tests, at any depth.
func inside(t *testing.T, store backends.Store, folder string) (keys []string) {
	t.Helper()
	page, err := store.List(t.Context(), backends.ListInput{Prefix: folder})
	require.NoError(t, err)
	require.Empty(t, page.Token)
	for _, object := range page.Objects {
		keys = append(keys, object.Key)
	}
	for _, prefix := range page.Prefixes {
		keys = append(keys, inside(t, store, prefix)...)
	}
	return keys
}

// failing returns a store whose calls fail with what fail says.
func failing(store backends.Store, fail func(call intercept.Call) error) backends.Store {
	return intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
		if err := fail(call); err != nil {
			return err
		}
		return do(ctx)
	})
}

var errStorm = errors.New("the store has a bad day")

func isPut(call intercept.Call) bool { return call.Method == "PUT" }

func isDelete(call intercept.Call) bool { return strings.HasSuffix(call.Method, "DELETE") }

func newMemory() backends.Store { return memory.New(memory.Options{}) }
