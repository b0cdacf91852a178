package committer_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

func put(version uint64) string  { return "PUT " + naming.V2.Final(version) }
func head(version uint64) string { return "HEAD " + naming.V2.Final(version) }

const (
	listFirst = "LIST _versions 8"
	listMore  = "LIST _versions 1000"
	listAll   = "LIST _versions 0"
)

func TestRequestsOfACommit(t *testing.T) {
	table, log := counted(laid(1))

	_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
	require.NoError(t, err)
	require.Equal(t, []string{listFirst, put(2)}, log.Take(), "cold")

	for version := uint64(3); version < 6; version++ {
		_, err = table.Commit(t.Context(), version, manifestOf(version, "mine"))
		require.NoError(t, err)
		require.Equal(t, []string{put(version)}, log.Take(), "the end is known")
	}

	_, err = table.Commit(t.Context(), 5, manifestOf(5, "mine"))
	require.NoError(t, err)
	require.Equal(t, []string{head(5)}, log.Take(), "a replay")
}

func TestRequestsOfAnUpdate(t *testing.T) {
	table, log := counted(laid(1))
	build := func(ctx context.Context, base committer.Version) ([]byte, error) {
		if _, err := table.ReadManifest(ctx, base); err != nil {
			return nil, err
		}
		return manifestOf(base.Number+1, "mine"), nil
	}
	_, err := table.Update(t.Context(), build)
	require.NoError(t, err)
	require.Equal(t, []string{listFirst, "GET " + naming.V2.Final(1), put(2)}, log.Take(), "cold")

	_, err = table.Update(t.Context(), build)
	require.NoError(t, err)
	require.Equal(t, []string{put(3)}, log.Take(), "warm: the base is in memory")
}

func TestRequestsOfALostRace(t *testing.T) {
	store := laid(1)
	table, log := counted(store)
	_, err := table.Latest(t.Context())
	require.NoError(t, err)
	log.Take()

	other := committer.NewTable(store, root)
	_, err = other.Commit(t.Context(), 2, manifestOf(2, "other"))
	require.NoError(t, err)
	_, err = table.Commit(t.Context(), 2, manifestOf(2, "mine!"))
	require.ErrorIs(t, err, committer.ErrConflict)
	require.Equal(t, []string{put(2), head(2)}, log.Take(), "equal sizes, and the digest is recorded")

	_, err = table.Latest(t.Context())
	require.NoError(t, err)
	store.Inject(naming.Versions(root)+naming.V2.Final(3), manifestOf(3, "of another size"))
	log.Take()
	_, err = table.Commit(t.Context(), 3, manifestOf(3, "mine"))
	require.ErrorIs(t, err, committer.ErrConflict)
	require.Equal(t, []string{put(3), head(3)}, log.Take(), "other sizes")

	_, err = table.Latest(t.Context())
	require.NoError(t, err)
	lay(store, naming.V2, 4)
	log.Take()
	_, err = table.Commit(t.Context(), 4, manifestOf(4, "mine"))
	require.ErrorIs(t, err, committer.ErrConflict)
	require.Equal(t, []string{put(4), head(4), "GET " + naming.V2.Final(4)}, log.Take(), "equal sizes, no digest")

	lay(store, naming.V2, 5)
	_, err = table.Latest(t.Context())
	require.NoError(t, err)
	log.Take()
	_, err = other.Commit(t.Context(), 6, manifestOf(6, "other"))
	require.NoError(t, err)
	_, err = table.Update(t.Context(), func(_ context.Context, base committer.Version) ([]byte, error) {
		return manifestOf(base.Number+1, "mine"), nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{put(6), head(6), head(7), put(7)}, log.Take(), "an update looks, and goes on from there")
}

func TestRequestsOfLatest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(memory.Options{})
		for v := uint64(1); v <= 10_000; v++ {
			store.Inject(naming.Versions(root)+naming.V2.Final(v), nil)
		}
		table, log := counted(store)
		latest := func(want uint64) []string {
			t.Helper()
			got, err := table.Latest(t.Context())
			require.NoError(t, err)
			require.Equal(t, want, got.Number)
			return log.Take()
		}
		require.Equal(t, []string{listFirst}, latest(10_000), "cold, among 10,000 versions")
		require.Equal(t, []string{head(10_001)}, latest(10_000), "warm")
		lay(store, naming.V2, 10_001)
		require.Equal(t, []string{head(10_001), listFirst}, latest(10_001), "warm, and another writer committed")
		time.Sleep(time.Minute)
		require.Equal(t, []string{listFirst}, latest(10_001), "a minute later")
	})
}

