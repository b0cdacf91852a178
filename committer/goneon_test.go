package committer_test

import (
	"context"
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

// An update that has lost a race goes on from the winner by HEADs while what it
// knew of the chain is fresh, and lists otherwise.
func TestRequestsOfAnUpdateThatOthersHaveGonePast(t *testing.T) {
	for _, tc := range []struct {
		name  string
		store memory.Options
		opts  []committer.Option
		// others make so many versions behind its back, the first of which it loses to.
		others uint64
		// slow is how long some requests take.
		slow map[string]time.Duration
		want []string
	}{
		{
			name: "by one version", others: 1,
			want: []string{put(2), head(2), head(3), put(3)},
		},
		{
			name: "by two", others: 2,
			want: []string{put(2), head(2), head(3), head(4), put(4)},
		},
		{
			name: "by more than the HEADs that a LIST costs", others: 5,
			want: []string{put(2), head(2), head(3), head(4), listFirst, put(7)},
		},
		{
			name: "while it looked for longer than the end that it knew is fresh", others: 1,
			slow: map[string]time.Duration{head(2): 6 * time.Second},
			want: []string{put(2), head(2), head(3), listFirst, put(3)},
		},
		{
			// No HEAD makes what was listed 5 s ago any younger, so a LIST confirms the
			// success that comes then.
			name: "and its own create is answered when that end is old", others: 1,
			slow: map[string]time.Duration{head(2): 3 * time.Second, put(3): 3 * time.Second},
			want: []string{put(2), head(2), head(3), put(3), listFirst},
		},
		{
			name: "where what is known is never fresh", others: 1,
			opts: []committer.Option{committer.WithStaleAfter(0)},
			want: []string{listFirst, listFirst, listFirst, listFirst, put(3), listFirst},
		},
		{
			// Only the bytes could tell who was first, and both built the same.
			name: "where the store has no metadata to look for", others: 1,
			store: memory.Options{NoMetadata: true},
			want:  []string{put(2), head(2), "GET " + naming.V2.Final(2), listFirst, put(3)},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, log := memory.New(tc.store), new(intercept.Log)
				lay(store, naming.V2, 1)
				table := committer.NewTable(intercept.Wrap(store, func(
					ctx context.Context, call intercept.Call, do func(context.Context) error,
				) error {
					time.Sleep(tc.slow[call.String()])
					return log.Around(ctx, call, do)
				}), root, tc.opts...)
				_, err := table.Latest(t.Context())
				require.NoError(t, err)
				log.Take()

				other := committer.NewTable(store, root)
				var bases []committer.Version
				v, err := table.Update(t.Context(), func(ctx context.Context, base committer.Version) ([]byte, error) {
					if bases = append(bases, base); len(bases) == 1 {
						for range tc.others {
							_, err := other.Update(ctx, build)
							require.NoError(t, err)
						}
					}
					return build(ctx, base)
				})
				require.NoError(t, err)
				require.Equal(t, tc.want, log.Take())
				require.Equal(t, tc.others+2, v.Number)

				// What a HEAD shows of the base is what a LIST shows.
				require.Len(t, bases, 2)
				base := bases[1]
				page, err := store.List(t.Context(), backends.ListInput{Prefix: naming.Versions(root)})
				require.NoError(t, err)
				require.Equal(t, page.Objects[1].Key, base.Key)
				require.Equal(t, page.Objects[1].Attrs, backends.Attrs{Size: base.Size, ETag: base.ETag, Modified: base.Modified})
			})
		})
	}
}

