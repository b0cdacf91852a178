package integration_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/integration/fixtures"
	"github.com/lancecommit/lancecommit/integration/lancedb"
)

func TestLanceDBOpensWhatQuickstartCommitted(t *testing.T) {
	lancedb.Require(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	dir := filepath.Join(t.TempDir(), "demo")
	for range 2 { // it can be run again
		out, err := exec.CommandContext(ctx, "go", "run", "../committer/cmd/lancecommit", "quickstart", dir).CombinedOutput()
		require.NoError(t, err, "%s", out)
		fixture := fixtures.V2()
		table, err := lancedb.Start(t).Open(ctx, lancedb.Location{URI: dir, Table: fixture.Name}, lancedb.OpenOptions{})
		require.NoError(t, err)
		requireVersion(t, ctx, table, fixture.Main.Next)
	}
}