func TestStagedManifestsInFrontOfTheLatestCostAPageMore(t *testing.T) {
	store := laid(1, 2)
	for i := range 200 {
		store.Inject(naming.Versions(root)+naming.Staging(naming.V2.Final(3), fmt.Sprintf("00000000-0000-0000-0000-%012d", i)), nil)
	}
	table, log := counted(store)
	got, err := table.Latest(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, got.Number)
	require.Equal(t, []string{listFirst, listMore}, log.Take())
}

func TestRequestsOfVersion(t *testing.T) {
	store := memory.New(memory.Options{})
	lay(store, naming.V1, 1, 2)
	table, log := counted(store)
	_, err := table.Version(t.Context(), 2)
	require.NoError(t, err)
	require.Equal(t, []string{head(2), "HEAD 2.manifest"}, log.Take(), "the scheme is not known")
	_, err = table.Version(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, []string{"HEAD 1.manifest"}, log.Take())
	_, err = table.Version(t.Context(), 9)
	require.ErrorIs(t, err, committer.ErrVersionNotFound)
	require.Equal(t, []string{"HEAD 9.manifest", head(9)}, log.Take(), "names can have been migrated")
}

func TestACommitOnAnUnorderedStoreListsAllAndWritesTheHint(t *testing.T) {
	store := memory.New(memory.Options{Unordered: true, PageSize: 4})
	lay(store, naming.V2, 1, 2, 3, 4, 5, 6)
	table, log := counted(store)
	_, err := table.Commit(t.Context(), 7, manifestOf(7, "mine"))
	require.NoError(t, err)
	require.Equal(t, []string{listAll, listAll, put(7), "OVERWRITE " + naming.Hint}, log.Take())
	_, err = table.Commit(t.Context(), 8, manifestOf(8, "mine"))
	require.NoError(t, err)
	require.Equal(t, []string{put(8), "OVERWRITE " + naming.Hint}, log.Take())
}

func TestStaleAfterZeroVerifiesEveryCommit(t *testing.T) {
	table, log := counted(laid(1), committer.WithStaleAfter(0))
	for version := uint64(2); version < 4; version++ {
		_, err := table.Commit(t.Context(), version, manifestOf(version, "mine"))
		require.NoError(t, err)
		require.Equal(t, []string{listFirst, put(version), listFirst}, log.Take())
	}
	_, err := table.Update(t.Context(), build)
	require.NoError(t, err)
	require.Equal(t, []string{listFirst, listFirst, put(4), listFirst}, log.Take(), "the build may have taken its time")
}

// What a program does with the report of an attempt is no doubt of its answer.
func TestAnAnswerIsAsOldAsItWasWhenItCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, log := counted(laid(1), committer.WithHooks(committer.Hooks{
			Attempt: func(context.Context, committer.AttemptInfo) { time.Sleep(time.Minute) },
		}))
		_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
		require.NoError(t, err)
		require.Equal(t, []string{listFirst, put(2)}, log.Take())
	})
}

func TestRequestsOfRepeatedAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log intercept.Log
		answers := func(errs ...error) *committer.Table {
			return committer.NewTable(intercept.Wrap(laid(1), func(
				ctx context.Context, call intercept.Call, do func(context.Context) error,
			) error {
				return log.Around(ctx, call, func(ctx context.Context) error {
					if call.Method == "PUT" && len(errs) > 0 {
						err := errs[0]
						errs = errs[1:]
						return err
					}
					return do(ctx)
				})
			}), root)
		}
		commit := func(table *committer.Table) []string {
			_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
			require.NoError(t, err)
			return log.Take()
		}
		require.Equal(t, []string{listFirst, put(2), head(2), put(2)}, commit(answers(backends.ErrThrottled)),
			"throttled: nothing was written, so nothing can have been removed")
		require.Equal(t, []string{listFirst, put(2), put(2)}, commit(answers(backends.ErrContended)), "not decided")
		require.Equal(t, []string{listFirst, put(2), head(2), listFirst, put(2)}, commit(answers(errReset)), "unknown")

		requests := commit(answers(slices.Repeat([]error{errReset}, 12)...))
		require.Equal(t, put(2), requests[len(requests)-1],
			"the end of the chain was learned again before the last attempt, so that is not late")
	})
}
