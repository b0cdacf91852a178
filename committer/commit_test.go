package committer_test

import (
	"fmt"
	"io/fs"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

func TestACommitWritesTheManifestUnderItsFinalName(t *testing.T) {
	for _, scheme := range []naming.Scheme{naming.V1, naming.V2} {
		store := memory.New(memory.Options{})
		table := committer.NewTable(store, root, committer.WithScheme(scheme))
		for version := uint64(1); version <= 12; version++ {
			got, err := table.Commit(t.Context(), version, manifestOf(version, "mine"))
			require.NoError(t, err)
			require.Equal(t, version, got.Number)
			require.Equal(t, root+"/_versions/"+scheme.Final(version), got.Key)
			require.Equal(t, scheme, got.Scheme)

			content, attrs, err := store.Get(t.Context(), got.Key)
			require.NoError(t, err)
			require.Equal(t, manifestOf(version, "mine"), content)
			require.Equal(t, attrs.ETag, got.ETag)
			require.Equal(t, attrs.Size, got.Size)
		}
	}
}

func TestTheSchemeThatIsPresentWins(t *testing.T) {
	store := memory.New(memory.Options{})
	lay(store, naming.V1, 1, 2)
	got, err := committer.NewTable(store, root, committer.WithScheme(naming.V2)).
		Commit(t.Context(), 3, manifestOf(3, "mine"))
	require.NoError(t, err)
	require.Equal(t, root+"/_versions/3.manifest", got.Key)
}

func TestOnlyTheNextVersionOfTheChainCanBeCommitted(t *testing.T) {
	for _, tc := range []struct {
		name    string
		chain   []uint64
		version uint64
		want    error
		latest  uint64
		winner  bool
	}{
		{"the first version of an empty chain", nil, 1, nil, 0, false},
		{"a gap in front of an empty chain", nil, 2, committer.ErrConflict, 0, false},
		{"the next version", []uint64{1, 2}, 3, nil, 0, false},
		{"latest + 2", []uint64{1, 2}, 4, committer.ErrConflict, 2, false},
		{"the latest, with other bytes", []uint64{1, 2}, 2, committer.ErrConflict, 2, true},
		{"older than the oldest kept", []uint64{5, 6}, 4, committer.ErrConflict, 6, false},
		{"version 1 after a clean-up removed it", []uint64{2, 3}, 1, committer.ErrConflict, 3, false},
		{"a hole that a clean-up left, below the end", []uint64{3, 8, 9}, 4, committer.ErrConflict, 9, false},
		{"the end above a hole", []uint64{3, 8, 9}, 10, nil, 0, false},
		{"version 0", []uint64{1, 2}, 0, committer.ErrInvalid, 2, false},
		{"-1", []uint64{1, 2}, math.MaxUint64, committer.ErrInvalid, 2, false},
		{"2^63", []uint64{1, 2}, 1 << 63, committer.ErrInvalid, 2, false},
	} {
		for _, warm := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, warm %t", tc.name, warm), func(t *testing.T) {
				store := laid(tc.chain...)
				before := keys(t, store)
				table := committer.NewTable(store, root)
				if warm {
					_, _ = table.Latest(t.Context())
				}
				got, err := table.Commit(t.Context(), tc.version, manifestOf(tc.version, "mine"))
				if tc.want == nil {
					require.NoError(t, err)
					require.Equal(t, tc.version, got.Number)
					require.Equal(t, manifestOf(tc.version, "mine"), body(t, store, tc.version))
					return
				}
				require.ErrorIs(t, err, tc.want)
				require.Equal(t, before, keys(t, store), "nothing is written")
				if tc.latest != 0 {
					require.ErrorContains(t, err, fmt.Sprintf("latest version is %d", tc.latest))
				}
				if tc.want != committer.ErrConflict {
					return
				}
				var conflict *committer.ConflictError
				require.ErrorAs(t, err, &conflict)
				require.Equal(t, tc.version, conflict.Version)
				require.Equal(t, tc.latest, conflict.Latest)
				require.Equal(t, tc.latest+1, conflict.Next)
				require.Equal(t, tc.winner, conflict.Winner != nil)
			})
		}
	}
}

