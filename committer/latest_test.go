package committer_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

// Pages show different moments. The first of these is read before versions 10 and 11,
// which belong there, and the second after a clean-up that took 9, and kept 8.
func TestLatestDoesNotGoBackByAListingThatACleanUpOvertook(t *testing.T) {
	for name, overtake := range map[string]func(context.Context, *committer.Table){
		"its own": func(context.Context, *committer.Table) {},
		"of Versions": func(ctx context.Context, table *committer.Table) {
			for v, err := range table.Versions(ctx, committer.VersionsOptions{}) {
				require.NoError(t, err)
				require.EqualValues(t, 8, v.Number)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := memory.New(memory.Options{PageSize: 1})
				lay(store, naming.V1, 8, 9)
				overtaken := true
				table := committer.NewTable(intercept.Wrap(store, func(
					ctx context.Context, call intercept.Call, do func(context.Context) error,
				) error {
					err := do(ctx)
					if call.Method == "LIST" && !overtaken {
						overtaken = true
						lay(store, naming.V1, 10, 11)
						time.Sleep(5 * time.Second)
						require.NoError(t, store.Delete(ctx, naming.Versions(root)+naming.V1.Final(9)))
					}
					return err
				}), root)
				latest, err := table.Latest(t.Context())
				require.NoError(t, err)
				require.EqualValues(t, 9, latest.Number)
				time.Sleep(time.Hour)
				overtaken = false
				overtake(t.Context(), table)
				latest, err = table.Latest(t.Context())
				require.NoError(t, err)
				require.EqualValues(t, 11, latest.Number)
			})
		})
	}
}

// A warm Latest asks for the next version only, and a clean-up has taken that.
func TestLatestDoesNotGoBackBehindWhatAnotherCallSaw(t *testing.T) {
	for name, see := range map[string]func(context.Context, *committer.Table) error{
		"Version": func(ctx context.Context, table *committer.Table) error {
			_, err := table.Version(ctx, 3)
			return err
		},
		"Resolve": func(ctx context.Context, table *committer.Table) error {
			_, err := table.Resolve(ctx, 3, manifestOf(3, "laid"))
			return err
		},
		"Resolve of a conflict": func(ctx context.Context, table *committer.Table) error {
			_, err := table.Resolve(ctx, 3, manifestOf(3, "mine"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := laid(1, 2)
			table := committer.NewTable(store, root)
			_, err := table.Latest(t.Context())
			require.NoError(t, err)
			lay(store, naming.V2, 3, 4, 5)
			require.NoError(t, see(t.Context(), table))
			for version := range uint64(4) {
				require.NoError(t, store.Delete(t.Context(), naming.Versions(root)+naming.V2.Final(version+1)))
			}
			latest, err := table.Latest(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 5, latest.Number)
		})
	}
}

func TestLatestIsTheHighestVersionWhateverLiesBesideIt(t *testing.T) {
	inject := func(names ...string) func(*memory.Store) {
		return func(store *memory.Store) {
			for _, name := range names {
				store.Inject(naming.Versions(root)+name, []byte("noise"))
			}
		}
	}
	staged := func(store *memory.Store) {
		for i := range 200 {
			name := naming.Staging(naming.V2.Final(8), fmt.Sprintf("00000000-0000-0000-0000-%012d", i))
			store.Inject(naming.Versions(root)+name, nil)
		}
	}
	seven := []uint64{1, 2, 3, 4, 5, 6, 7}
	for _, tc := range []struct {
		name   string
		scheme naming.Scheme
		chain  []uint64
		noise  func(*memory.Store)
		want   uint64
	}{
		{"V1 names are compared as numbers", naming.V1, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, nil, 11},
		{"V2", naming.V2, seven, nil, 7},
		{"one version", naming.V2, []uint64{1}, nil, 1},
		{"holes that a clean-up left", naming.V2, []uint64{3, 8, 9}, nil, 9},
		{"200 manifests staged for the next version", naming.V2, seven, staged, 7},
		{
			"detached, temporary, sidecar, foreign and nested names", naming.V2, seven,
			inject("", "d9223372036854775809.manifest", ".tmp_8.manifest_x", "sub/18446744073709551607.manifest", "x.manifest",
				naming.V2.Final(8)+".attrs", naming.V2.Final(8)+"#1", "+9.manifest", "zzz"), 7,
		},
		{"a hint that is too low", naming.V2, seven, inject(naming.Hint), 7},
	} {
		for _, unordered := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, unordered %t", tc.name, unordered), func(t *testing.T) {
				store := memory.New(memory.Options{Unordered: unordered, PageSize: 3})
				lay(store, tc.scheme, tc.chain...)
				if tc.noise != nil {
					tc.noise(store)
				}
				got, err := committer.NewTable(store, root).Latest(t.Context())
				require.NoError(t, err)
				require.Equal(t, tc.want, got.Number)
				require.Equal(t, root+"/_versions/"+tc.scheme.Final(tc.want), got.Key)

				var all []uint64
				for v, err := range committer.NewTable(store, root).Versions(t.Context(), committer.VersionsOptions{}) {
					require.NoError(t, err)
					all = append(all, v.Number)
				}
				want := slices.Clone(tc.chain)
				slices.Reverse(want)
				require.Equal(t, want, all, "newest first")
			})
		}
	}
}

