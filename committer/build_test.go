package committer_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

func TestAnErrorOfTheBuildEndsTheUpdateWhateverItIs(t *testing.T) {
	other := committer.NewTable(laid(1, 2), root)
	for name, fail := range map[string]func(ctx context.Context) error{
		"a conflict of another table": func(ctx context.Context) error {
			_, err := other.Commit(ctx, 2, manifestOf(2, "mine"))
			require.ErrorIs(t, err, committer.ErrConflict)
			return err
		},
		"another error": func(context.Context) error { return context.Canceled },
	} {
		t.Run(name, func(t *testing.T) {
			builds := 0
			_, err := committer.NewTable(laid(1), root).Update(t.Context(), func(ctx context.Context, _ committer.Version) ([]byte, error) {
				builds++
				return nil, fail(ctx)
			})
			require.ErrorContains(t, err, "build version 2")
			require.NotErrorIs(t, err, committer.ErrContention)
			require.Equal(t, 1, builds)
		})
	}
}

func TestWhatABuildMadeIsSentHoweverLongThatTook(t *testing.T) {
	slow := func(ctx context.Context, base committer.Version) ([]byte, error) {
		time.Sleep(time.Hour)
		return build(ctx, base)
	}
	t.Run("at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, err := committer.NewTable(laid(1), root).Update(t.Context(), slow)
			require.NoError(t, err)
		})
	})
	t.Run("and again while the store fails", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := laid(1)
			table, sent := scripted(store, []step{answers(errReset), answers(errReset), pass})
			_, err := table.Update(t.Context(), slow)
			require.NoError(t, err)
			require.Equal(t, 3, *sent)
		})
	})
	t.Run("but nothing is built again after MaxElapsed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := laid(1)
			builds := 0
			_, err := committer.NewTable(store, root).Update(t.Context(), func(ctx context.Context, base committer.Version) ([]byte, error) {
				builds++
				lay(store, naming.V2, base.Number+1)
				return slow(ctx, base)
			})
			require.ErrorIs(t, err, committer.ErrContention)
			require.Equal(t, 1, builds)
		})
	})
}

func TestABranchThatIsDeletedDuringALongBuildStaysDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := laid(1, 2, 3)
		store.Inject(escapedRef, []byte(ref))
		store.Inject(branchVersion(3), onBranch(3))
		table := committer.NewTable(store, root, committer.WithBranch(branch))
		_, err := table.Update(t.Context(), func(ctx context.Context, base committer.Version) ([]byte, error) {
			require.NoError(t, store.Delete(ctx, escapedRef))
			time.Sleep(10 * time.Minute)
			return testmanifest.New(base.Number+1, branch, "late"), nil
		})
		require.ErrorIs(t, err, committer.ErrBranchNotFound)
		_, err = store.Head(t.Context(), branchVersion(4))
		require.Error(t, err, "nothing was written")
	})
}
