package manifest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer/manifest"
)

func TestHistoricalManifests(t *testing.T) {
	for _, h := range readHistorical(t) {
		t.Run(h.name, func(t *testing.T) {
			require.NoError(t, manifest.Validate(h.bytes))
			info, err := manifest.Inspect(h.bytes)
			require.NoError(t, err)
			require.Equal(t, h.version, info.Version)
			require.Empty(t, info.Branch)
			require.Equal(t, time.UTC, info.Timestamp.Location())
			require.Positive(t, info.Fields)
			require.WithinRange(t, info.Timestamp, time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))

			same, err := manifest.WithVersion(h.bytes, h.version)
			require.NoError(t, err)
			require.Equal(t, h.bytes, same)

			next, err := manifest.WithVersion(h.bytes, 1<<62)
			require.NoError(t, err)
			nextInfo, err := manifest.Inspect(next)
			require.NoError(t, err)
			require.Equal(t, uint64(1<<62), nextInfo.Version)
			nextInfo.Version = info.Version
			require.Equal(t, info, nextInfo)

			back, err := manifest.WithVersion(next, h.version)
			require.NoError(t, err)
			require.Equal(t, h.bytes, back)
		})
	}
}

func TestHistoricalDetails(t *testing.T) {
	byName := map[string]manifest.Info{}
	for _, h := range readHistorical(t) {
		info, err := manifest.Inspect(h.bytes)
		require.NoError(t, err)
		byName[h.name] = info
	}
	require.Equal(t, manifest.Info{
		Version: 2, Timestamp: time.Date(2025, 9, 22, 12, 53, 8, 995663243, time.UTC),
		WriterLibrary: "lance", WriterVersion: "0.36.0", TransactionFile: "1-5d10dd5e-2efc-4352-a341-004c47726b06.txn",
		TransactionID: "5d10dd5e-2efc-4352-a341-004c47726b06",
		DataFormat:    manifest.DataFormat{FileFormat: "lance", Version: "2.0"}, Fragments: 1, Fields: 1, Rows: 1000, RowsKnown: true,
	}, byName["0.36.0_btree_in_index_pkg.lance__2"])
	require.Equal(t, manifest.Info{
		Version: 2, Timestamp: time.Date(2023, 11, 7, 16, 16, 19, 663229000, time.UTC), ReaderFlags: 1, WriterFlags: 1,
		TransactionFile: "1-1baf3405-66ab-4668-9578-5c333acd0440.txn", TransactionID: "1baf3405-66ab-4668-9578-5c333acd0440", Fragments: 1, Fields: 1,
	}, byName["v0.7.5_with_deletions__2"])
}
