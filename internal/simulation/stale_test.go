package simulation_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

const table = "db/t.lance"

func keyOf(version uint64) string { return naming.Versions(table) + naming.V2.Final(version) }

// A stalled writer stops between the LIST and the PUT of a commit, while
// meanwhile happens.
type stalled struct {
	store      *memory.Store
	staleAfter time.Duration
	update     bool
	stall      time.Duration
	meanwhile  func()
}

const body = "stalled"

// commit makes version 4 of a table that has three.
func (s stalled) commit(t *testing.T) (committer.Version, error) {
	s.lay(1, 2, 3)
	writer := committer.NewTable(intercept.Wrap(s.store, func(
		ctx context.Context, call intercept.Call, do func(context.Context) error,
	) error {
		if call.Method != "PUT" {
			return do(ctx)
		}
		began := time.Now()
		s.meanwhile()
		time.Sleep(s.stall - time.Since(began))
		return do(ctx)
	}), table, committer.WithStaleAfter(s.staleAfter),
		committer.WithRetry(committer.RetryPolicy{AttemptTimeout: 24 * time.Hour}))
	manifest := testmanifest.New(4, "", body)
	if !s.update {
		return writer.Commit(t.Context(), 4, manifest)
	}
	built := 0
	return writer.Update(t.Context(), func(_ context.Context, base committer.Version) ([]byte, error) {
		if built++; built > 1 {
			return nil, errAgain
		}
		require.EqualValues(t, 3, base.Number)
		return manifest, nil
	})
}

// errAgain ends an Update that lost its race and builds again.
var errAgain = errors.New("built again")

func (s stalled) lay(versions ...uint64) {
	for _, version := range versions {
		s.store.Inject(keyOf(version), testmanifest.New(version, "", "another"))
	}
}

func (s stalled) remove(versions ...uint64) {
	for _, version := range versions {
		_ = s.store.Delete(context.Background(), keyOf(version))
	}
}

// there reports whether the stalled writer's bytes are version 4.
func (s stalled) there(t *testing.T) bool {
	content, _, err := s.store.Get(t.Context(), keyOf(4))
	if errors.Is(err, backends.ErrNotExist) {
		return false
	}
	require.NoError(t, err)
	return string(content) == string(testmanifest.New(4, "", body))
}

// requireNamed checks that the error is unknown, or stale and names the object.
func requireNamed(t *testing.T, err error, context string) {
	t.Helper()
	require.Error(t, err, context)
	require.NotErrorIs(t, err, committer.ErrConflict, context)
	var stale *committer.StaleCommitError
	if errors.As(err, &stale) {
		require.Equal(t, keyOf(4), stale.Key, context)
		require.ErrorContains(t, err, keyOf(4), context)
		require.NotEqual(t, stale.Key, stale.Evidence.Key, context)
		return
	}
	require.ErrorIs(t, err, committer.ErrUnknownOutcome, context)
}

// settings are those with which no stalled writer may go unnoticed: the default,
// with clean-ups and stalls that take longer, and none at all.
var settings = []struct {
	staleAfter time.Duration
	// least is how long a clean-up and a stall take at the least.
	least time.Duration
}{
	{5 * time.Second, 5 * time.Second},
	{0, 10 * time.Millisecond},
}

func TestAWriterThatOthersCommittedPastIsToldSo(t *testing.T) {
	told := make(map[string]int)
	for _, set := range settings {
		for _, update := range []bool{false, true} {
			for seed := range uint64(150) {
				rng := rand.New(rand.NewPCG(seed, 2))
				s := stalled{
					store:      memory.New(memory.Options{Unordered: seed%3 == 0, NoMetadata: seed%5 == 0}),
					staleAfter: set.staleAfter, update: update,
					stall: 2*set.least + time.Duration(rng.Int64N(int64(time.Hour))),
				}
				kept := rng.IntN(3) == 0
				s.meanwhile = func() {
					last := 5 + rng.Uint64N(5)
					for version := uint64(4); version <= last; version++ {
						s.lay(version)
						time.Sleep(time.Duration(rng.Int64N(int64(set.least) / 8)))
					}
					time.Sleep(set.least)
					if !kept {
						s.remove(3)
					}
					s.remove(1, 2, 4)
					if rng.IntN(2) == 0 {
						for version := uint64(5); version < last; version++ {
							s.remove(version)
						}
					}
				}
				context := fmt.Sprintf("stale after %v, update %v, seed %d", set.staleAfter, update, seed)
				synctest.Test(t, func(t *testing.T) {
					_, err := s.commit(t)
					require.True(t, s.there(t), context)
					requireNamed(t, err, context)
					told[fmt.Sprint(errors.Is(err, committer.ErrStaleCommit))]++
					latest, err := committer.NewTable(s.store, table).Latest(t.Context())
					require.NoError(t, err)
					require.Greater(t, latest.Number, uint64(4), "readers do not see it: %s", context)
				})
			}
		}
	}
	t.Log("stale:", told)
}

func TestAWriterOfATableThatWasMadeAgainIsRefused(t *testing.T) {
	for _, set := range settings {
		for _, update := range []bool{false, true} {
			for versions := range uint64(7) {
				context := fmt.Sprintf("stale after %v, update %v, %d versions", set.staleAfter, update, versions)
				s := stalled{
					store: memory.New(memory.Options{}), staleAfter: set.staleAfter, update: update, stall: 3 * set.least,
				}
				s.meanwhile = func() {
					time.Sleep(2 * set.least)
					s.remove(1, 2, 3)
					for version := range versions {
						s.lay(version + 1)
					}
				}
				synctest.Test(t, func(t *testing.T) {
					_, err := s.commit(t)
					if versions < 4 {
						require.True(t, s.there(t), context)
						requireNamed(t, err, context)
						return
					}
					// The new table has the version: nothing is written.
					require.False(t, s.there(t), context)
					if update {
						require.ErrorIs(t, err, errAgain, context)
					} else {
						require.ErrorIs(t, err, committer.ErrConflict, context)
					}
				})
			}
		}
	}
}

func TestAnUpdateAfterATableWasMadeAgainBuildsOnTheNewOne(t *testing.T) {
	for _, staleAfter := range []time.Duration{5 * time.Second, 0} {
		synctest.Test(t, func(t *testing.T) {
			s := stalled{store: memory.New(memory.Options{})}
			s.lay(1, 2, 3)
			writer := committer.NewTable(s.store, table, committer.WithStaleAfter(staleAfter))
			old, err := writer.Latest(t.Context())
			require.NoError(t, err)
			time.Sleep(6 * time.Second)
			s.remove(1, 2, 3)
			s.lay(1, 2, 3)
			_, err = writer.Update(t.Context(), func(_ context.Context, base committer.Version) ([]byte, error) {
				require.EqualValues(t, 3, base.Number)
				require.NotEqual(t, old.ETag, base.ETag, "the base is that of the new table")
				return testmanifest.New(4, "", body), nil
			})
			require.NoError(t, err)
		})
	}
}
