package committer_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

func TestASuccessThatComesLateIsConfirmedOrCalledStale(t *testing.T) {
	v2 := func(version uint64) string { return naming.Versions(root) + naming.V2.Final(version) }
	remove := func(t *testing.T, store *memory.Store, versions ...uint64) {
		for _, v := range versions {
			require.NoError(t, store.Delete(context.Background(), v2(v)))
		}
	}
	for _, tc := range []struct {
		name string
		// before and after happen around the moment at which the PUT of version
		// 3 takes effect, more than 5 s after the end of the chain was learned.
		before, after func(*testing.T, *memory.Store)
		// slow is how long the PUT takes.
		slow     time.Duration
		want     error
		evidence uint64
	}{
		{
			name: "nothing happened meanwhile",
		},
		{
			name: "others committed past it and cleaned up its name",
			before: func(t *testing.T, store *memory.Store) {
				lay(store, naming.V2, 4)
				time.Sleep(100 * time.Millisecond)
			},
			want: committer.ErrStaleCommit, evidence: 4,
		},
		{
			name: "others committed past it, and only they are left",
			before: func(t *testing.T, store *memory.Store) {
				lay(store, naming.V2, 4, 5)
				remove(t, store, 1, 2)
				time.Sleep(100 * time.Millisecond)
			},
			want: committer.ErrStaleCommit, evidence: 5,
		},
		{
			name:  "it is gone when the chain is listed",
			after: func(t *testing.T, store *memory.Store) { remove(t, store, 3) },
			want:  committer.ErrUnknownOutcome,
		},
		{
			name: "another object has its name when the chain is listed",
			after: func(t *testing.T, store *memory.Store) {
				remove(t, store, 3)
				lay(store, naming.V2, 3)
			},
			want: committer.ErrUnknownOutcome,
		},
		{
			name: "the table was dropped and made again",
			before: func(t *testing.T, store *memory.Store) {
				remove(t, store, 1, 2)
				lay(store, naming.V2, 1, 2)
			},
			want: committer.ErrStaleCommit, evidence: 2,
		},
		{
			name:   "the table was dropped",
			before: func(t *testing.T, store *memory.Store) { remove(t, store, 1, 2) },
			want:   committer.ErrUnknownOutcome,
		},
		{
			name: "others committed on top of it before it was confirmed",
			after: func(t *testing.T, store *memory.Store) {
				time.Sleep(100 * time.Millisecond)
				lay(store, naming.V2, 4)
			},
		},
		{
			name: "others committed on top of it and cleaned up what was before it",
			after: func(t *testing.T, store *memory.Store) {
				time.Sleep(100 * time.Millisecond)
				lay(store, naming.V2, 4)
				remove(t, store, 1, 2)
			},
		},
		{
			name: "after a clean-up a late writer made the version before it again",
			after: func(t *testing.T, store *memory.Store) {
				remove(t, store, 1, 2)
				time.Sleep(100 * time.Millisecond)
				lay(store, naming.V2, 2)
			},
			want: committer.ErrUnknownOutcome,
		},
		{
			name: "a slow PUT during which others committed past it",
			after: func(t *testing.T, store *memory.Store) {
				time.Sleep(100 * time.Millisecond)
				lay(store, naming.V2, 4)
			},
			slow: 2 * time.Second,
			want: committer.ErrUnknownOutcome,
		},
		{
			name: "a slow PUT",
			slow: 20 * time.Second,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := laid(1, 2)
				table := committer.NewTable(intercept.Wrap(store, func(
					ctx context.Context, call intercept.Call, do func(context.Context) error,
				) error {
					if call.Method != "PUT" {
						return do(ctx)
					}
					time.Sleep(300*time.Millisecond + tc.slow)
					if tc.before != nil {
						tc.before(t, store)
					}
					err := do(ctx)
					if tc.after != nil {
						tc.after(t, store)
					}
					return err
				}), root, committer.WithRetry(committer.RetryPolicy{AttemptTimeout: time.Minute}))
				_, err := table.Latest(t.Context())
				require.NoError(t, err)
				time.Sleep(4900 * time.Millisecond)
				got, err := table.Commit(t.Context(), 3, manifestOf(3, "mine"))
				if tc.want == nil {
					require.NoError(t, err)
					require.EqualValues(t, 3, got.Number)
					return
				}
				require.ErrorIs(t, err, tc.want)
				require.NotErrorIs(t, err, committer.ErrConflict)
				if tc.evidence != 0 {
					var stale *committer.StaleCommitError
					require.ErrorAs(t, err, &stale)
					require.Equal(t, v2(3), stale.Key)
					require.Equal(t, tc.evidence, stale.Evidence.Number)
					require.Greater(t, stale.Age, 5*time.Second)
				}
			})
		})
	}
}