func TestATableWithoutVersionsIsNotFound(t *testing.T) {
	store := memory.New(memory.Options{})
	store.Inject(root+"/data/x.lance", nil)
	store.Inject(naming.Versions(root)+naming.Staging(naming.V2.Final(1), "00000000-0000-0000-0000-000000000000"), nil)
	_, err := committer.NewTable(store, root).Latest(t.Context())
	require.ErrorIs(t, err, committer.ErrTableNotFound)
}

func TestTheHintIsWrittenForOthersAndNeverRead(t *testing.T) {
	hint := naming.Versions(root) + naming.Hint
	for name, content := range map[string]string{
		"too low, below a hole": `{"version":3}`, "too high": `{"version":99}`, "garbage": "\x00{", "absent": "",
	} {
		t.Run(name, func(t *testing.T) {
			store := memory.New(memory.Options{Unordered: true})
			lay(store, naming.V2, 3, 8, 9)
			if content != "" {
				store.Inject(hint, []byte(content))
			}
			table := committer.NewTable(store, root)
			latest, err := table.Latest(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 9, latest.Number)

			_, err = table.Commit(t.Context(), 10, manifestOf(10, "mine"))
			require.NoError(t, err)
			got, _, err := store.Get(t.Context(), hint)
			require.NoError(t, err)
			require.Equal(t, `{"version":10}`, string(got))
		})
	}
}

func TestTheHintIsLeftAloneWhereItIsNotWanted(t *testing.T) {
	commit := func(t *testing.T, store *memory.Store, opts ...committer.Option) []string {
		_, err := committer.NewTable(store, root, opts...).Commit(t.Context(), 1, manifestOf(1, "mine"))
		require.NoError(t, err)
		return keys(t, store)
	}
	unordered := func() *memory.Store { return memory.New(memory.Options{Unordered: true}) }
	one := []string{naming.V2.Final(1)}
	require.Equal(t, one, commit(t, memory.New(memory.Options{})), "an ordered store")
	require.Equal(t, one, commit(t, unordered(), committer.WithVersionHint(false)))
	for _, off := range []string{"0", "false", "off", "OFF"} {
		t.Setenv("LANCE_USE_VERSION_HINT", off)
		require.Equal(t, one, commit(t, unordered()))
	}
	t.Setenv("LANCE_USE_VERSION_HINT", "1")
	require.ElementsMatch(t, []string{naming.V2.Final(1), naming.Hint}, commit(t, unordered()))
}

func TestAWarmLatestIsTrueWithinAMinuteAndWritersSooner(t *testing.T) {
	// Others commit five versions and clean up the four before the last.
	overtaken := func(t *testing.T) (*memory.Store, *committer.Table) {
		store := laid(1, 2, 3)
		table := committer.NewTable(store, root)
		got, err := table.Latest(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 3, got.Number)
		lay(store, naming.V2, 8)
		return store, table
	}
	t.Run("latest", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, table := overtaken(t)
			time.Sleep(time.Minute)
			got, err := table.Latest(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 8, got.Number)
		})
	})
	t.Run("watch", func(t *testing.T) {
		_, table := overtaken(t)
		for v, err := range table.Watch(t.Context(), 3) {
			require.NoError(t, err)
			require.EqualValues(t, 8, v.Number)
			break
		}
	})
	t.Run("update, after the end is stale", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, table := overtaken(t)
			time.Sleep(5 * time.Second)
			got, err := table.Update(t.Context(), build)
			require.NoError(t, err)
			require.EqualValues(t, 9, got.Number)
		})
	})
}

