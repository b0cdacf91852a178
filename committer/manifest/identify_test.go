package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

func TestIdentifyAgreesWithInspect(t *testing.T) {
	manifests := map[string][]byte{
		"with an inline transaction":              testmanifest.Appended(7, 600),
		"of a branch, without a transaction":      testmanifest.New(7, "exp/one", "note"),
		"with a transaction file":                 testmanifest.WithTransaction(7, "6-b9a7.txn"),
		"with a transaction file of another form": testmanifest.WithTransaction(7, "b9a7.txn"),
		"of the last of two versions":             file(nil, number(3, 6), number(3, 7)),
		"of no version":                           file(nil),
	}
	for _, h := range readHistorical(t) {
		manifests[h.name] = h.bytes
	}
	for name, b := range manifests {
		t.Run(name, func(t *testing.T) {
			info, err := manifest.Inspect(b)
			require.NoError(t, err)
			id, err := manifest.Identify(b)
			require.NoError(t, err)
			require.Equal(t, info.Version, id.Version)
			require.Equal(t, info.Branch, id.Branch)
			require.Equal(t, info.TransactionID, id.TransactionID())
		})
	}
}

func TestIdentifyRefusesWhatValidateRefuses(t *testing.T) {
	whole := testmanifest.Appended(7, 600)
	for size := range len(whole) {
		_, err := manifest.Identify(whole[:size])
		require.ErrorIs(t, err, manifest.ErrInvalid)
		require.EqualError(t, err, manifest.Validate(whole[:size]).Error())
	}
}

func TestIdentifyAllocatesNothing(t *testing.T) {
	in := testmanifest.Appended(7, 600)
	require.Zero(t, testing.AllocsPerRun(10, func() { _, _ = manifest.Identify(in) }))
}

func BenchmarkIdentify(b *testing.B) {
	in := testmanifest.Appended(7, 600)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := manifest.Identify(in); err != nil {
			b.Fatal(err)
		}
	}
}