// Latest would ask for the version after the last one that it knows, and a clean-up
// has taken that.
func TestLatestDoesNotGoBackBehindASuccessThatCameLate(t *testing.T) {
	for _, scheme := range []naming.Scheme{naming.V1, naming.V2} {
		t.Run(scheme.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := memory.New(memory.Options{})
				lay(store, scheme, 1, 2)
				table := committer.NewTable(intercept.Wrap(store, func(
					ctx context.Context, call intercept.Call, do func(context.Context) error,
				) error {
					err := do(ctx)
					if call.Method == "PUT" {
						time.Sleep(100 * time.Millisecond)
						lay(store, scheme, 4, 5)
						time.Sleep(100 * time.Millisecond)
					}
					return err
				}), root)
				_, err := table.Latest(t.Context())
				require.NoError(t, err)
				time.Sleep(4900 * time.Millisecond)
				_, err = table.Commit(t.Context(), 3, manifestOf(3, "mine"))
				require.NoError(t, err)
				for version := range uint64(4) {
					require.NoError(t, store.Delete(t.Context(), naming.Versions(root)+scheme.Final(version+1)))
				}
				latest, err := table.Latest(t.Context())
				require.NoError(t, err)
				require.EqualValues(t, 5, latest.Number)
			})
		})
	}
}

func TestACommitInTimeIsNotConfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, log := counted(laid(1))
		_, err := table.Latest(t.Context())
		require.NoError(t, err)
		time.Sleep(4900 * time.Millisecond)
		log.Take()
		_, err = table.Commit(t.Context(), 2, manifestOf(2, "mine"))
		require.NoError(t, err)
		require.Equal(t, []string{put(2)}, log.Take())

		time.Sleep(4900 * time.Millisecond)
		_, err = table.Commit(t.Context(), 3, manifestOf(3, "mine"))
		require.NoError(t, err)
		require.Equal(t, []string{put(3)}, log.Take(), "an own commit is knowledge, too")

		time.Sleep(5 * time.Second)
		_, err = table.Commit(t.Context(), 4, manifestOf(4, "mine"))
		require.NoError(t, err)
		require.Equal(t, []string{listFirst, put(4)}, log.Take())
	})
}

// A commit that a look has proven may have been there for longer than since the
// last PUT, and others past it.
func TestWhatALookProvedIsNotTakenForTheEndOfTheChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := laid(1)
		key := func(version uint64) string { return naming.Versions(root) + naming.V2.Final(version) }
		replica, rival := committer.NewTable(store, root), committer.NewTable(store, root)
		_, err := replica.Latest(t.Context())
		require.NoError(t, err)
		for version := range uint64(3) {
			_, err := rival.Commit(t.Context(), version+2, manifestOf(version+2, "sent twice"))
			require.NoError(t, err)
		}
		time.Sleep(4900 * time.Millisecond)
		_, err = replica.Commit(t.Context(), 2, manifestOf(2, "sent twice"))
		require.NoError(t, err, "equal bytes are one commit")

		// Version 3 has not been the latest for more than 5 s.
		time.Sleep(600 * time.Millisecond)
		require.NoError(t, store.Delete(t.Context(), key(3)))
		_, err = replica.Commit(t.Context(), 3, manifestOf(3, "the replica's"))
		require.ErrorIs(t, err, committer.ErrConflict)
		_, err = store.Head(t.Context(), key(3))
		require.Error(t, err, "nothing was written")
	})
}

func TestAHintOfOthersIsNotMovedBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(memory.Options{Unordered: true})
		lay(store, naming.V2, 1)
		hint := naming.Versions(root) + naming.Hint
		table := committer.NewTable(intercept.Wrap(store, func(
			ctx context.Context, call intercept.Call, do func(context.Context) error,
		) error {
			err := do(ctx)
			if call.Method == "PUT" {
				time.Sleep(100 * time.Millisecond)
				lay(store, naming.V2, 3)
				store.Inject(hint, []byte(`{"version":3}`))
				time.Sleep(100 * time.Millisecond)
			}
			return err
		}), root)
		_, err := table.Latest(t.Context())
		require.NoError(t, err)
		time.Sleep(4900 * time.Millisecond) // so that the success comes late
		_, err = table.Commit(t.Context(), 2, manifestOf(2, "mine"))
		require.NoError(t, err)
		got, _, err := store.Get(t.Context(), hint)
		require.NoError(t, err)
		require.Equal(t, `{"version":3}`, string(got))
	})
}
