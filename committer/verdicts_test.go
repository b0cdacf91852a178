package committer_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
)

// Commit speaks of its own call alone: without an error the version is there with
// these bytes, and a conflict says that this call wrote nothing. Resolve speaks of
// earlier calls. So where a version is gone that the chain is past, Commit may
// refuse it, which it has not written, and Resolve cannot tell whose it was.
//
// Commit succeeds where Resolve says Committed, and writes where it says Absent of
// the next version. It refuses where Resolve says Conflict, naming the winner, and
// where it says Unknown, or Absent of a later version, naming none.
func TestCommitSpeaksOfItsOwnCallAndResolveOfEarlierOnes(t *testing.T) {
	const (
		committed = committer.Committed
		conflict  = committer.Conflict
		absent    = committer.Absent
		unknown   = committer.Unknown
	)
	type says struct {
		err    error
		writes bool
		winner bool
	}
	var (
		replays  = says{}
		writes   = says{writes: true}
		lost     = says{err: committer.ErrConflict, winner: true}
		refuses  = says{err: committer.ErrConflict}
		nonsense = says{err: committer.ErrInvalid}
	)
	for _, tc := range []struct {
		name    string
		chain   []uint64
		version uint64
		note    string
		commit  says
		resolve committer.Outcome
	}{
		{"these bytes are the latest", []uint64{1, 2}, 2, "laid", replays, committed},
		{"these bytes are an older version", []uint64{1, 2, 3}, 2, "laid", replays, committed},
		{"these bytes are there, and what was before is gone", []uint64{2, 3}, 2, "laid", replays, committed},
		{"others' bytes are the latest", []uint64{1, 2}, 2, "mine", lost, conflict},
		{"others' bytes are an older version", []uint64{1, 2, 3}, 2, "mine", lost, conflict},
		{"the first version of an empty chain", nil, 1, "mine", writes, absent},
		{"the next version", []uint64{1, 2}, 3, "mine", writes, absent},
		{"the next version above a hole", []uint64{3, 8, 9}, 10, "mine", writes, absent},
		{"a gap in front of an empty chain", nil, 2, "mine", refuses, absent},
		{"latest + 2", []uint64{1, 2}, 4, "mine", refuses, absent},
		{"older than the oldest kept", []uint64{5, 6}, 4, "mine", refuses, unknown},
		{"version 1 after a clean-up removed it", []uint64{2, 3}, 1, "mine", refuses, unknown},
		{"a hole that a clean-up left, below the end", []uint64{3, 8, 9}, 4, "mine", refuses, unknown},
		{"version 0", []uint64{1, 2}, 0, "mine", nonsense, unknown},
		{"-1", []uint64{1, 2}, math.MaxUint64, "mine", nonsense, unknown},
		{"2^63", []uint64{1, 2}, 1 << 63, "mine", nonsense, unknown},
	} {
		for _, warm := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, warm %t", tc.name, warm), func(t *testing.T) {
				store := laid(tc.chain...)
				before := keys(t, store)
				manifest := manifestOf(tc.version, tc.note)
				handle := func() *committer.Table {
					table := committer.NewTable(store, root)
					if warm {
						_, _ = table.Latest(t.Context())
					}
					return table
				}
				resolves := func(want committer.Outcome) {
					t.Helper()
					got, err := handle().Resolve(t.Context(), tc.version, manifest)
					require.Equal(t, want, got)
					require.Equal(t, want == unknown, err != nil, "only Unknown comes with the error that says why: %v", err)
					if tc.commit.err == committer.ErrInvalid {
						require.ErrorIs(t, err, committer.ErrInvalid)
					}
				}

				resolves(tc.resolve)
				got, err := handle().Commit(t.Context(), tc.version, manifest)
				require.ErrorIs(t, err, tc.commit.err)
				if !tc.commit.writes {
					require.Equal(t, before, keys(t, store), "nothing is written")
				}
				if err == nil {
					require.Equal(t, tc.version, got.Number)
					require.Equal(t, manifest, body(t, store, tc.version))
					resolves(committed)
					return
				}
				resolves(tc.resolve) // A refusal changes nothing of what was before.
				requireRefusal(t, err, tc.chain, tc.version, tc.commit.winner)
			})
		}
	}
}

// requireRefusal checks that an error names the end of the chain, and that a
// conflict says what could be committed instead, and whether others have the
// version.
func requireRefusal(t *testing.T, err error, chain []uint64, version uint64, winner bool) {
	t.Helper()
	latest := uint64(0)
	if len(chain) > 0 {
		latest = chain[len(chain)-1]
		require.ErrorContains(t, err, fmt.Sprintf("latest version is %d", latest))
	}
	var conflict *committer.ConflictError
	if !errors.As(err, &conflict) {
		require.ErrorIs(t, err, committer.ErrInvalid)
		return
	}
	require.Equal(t, version, conflict.Version)
	require.Equal(t, latest, conflict.Latest)
	require.Equal(t, latest+1, conflict.Next)
	require.Equal(t, winner, conflict.Winner != nil)
}
