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

func TestResolveSaysWhatBecameOfACommit(t *testing.T) {
	for _, tc := range []struct {
		name    string
		chain   []uint64
		version uint64
		note    string
		want    committer.Outcome
	}{
		{"these bytes are there", []uint64{1, 2}, 2, "laid", committer.Committed},
		{"these bytes are there, behind the end", []uint64{1, 2, 3}, 2, "laid", committer.Committed},
		{"others are there", []uint64{1, 2}, 2, "mine", committer.Conflict},
		{"the chain has not come to it", []uint64{1}, 2, "mine", committer.Absent},
		{"the chain is empty", nil, 1, "mine", committer.Absent},
		{"the chain is past it, and it is gone", []uint64{1, 3}, 2, "mine", committer.Unknown},
	} {
		t.Run(tc.name, func(t *testing.T) {
			table := committer.NewTable(laid(tc.chain...), root)
			for range 2 { // cold, then warm
				got, err := table.Resolve(t.Context(), tc.version, manifestOf(tc.version, tc.note))
				require.Equal(t, tc.want, got)
				if tc.want == committer.Unknown {
					require.Error(t, err)
				} else {
					require.NoError(t, err)
				}
			}
		})
	}
}

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

func TestResolveRefusesWhatCannotHaveBeenCommitted(t *testing.T) {
	table := committer.NewTable(laid(1), root)
	_, err := table.Resolve(t.Context(), 0, manifestOf(0, "mine"))
	require.ErrorIs(t, err, committer.ErrInvalid)
	_, err = table.Resolve(t.Context(), 2, []byte("no manifest"))
	require.ErrorIs(t, err, committer.ErrInvalid)
}