// A table without versions has no scheme yet: names are those that it will have.
func TestAnUpdateThatLosesTheFirstVersionsGoesOnByTheirNames(t *testing.T) {
	for _, scheme := range []naming.Scheme{naming.V1, naming.V2} {
		t.Run(scheme.String(), func(t *testing.T) {
			store := memory.New(memory.Options{})
			table, log := counted(store, committer.WithScheme(scheme))
			other := committer.NewTable(store, root, committer.WithScheme(scheme))
			var bases []committer.Version
			_, err := table.Update(t.Context(), func(ctx context.Context, base committer.Version) ([]byte, error) {
				if bases = append(bases, base); len(bases) == 1 {
					log.Take()
					for range 2 {
						_, err := other.Update(ctx, build)
						require.NoError(t, err)
					}
				}
				return build(ctx, base)
			})
			require.NoError(t, err)
			require.Equal(t, []string{
				"PUT " + scheme.Final(1), "HEAD " + scheme.Final(1), "HEAD " + scheme.Final(2), "HEAD " + scheme.Final(3), "PUT " + scheme.Final(3),
			}, log.Take())
			require.Equal(t, scheme, bases[1].Scheme)
			require.EqualValues(t, 2, bases[1].Number)
		})
	}
}

// Whatever it was that took the time: others were faster.
func TestAnUpdateThatRunsOutOfTimeAfterALostRaceIsContention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := laid(1)
		other, lost := committer.NewTable(store, root), false
		table := committer.NewTable(intercept.Wrap(store, func(
			ctx context.Context, call intercept.Call, do func(context.Context) error,
		) error {
			if slow := map[string]time.Duration{"HEAD": 6 * time.Second, "LIST": 25 * time.Second}; lost {
				time.Sleep(slow[call.Method])
			}
			return do(ctx)
		}), root)
		_, err := table.Update(t.Context(), func(ctx context.Context, base committer.Version) ([]byte, error) {
			for n := 0; !lost && n < 20; n++ {
				_, err := other.Update(ctx, build)
				require.NoError(t, err)
			}
			lost = true
			return build(ctx, base)
		})
		require.ErrorIs(t, err, committer.ErrContention)
		require.ErrorContains(t, err, "after 1 lost race in ")
		require.ErrorContains(t, err, "the latest version is at least 2")
	})
}

// Another goroutine lists while the update looks for what follows the winner.
func TestAnUpdateDoesNotGoBackBehindWhatWasListedMeanwhile(t *testing.T) {
	store := laid(1)
	var table *committer.Table
	looked := false
	log := new(intercept.Log)
	table = committer.NewTable(intercept.Wrap(store, func(
		ctx context.Context, call intercept.Call, do func(context.Context) error,
	) error {
		err := log.Around(ctx, call, do)
		if call.String() == head(3) && !looked {
			looked = true
			lay(store, naming.V2, 3, 4)
			for _, err := range table.Versions(ctx, committer.VersionsOptions{}) {
				require.NoError(t, err)
			}
		}
		return err
	}), root)
	built := 0
	v, err := table.Update(t.Context(), func(ctx context.Context, base committer.Version) ([]byte, error) {
		if built++; built == 1 {
			lay(store, naming.V2, 2)
		}
		return build(ctx, base)
	})
	require.NoError(t, err)
	require.EqualValues(t, 5, v.Number)
	require.Equal(t, []string{listFirst, put(2), head(2), "GET " + naming.V2.Final(2), head(3), "LIST _versions 1000", put(5)}, log.Take())
}

// Another goroutine lists while the create is under way that loses. What it learned
// says nothing of the versions that follow the winner: those are older, and a
// clean-up can have taken some.
func TestAnUpdateDoesNotGoOnFromAWinnerThatIsLongPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := laid(1)
		var table *committer.Table
		table = committer.NewTable(intercept.Wrap(store, func(
			ctx context.Context, call intercept.Call, do func(context.Context) error,
		) error {
			if call.String() == put(2) {
				time.Sleep(200 * time.Millisecond)
				require.NoError(t, store.Delete(ctx, naming.Versions(root)+naming.V2.Final(4)))
				_, err := table.Latest(ctx)
				require.NoError(t, err)
			}
			return do(ctx)
		}), root)
		_, err := table.Latest(t.Context())
		require.NoError(t, err)
		lay(store, naming.V2, 2, 3, 4, 5, 6)
		time.Sleep(4900 * time.Millisecond)
		v, err := table.Update(t.Context(), build)
		require.NoError(t, err)
		require.EqualValues(t, 7, v.Number)
		_, err = store.Head(t.Context(), naming.Versions(root)+naming.V2.Final(4))
		require.ErrorIs(t, err, backends.ErrNotExist)
	})
}
