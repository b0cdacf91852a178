package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer/manifest"
)

// FuzzInspect feeds whole files. What is valid must survive a new version with everything else unchanged.
func FuzzInspect(f *testing.F) {
	for _, h := range readHistorical(f) {
		f.Add(h.bytes, uint64(7))
	}
	f.Add(file(section(data(1, text(3, "idx"))), number(3, 1), number(6, 0), group(900)), uint64(1<<63-1))
	f.Fuzz(requireConsistent)
}

// FuzzMessage puts its input into a frame that is right, so that the fuzzer spends its time on the message.
func FuzzMessage(f *testing.F) {
	for _, h := range readHistorical(f) {
		before, message := split(f, h.bytes)
		f.Add(before, message, uint64(7))
	}
	f.Fuzz(func(t *testing.T, before, message []byte, version uint64) {
		requireConsistent(t, file(before, message), version)
	})
}

func requireConsistent(t *testing.T, in []byte, version uint64) {
	err := manifest.Validate(in)
	info, inspectErr := manifest.Inspect(in)
	if err != nil {
		require.ErrorIs(t, err, manifest.ErrInvalid)
		require.Equal(t, err, inspectErr)
		require.Zero(t, info)
		_, err = manifest.WithVersion(in, 1)
		require.ErrorIs(t, err, manifest.ErrInvalid)
		return
	}
	require.NoError(t, inspectErr)
	_, err = info.Timestamp.MarshalJSON()
	require.NoError(t, err)
	requireReversioned(t, in, max(1, version&(1<<63-1)))
}