func TestWhatOthersCommittedAMomentAgoIsSeenBeforeARefusal(t *testing.T) {
	store := laid(1)
	table := committer.NewTable(store, root)
	_, err := table.Latest(t.Context())
	require.NoError(t, err)
	lay(store, naming.V2, 2, 3)
	_, err = table.Commit(t.Context(), 4, manifestOf(4, "mine"))
	require.NoError(t, err)
}

func TestEqualBytesAreOneCommit(t *testing.T) {
	for _, tc := range []struct {
		name  string
		chain []uint64
	}{
		{"the latest", []uint64{1, 2}},
		{"an older one", []uint64{1, 2, 3}},
		{"one whose predecessor is gone", []uint64{2, 3}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store := laid(tc.chain...)
			before := keys(t, store)
			got, err := committer.NewTable(store, root).Commit(t.Context(), 2, manifestOf(2, "laid"))
			require.NoError(t, err)
			require.EqualValues(t, 2, got.Number)
			require.Equal(t, before, keys(t, store))
		})
	}
}

func TestBytesThatAreNoManifestOfThisVersionAreRefused(t *testing.T) {
	valid := manifestOf(3, "mine")
	corrupt := func(change func([]byte) []byte) []byte { return change(append([]byte(nil), valid...)) }
	for _, tc := range []struct {
		name string
		body []byte
		says string
	}{
		{"empty", nil, "empty"},
		{"truncated", valid[:len(valid)-5], ""},
		{"wrong magic", corrupt(func(b []byte) []byte { b[len(b)-1] = 'X'; return b }), "magic"},
		{"position beyond the end", corrupt(func(b []byte) []byte { b[len(b)-15] = 1; return b }), "position"},
		{"another version inside", manifestOf(4, "mine"), "the manifest says version 4, it was to be committed as 3"},
		{"100 MB of zeros", make([]byte, 100<<20), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store := laid(1, 2)
			_, err := committer.NewTable(store, root).Commit(t.Context(), 3, tc.body)
			require.ErrorIs(t, err, committer.ErrInvalid)
			require.ErrorIs(t, err, fs.ErrInvalid)
			require.ErrorContains(t, err, tc.says)
			require.ErrorContains(t, err, "the latest version is 2")
			require.Len(t, keys(t, store), 2, "nothing is written")
		})
	}
}

func TestAMalformedRootIsRefusedByEveryCall(t *testing.T) {
	table := committer.NewTable(memory.New(memory.Options{}), "a/../b")
	_, commit := table.Commit(t.Context(), 1, manifestOf(1, "mine"))
	_, latest := table.Latest(t.Context())
	_, version := table.Version(t.Context(), 1)
	_, update := table.Update(t.Context(), nil)
	_, resolve := table.Resolve(t.Context(), 1, manifestOf(1, "mine"))
	for _, err := range []error{commit, latest, version, update, resolve} {
		require.ErrorIs(t, err, committer.ErrInvalid)
		require.ErrorIs(t, err, naming.ErrRoot)
	}
}

func TestATableWithBothSchemesIsRefused(t *testing.T) {
	store := laid(1, 2)
	lay(store, naming.V1, 1)
	table := committer.NewTable(store, root)
	before := keys(t, store)

	_, err := table.Commit(t.Context(), 3, manifestOf(3, "mine"))
	require.ErrorIs(t, err, committer.ErrMixedSchemes)
	require.ErrorContains(t, err, "_versions/1.manifest")
	require.ErrorContains(t, err, "_versions/1844674407370955161")
	_, err = table.Latest(t.Context())
	require.ErrorIs(t, err, committer.ErrMixedSchemes)
	require.Equal(t, before, keys(t, store), "nothing is written")
}

func TestErrorsOfTheStoreKeepTheirMeaning(t *testing.T) {
	table, _ := refusing(laid(1, 2), "LIST", backends.ErrPermission)
	_, err := table.Commit(t.Context(), 1, manifestOf(1, "mine"))
	require.ErrorIs(t, err, fs.ErrPermission, "a table that may not be listed is not a new table")
	_, err = table.Latest(t.Context())
	require.ErrorIs(t, err, fs.ErrPermission)
}
