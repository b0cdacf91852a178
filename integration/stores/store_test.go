package stores_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/backendtest"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/integration/stores/own"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

const root = "db/t.lance"

func TestEveryStoreKeepsTheContract(t *testing.T) {
	eachPlace(t, func(t *testing.T, at place) {
		at.suite.Keys = 100
		backendtest.Run(t, at.suite)
	})
}

func TestTheLongestKeyHasTheFolderInIt(t *testing.T) {
	onOwn(t, func(t *testing.T, store *own.Store) {
		ctx, in := withDeadline(t), store.Folder(t)
		longest := strings.Repeat(strings.Repeat("k", 99)+"/", 11)[:1024-len(in.Key+"/")]
		if strings.HasSuffix(longest, "/") {
			longest = longest[:len(longest)-1] + "k"
		}
		_, err := in.Store.PutIfAbsent(ctx, longest, []byte("body"), backends.PutOptions{})
		require.NoError(t, err)
		body, _, err := in.Store.Get(ctx, longest)
		require.NoError(t, err)
		require.Equal(t, "body", string(body))
		_, err = in.Store.PutIfAbsent(ctx, longest+"k", []byte("body"), backends.PutOptions{})
		require.ErrorIs(t, err, backends.ErrInvalid)
	})
}

func TestOfTheWritersOfAVersionOneWins(t *testing.T) {
	const writers, versions = 16, 200
	eachPlace(t, func(t *testing.T, at place) {
		ctx, store := withDeadline(t), at.open(t)
		bodyBy := func(writer int, version uint64) []byte {
			return testmanifest.New(version, "", fmt.Sprintf("writer %02d", writer))
		}
		var won [writers][versions + 1]bool
		var all sync.WaitGroup
		for w := range writers {
			table := committer.NewTable(store, root)
			all.Go(func() {
				for v := uint64(1); v <= versions; v++ {
					_, err := table.Commit(ctx, v, bodyBy(w, v))
					won[w][v] = err == nil
					var conflict *committer.ConflictError
					if err != nil && !errors.As(err, &conflict) {
						t.Errorf("writer %d, version %d: %v", w, v, err)
						return
					}
				}
			})
		}
		all.Wait()
		for v := uint64(1); v <= versions; v++ {
			var winners []int
			for w := range writers {
				if won[w][v] {
					winners = append(winners, w)
				}
			}
			require.Len(t, winners, 1, "winners of version %d", v)
			body, _, err := store.Get(ctx, naming.Versions(root)+naming.V2.Final(v))
			require.NoError(t, err)
			require.Equal(t, bodyBy(winners[0], v), body)
		}
	})
}

func TestTheLatestIsFoundAmongManyVersionsAndNoise(t *testing.T) {
	const versions = 2500
	eachPlace(t, func(t *testing.T, at place) {
		ctx, store := withDeadline(t), at.open(t)
		names := []string{"d9223372036854775809.manifest", ".tmp_7.manifest_x", "x.manifest", "sub/18446744073709551607.manifest",
			naming.V2.Final(9) + ".attrs", "zzz"}
		for i := range 20 {
			names = append(names, naming.Staging(naming.V2.Final(versions+1), fmt.Sprintf("00000000-0000-0000-0000-%012d", i)))
		}
		for v := uint64(1); v <= versions; v++ {
			names = append(names, naming.V2.Final(v))
		}
		createAll(ctx, t, store, names)

		table := committer.NewTable(store, root)
		latest, err := table.Latest(ctx)
		require.NoError(t, err)
		require.EqualValues(t, versions, latest.Number)
		next := uint64(versions)
		for v, err := range table.Versions(ctx, committer.VersionsOptions{}) {
			require.NoError(t, err)
			require.Equal(t, next, v.Number)
			next--
		}
		require.Zero(t, next, "every version is listed")
	})
}

// createAll creates empty objects in _versions/, many at a time.
func createAll(ctx context.Context, t *testing.T, store backends.Store, names []string) {
	t.Helper()
	queue := make(chan string)
	var creators sync.WaitGroup
	for range 16 {
		creators.Go(func() {
			for name := range queue {
				if _, err := store.PutIfAbsent(ctx, naming.Versions(root)+name, nil, backends.PutOptions{}); err != nil {
					t.Errorf("create %s: %v", name, err)
				}
			}
		})
	}
	for _, name := range names {
		queue <- name
	}
	close(queue)
	creators.Wait()
}

func TestTheNamesAndBodiesAreTheSameInEveryStore(t *testing.T) {
	eachPlace(t, func(t *testing.T, at place) {
		ctx, store := withDeadline(t), at.open(t)
		for _, scheme := range []naming.Scheme{naming.V1, naming.V2} {
			root := root + scheme.String()
			table := committer.NewTable(store, root, committer.WithScheme(scheme), committer.WithVersionHint(false))
			for v := uint64(1); v <= 3; v++ {
				_, err := table.Commit(ctx, v, testmanifest.New(v, "", "mine"))
				require.NoError(t, err)
			}
			page, err := store.List(ctx, backends.ListInput{Prefix: root + "/_versions/"})
			require.NoError(t, err)
			names := make(map[string]string)
			for _, object := range page.Objects {
				body, _, err := store.Get(ctx, object.Key)
				require.NoError(t, err)
				names[strings.TrimPrefix(object.Key, root+"/_versions/")] = string(body)
			}
			want := make(map[string]string)
			for v := uint64(1); v <= 3; v++ {
				want[scheme.Final(v)] = string(testmanifest.New(v, "", "mine"))
			}
			require.Equal(t, want, names)
		}
	})
}
