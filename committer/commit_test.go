package committer_test

import (
	"io/fs"
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

func TestWhatOthersCommittedAMomentAgoIsSeenBeforeARefusal(t *testing.T) {
	store := laid(1)
	table := committer.NewTable(store, root)
	_, err := table.Latest(t.Context())
	require.NoError(t, err)
	lay(store, naming.V2, 2, 3)
	_, err = table.Commit(t.Context(), 4, manifestOf(4, "mine"))
	require.NoError(t, err)
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
