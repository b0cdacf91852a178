package committer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/integration/fixtures"
)

// The example of the README.

func commitNext(ctx context.Context, store backends.Store) (committer.Version, error) {
	table := committer.NewTable(store, "") // the store is the table's folder
	return table.Update(ctx, func(ctx context.Context, base committer.Version) ([]byte, error) {
		current, err := table.ReadManifest(ctx, base)
		if err != nil {
			return nil, err
		}
		return nextManifest(current, base.Number+1) // your writer's
	})
}

// nextManifest stands for a writer's own: the table as it is, once more.
func nextManifest(current []byte, next uint64) ([]byte, error) {
	return manifest.WithVersion(current, next)
}

func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	table := fixtures.V2() // a table that LanceDB wrote, at version 2
	if err := os.CopyFS(dir, table.FS); err != nil {
		fmt.Println(err)
		return
	}
	store, err := file.Open(filepath.Join(dir, table.Root))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	v, err := commitNext(context.Background(), store)
	fmt.Println(v.Number, v.Key, err)
	// Output: 3 _versions/18446744073709551612.manifest <nil>
}

func TestTheExampleOfTheREADMEIsTheOneThatIsTested(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	_, snippet, found := strings.Cut(string(readme), "```go\n")
	require.True(t, found)
	snippet, _, found = strings.Cut(snippet, "```")
	require.True(t, found)
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	require.Contains(t, string(source), snippet)
}