func TestWatchYieldsVersionsAsTheyLand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := laid(1, 2, 3)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			time.Sleep(10 * time.Second)
			lay(store, naming.V2, 4, 5)
			time.Sleep(10 * time.Second)
			cancel()
		}()
		var seen []uint64
		var end error
		for v, err := range committer.NewTable(store, root).Watch(ctx, 1) {
			if end = err; err == nil {
				seen = append(seen, v.Number)
			}
		}
		require.Equal(t, []uint64{2, 3, 4, 5}, seen)
		require.ErrorIs(t, end, context.Canceled)
	})
}

func TestWatchLeavesNoVersionOutThatLandsWhilePagesAreRead(t *testing.T) {
	for _, unordered := range []bool{false, true} {
		for n := uint64(2); n < 30; n++ {
			synctest.Test(t, func(t *testing.T) {
				store := memory.New(memory.Options{PageSize: 3, Unordered: unordered})
				for v := uint64(1); v <= n; v++ {
					lay(store, naming.V1, v)
				}
				var lists atomic.Int32
				table := committer.NewTable(intercept.Wrap(store, func(
					ctx context.Context, call intercept.Call, do func(context.Context) error,
				) error {
					if call.Method == "LIST" && lists.Add(1) == 2 {
						lay(store, naming.V1, n+1, n+2)
					}
					return do(ctx)
				}), root)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				var seen []uint64
				for v, err := range table.Watch(ctx, n) {
					if err == nil {
						seen = append(seen, v.Number)
					}
				}
				require.Equal(t, []uint64{n + 1, n + 2}, seen, "unordered %t, after %d", unordered, n)
			})
		}
	}
}

func TestLatestDoesNotGoBackBehindVersions(t *testing.T) {
	store := laid(1, 2, 3)
	table := committer.NewTable(store, root)
	_, err := table.Latest(t.Context())
	require.NoError(t, err)
	lay(store, naming.V2, 5) // 4 is cleaned up
	for v, err := range table.Versions(t.Context(), committer.VersionsOptions{Limit: 1}) {
		require.NoError(t, err)
		require.EqualValues(t, 5, v.Number)
	}
	latest, err := table.Latest(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 5, latest.Number)
}

func TestVersionsStopAtTheLimit(t *testing.T) {
	table, log := counted(laid(1, 2, 3, 4, 5, 6, 7, 8, 9))
	var got []uint64
	for v, err := range table.Versions(t.Context(), committer.VersionsOptions{Limit: 2}) {
		require.NoError(t, err)
		got = append(got, v.Number)
	}
	require.Equal(t, []uint64{9, 8}, got)
	require.Equal(t, []string{"LIST _versions 10"}, log.Take())
}

func TestReadManifestReturnsTheBytesOfAVersion(t *testing.T) {
	store := laid(1)
	table, log := counted(store)
	latest, err := table.Latest(t.Context())
	require.NoError(t, err)
	got, err := table.ReadManifest(t.Context(), latest)
	require.NoError(t, err)
	require.Equal(t, manifestOf(1, "laid"), got)

	mine := manifestOf(2, "mine")
	second, err := table.Commit(t.Context(), 2, mine)
	require.NoError(t, err)
	clear(mine) // the caller's buffer is the caller's again
	log.Take()
	for range 2 {
		got, err = table.ReadManifest(t.Context(), second)
		require.NoError(t, err)
		require.Equal(t, manifestOf(2, "mine"), got)
		clear(got)
	}
	require.Empty(t, log.Take(), "bytes just committed are kept")

	require.NoError(t, store.Delete(t.Context(), latest.Key))
	_, err = table.ReadManifest(t.Context(), latest)
	require.ErrorIs(t, err, committer.ErrVersionNotFound)
}

func TestAVersionIsFoundByItsNewNameAfterAMigration(t *testing.T) {
	store := memory.New(memory.Options{})
	lay(store, naming.V1, 1, 2)
	table := committer.NewTable(store, root)
	was, err := table.Latest(t.Context())
	require.NoError(t, err)
	for _, version := range []uint64{1, 2} {
		require.NoError(t, store.Delete(t.Context(), naming.Versions(root)+naming.V1.Final(version)))
	}
	lay(store, naming.V2, 1, 2)

	got, err := table.Version(t.Context(), 2)
	require.NoError(t, err)
	require.Equal(t, naming.V2, got.Scheme)
	latest, err := table.Latest(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, was.Key, latest.Key, "what was remembered is no more")
	require.Equal(t, got.Key, latest.Key)
}
