package committer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
)

func TestTheFieldsOfAnEntryAreNamedWithItsPlace(t *testing.T) {
	store := laid(1)
	namespace, _ := inNamespace(store)
	small, staged := int64(1), stage(store, 2, "mine")
	other := int64(5000)
	empty, _ := inNamespace(laid())
	for _, tc := range []struct {
		entry committer.CreateTableVersionEntry
		want  []string
	}{
		{
			committer.CreateTableVersionEntry{ManifestSize: &small},
			[]string{"entries[0].id: ", "entries[0].version: ", "entries[0].manifest_path: ", "entries[0].manifest_size: "},
		},
		{committer.CreateTableVersionEntry{ID: tableID, ManifestPath: "_versions/x"}, []string{"entries[0].version: ", "the latest version is 1"}},
		{committer.CreateTableVersionEntry{ID: tableID, Version: 2, ManifestPath: staged.ManifestPath, ManifestSize: &other}, []string{"entries[0].manifest_size: ", "the latest version is 1"}},
		{committer.CreateTableVersionEntry{ID: tableID, Version: 2, ManifestPath: "_versions/absent"}, []string{"entries[0].manifest_path: ", "the latest version is 1"}},
	} {
		_, err := namespace.BatchCreateTableVersions(t.Context(), &committer.BatchCreateTableVersionsRequest{Entries: []committer.CreateTableVersionEntry{tc.entry}})
		for _, text := range tc.want {
			require.ErrorContains(t, err, text)
		}
		require.Equal(t, committer.CodeInvalidInput, committer.Code(err))
	}
	_, err := empty.BatchCreateTableVersions(t.Context(), &committer.BatchCreateTableVersionsRequest{
		Entries: []committer.CreateTableVersionEntry{{ID: tableID, ManifestPath: "_versions/x"}},
	})
	require.ErrorContains(t, err, "entries[0].version: ")
}
