package committer_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

func TestResolveFindsNamesOfBothSchemes(t *testing.T) {
	store := memory.New(memory.Options{})
	lay(store, naming.V1, 1, 2)
	got, err := committer.NewTable(store, root).Resolve(t.Context(), 2, manifestOf(2, "laid"))
	require.NoError(t, err)
	require.Equal(t, committer.Committed, got)
}

func TestResolveWithoutAnAnswerIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, method := range []string{"HEAD", "LIST"} {
			table, _ := refusing(laid(1), method, backends.ErrPermission)
			got, err := table.Resolve(t.Context(), 2, manifestOf(2, "mine"))
			require.Equal(t, committer.Unknown, got)
			require.ErrorIs(t, err, backends.ErrPermission)
		}
	})
}

func TestResolveSeesAVersionThatAppearsWhileItLooks(t *testing.T) {
	store := laid(1)
	heads := 0
	table := committer.NewTable(intercept.Wrap(store, func(
		ctx context.Context, call intercept.Call, do func(context.Context) error,
	) error {
		err := do(ctx)
		if call.Method == "HEAD" {
			if heads++; heads == 1 {
				lay(store, naming.V2, 2)
			}
		}
		return err
	}), root)
	got, err := table.Resolve(t.Context(), 2, manifestOf(2, "laid"))
	require.NoError(t, err)
	require.Equal(t, committer.Committed, got)
}

func TestResolveRefusesBytesThatAreNoManifest(t *testing.T) {
	_, err := committer.NewTable(laid(1), root).Resolve(t.Context(), 2, []byte("no manifest"))
	require.ErrorIs(t, err, committer.ErrInvalid)
}
