package manifest_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer/manifest"
)

func TestInspectReadsEveryPart(t *testing.T) {
	before := join(section(data(1)), section(text(2, "uuid"), data(100)))
	in := file(before,
		data(1, text(2, "point")), data(1, text(2, "x"), number(4, 0)), data(1, text(2, "y"), number(4, 0)),
		data(2, number(1, 0), number(4, 100)),
		data(2, number(1, 1), data(3, number(4, 30)), number(4, 50)),
		number(3, 42), number(6, 0), data(7, number(1, 1700000000), number(2, 123456789)), number(9, 1), number(10, 9),
		text(12, "41-b9a7.txn"), data(13, text(1, "lance"), text(2, "2.0.0"), text(3, "rc.1"), text(4, "build.5")),
		data(15, text(1, "lance"), text(2, "2.1")), data(16, text(1, "k"), text(2, "v")),
		data(19, text(1, "table_version_management"), text(2, "true")), data(19, text(1, "owner"), text(2, "é")),
		text(20, "exp/one"), number(21, 6),
	)
	info, err := manifest.Inspect(in)
	require.NoError(t, err)
	require.Equal(t, manifest.Info{
		Version: 42, Branch: "exp/one", Timestamp: time.Unix(1700000000, 123456789).UTC(),
		WriterLibrary: "lance", WriterVersion: "2.0.0-rc.1+build.5", ReaderFlags: 1, WriterFlags: 9,
		TransactionFile: "41-b9a7.txn", InlineTransaction: true, TransactionID: "uuid",
		DataFormat: manifest.DataFormat{FileFormat: "lance", Version: "2.1"},
		Fragments:  2, Fields: 3, Rows: 120, RowsKnown: true,
		TableMetadata: map[string]string{"table_version_management": "true", "owner": "é"},
	}, info)

	out, err := json.Marshal(info)
	require.NoError(t, err)
	require.JSONEq(t, `{"version":42,"branch":"exp/one","timestamp":"2023-11-14T22:13:20.123456789Z","writer_library":"lance",
		"writer_version":"2.0.0-rc.1+build.5","reader_flags":1,"writer_flags":9,"transaction_file":"41-b9a7.txn","transaction_id":"uuid",
		"inline_transaction":true,"data_format":{"file_format":"lance","version":"2.1"},"fragments":2,"fields":3,"rows":120,
		"rows_known":true,"table_metadata":{"table_version_management":"true","owner":"é"}}`, string(out))
}

func TestInspectOfAnEmptyMessage(t *testing.T) {
	info, err := manifest.Inspect(file(nil))
	require.NoError(t, err)
	require.Equal(t, manifest.Info{RowsKnown: true}, info)
	require.True(t, info.Timestamp.IsZero())

	out, err := json.Marshal(info)
	require.NoError(t, err)
	require.JSONEq(t, `{"version":0,"reader_flags":0,"writer_flags":0,"inline_transaction":false,"fragments":0,"fields":0,"rows":0,
		"rows_known":true}`, string(out))
}

func TestInspectTakesTheLastOccurrence(t *testing.T) {
	info, err := manifest.Inspect(file(nil,
		number(3, 1), text(20, "a"), text(12, "a.txn"), number(9, 1), number(10, 1), data(19, text(1, "k"), text(2, "a")),
		number(3, 2), text(20, "b"), text(12, "b.txn"), number(9, 2), number(10, 4), data(19, text(1, "k"), text(2, "b")),
	))
	require.NoError(t, err)
	require.Equal(t, manifest.Info{
		Version: 2, Branch: "b", TransactionFile: "b.txn", ReaderFlags: 2, WriterFlags: 4, RowsKnown: true,
		TableMetadata: map[string]string{"k": "b"},
	}, info)
}

func TestInspectMergesNestedMessages(t *testing.T) {
	info, err := manifest.Inspect(file(nil,
		data(7, number(1, 10), number(2, 5)), data(7, number(1, 20)),
		data(13, text(1, "lance"), text(2, "1.0.0")), data(13, text(2, "2.0.0")),
		data(15, text(1, "lance")), data(15, text(2, "2.0")),
	))
	require.NoError(t, err)
	require.Equal(t, time.Unix(20, 5).UTC(), info.Timestamp)
	require.Equal(t, []string{"lance", "2.0.0"}, []string{info.WriterLibrary, info.WriterVersion})
	require.Equal(t, manifest.DataFormat{FileFormat: "lance", Version: "2.0"}, info.DataFormat)
}

func TestInspectSharesNoMemoryWithItsInput(t *testing.T) {
	in := file(nil, text(20, "branch"), data(19, text(1, "k"), text(2, "v")))
	info, err := manifest.Inspect(in)
	require.NoError(t, err)
	clear(in)
	require.Equal(t, "branch", info.Branch)
	require.Equal(t, map[string]string{"k": "v"}, info.TableMetadata)
}

func TestRowsAreKnownWhereEveryCountIs(t *testing.T) {
	counted := func(physical uint64) []byte { return data(2, number(4, physical)) }
	for _, tc := range []struct {
		rule  string
		in    []byte
		rows  uint64
		known bool
	}{
		{"a table without fragments has no rows", nil, 0, true},
		{"fragments add up", join(counted(3), counted(4)), 7, true},
		{"deleted rows do not count", data(2, number(4, 10), data(3, number(4, 4))), 6, true},
		{"a deletion file in two parts is merged", data(2, number(4, 10), data(3, number(4, 4)), data(3, number(2, 1))), 6, true},
		{"all rows deleted", data(2, number(4, 10), data(3, number(4, 10))), 0, true},
		{"one fragment without a count", join(counted(3), data(2, number(1, 1))), 0, false},
		{"a count of 0 is none", join(counted(3), counted(0)), 0, false},
		{"a deletion file without a count", data(2, number(4, 10), data(3, number(2, 1))), 0, false},
		{"more rows deleted than there are", join(counted(100), data(2, number(4, 10), data(3, number(4, 11)))), 0, false},
		{"more rows than 64 bits count", join(counted(math.MaxUint64), counted(1)), 0, false},
		{"the most rows that 64 bits count", join(counted(math.MaxUint64-1), counted(1)), math.MaxUint64, true},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			info, err := manifest.Inspect(file(nil, tc.in))
			require.NoError(t, err)
			require.Equal(t, tc.known, info.RowsKnown)
			require.Equal(t, tc.rows, info.Rows)
		})
	}
}
