package integration_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/integration/fixtures"
)

func TestLanceDBReadsExactlyTheVersionThatGoCommitted(t *testing.T) {
	eachChain(t, func(t *testing.T, ctx context.Context, chain laidChain) {
		openBefore := chain.open(t, ctx)
		chain.commitStaged(t, ctx, chain.handle(t))

		require.Equal(t, fmt.Sprintf(`{"version":%d}`, chain.Next.Number), chain.hint(t))
		require.FileExists(t, chain.path(chain.Staged), "what is staged is not the committer's to delete")

		fresh := chain.open(t, ctx)
		requireVersion(t, ctx, fresh, chain.Next)
		require.Equal(t, chain.upTo(chain.Next.Number), numbersInLanceDB(t, ctx, fresh))
		requireVersion(t, ctx, openBefore, chain.Latest())
		require.NoError(t, openBefore.CheckoutLatest(ctx))
		requireVersion(t, ctx, openBefore, chain.Next)

		for _, older := range chain.Versions {
			require.NoError(t, fresh.Checkout(ctx, older.Number))
			requireVersion(t, ctx, fresh, older)
		}
		for _, other := range chain.table.Chains() {
			if other.Branch != chain.Branch {
				other := laidChain{Chain: other, table: chain.table, folder: chain.folder, lance: chain.lance}
				requireVersion(t, ctx, other.open(t, ctx), other.Latest())
			}
		}
	})
}

func TestGoSeesWhatLanceDBAppendsOnTop(t *testing.T) {
	eachChain(t, func(t *testing.T, ctx context.Context, chain laidChain) {
		warm := chain.handle(t)
		chain.commitStaged(t, ctx, warm)
		_, err := warm.Latest(ctx)
		require.NoError(t, err)

		lance := chain.open(t, ctx)
		appended, err := lance.Append(ctx, rowsOf(201, 202)...)
		require.NoError(t, err)
		require.Equal(t, chain.Next.Number+1, appended)

		cold := chain.handle(t)
		for name, table := range map[string]*committer.Table{"warm": warm, "cold": cold} {
			v, err := table.Latest(ctx)
			require.NoError(t, err)
			require.Equal(t, appended, v.Number, "%s handle", name)
			require.Equal(t, chain.upTo(appended), numbersOf(t, ctx, table), "%s handle", name)
		}

		latest, err := cold.Latest(ctx)
		require.NoError(t, err)
		body, err := cold.ReadManifest(ctx, latest)
		require.NoError(t, err)
		info, err := manifest.Inspect(body)
		require.NoError(t, err)
		require.Equal(t, appended, info.Version)
		require.Equal(t, chain.Branch, info.Branch)
		require.True(t, info.RowsKnown)
		require.Equal(t, uint64(len(chain.Next.IDs)+2), info.Rows)
		require.Equal(t, 2, info.Fields)
		require.Equal(t, "lance", info.DataFormat.FileFormat)
		require.FileExists(t, chain.path(path.Join(chain.Root, "_transactions", info.TransactionFile)))
	})
}

func TestGoAndLanceDBBuildOnEachOtherInTurns(t *testing.T) {
	eachChain(t, func(t *testing.T, ctx context.Context, chain laidChain) {
		table, lance := chain.handle(t), chain.open(t, ctx)
		want := chain.Latest()
		ids := slices.Clone(want.IDs)
		for turn := range int32(3) {
			v, err := table.Update(ctx, sameRows(table))
			require.NoError(t, err)
			require.Equal(t, want.Number+1, v.Number)
			ids = append(ids, 201+turn)
			number, err := lance.Append(ctx, rowsOf(201+turn)...)
			require.NoError(t, err)
			require.Equal(t, v.Number+1, number)

			want = fixtures.Version{Number: number, IDs: ids}
			requireVersion(t, ctx, chain.open(t, ctx), want)
		}
	})
}

// sameRows builds the next version with the rows of its base.
func sameRows(table *committer.Table) committer.BuildFunc {
	return func(ctx context.Context, base committer.Version) ([]byte, error) {
		body, err := table.ReadManifest(ctx, base)
		if err != nil {
			return nil, err
		}
		return manifest.WithVersion(body, base.Number+1)
	}
}

func TestCommitOfAVersionThatLanceDBHasIsAConflictAndChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		knowsTheEnd bool // as it was before LanceDB's commit
		puts        int
	}{
		"the handle sees it before it writes":    {knowsTheEnd: false, puts: 0},
		"the handle finds out when it writes it": {knowsTheEnd: true, puts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			eachChain(t, func(t *testing.T, ctx context.Context, chain laidChain) {
				var puts int
				table := chain.handle(t, committer.WithHooks(committer.Hooks{
					Attempt: func(context.Context, committer.AttemptInfo) { puts++ },
				}))
				if c.knowsTheEnd {
					_, err := table.Latest(ctx)
					require.NoError(t, err)
				}
				lance := chain.open(t, ctx)
				number, err := lance.Append(ctx, rowsOf(201)...)
				require.NoError(t, err)
				require.Equal(t, chain.Next.Number, number)
				before, statBefore := chain.read(t, chain.Final()), stat(t, chain.path(chain.Final()))

				_, err = table.Commit(ctx, chain.Next.Number, chain.read(t, chain.Staged))
				require.ErrorIs(t, err, committer.ErrConflict)
				var conflict *committer.ConflictError
				require.True(t, errors.As(err, &conflict))
				require.Equal(t, number, conflict.Latest)
				require.Equal(t, number+1, conflict.Next)
				require.NotNil(t, conflict.Winner)
				require.Equal(t, chain.Final(), path.Join(chain.table.Root, conflict.Winner.Key))
				require.Equal(t, int64(len(before)), conflict.Winner.Size)
				require.Equal(t, c.puts, puts)

				require.Equal(t, before, chain.read(t, chain.Final()))
				after := stat(t, chain.path(chain.Final()))
				require.True(t, os.SameFile(statBefore, after))
				require.Equal(t, statBefore.ModTime(), after.ModTime())
				requireVersion(t, ctx, chain.open(t, ctx),
					fixtures.Version{Number: number, IDs: append(slices.Clone(chain.Latest().IDs), 201)})
			})
		})
	}
}

func stat(t *testing.T, name string) os.FileInfo {
	t.Helper()
	info, err := os.Lstat(name)
	require.NoError(t, err)
	return info
}

// LanceDB passes over the files of a writer that was killed, and over a
// manifest staged for a version that is long there.
func TestLanceDBIsNotDisturbedByWhatAWriterLeftBehind(t *testing.T) {
	eachChain(t, func(t *testing.T, ctx context.Context, chain laidChain) {
		chain.commitStaged(t, ctx, chain.handle(t))
		leftover := chain.path(path.Join(chain.Root, "_versions", file.TempPrefix+"left"))
		require.NoError(t, os.WriteFile(leftover, chain.read(t, chain.Final())[:100], 0o666))

		lance := chain.open(t, ctx)
		requireVersion(t, ctx, lance, chain.Next)
		number, err := lance.Append(ctx, rowsOf(201)...)
		require.NoError(t, err)
		require.Equal(t, chain.upTo(number), numbersInLanceDB(t, ctx, lance))
		require.Equal(t, chain.upTo(number), numbersOf(t, ctx, chain.handle(t)))
	})
}
