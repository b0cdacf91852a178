package manifest_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	"github.com/lancecommit/lancecommit/committer/manifest"
)

func TestWithVersion(t *testing.T) {
	indices := section(data(1))
	for _, tc := range []struct {
		rule     string
		in, want []byte
	}{
		{
			"the version is replaced in its place",
			file(nil, text(12, "t"), number(3, 7), text(20, "b")),
			file(nil, text(12, "t"), number(3, 300), text(20, "b")),
		}, {
			"sections in front stay where they are",
			file(indices, number(3, 7), number(6, 0)),
			file(indices, number(3, 300), number(6, 0)),
		}, {
			"the footer keeps its numbers",
			join(section(number(3, 7)), footer(0, 3, 77, "LANC")),
			join(section(number(3, 300)), footer(0, 3, 77, "LANC")),
		}, {
			"a missing version goes in front of the first higher number",
			file(nil, data(1), data(2), data(5), data(1), number(9, 1)),
			file(nil, data(1), data(2), number(3, 300), data(5), data(1), number(9, 1)),
		}, {
			"a missing version goes last where no number is higher",
			file(nil, data(2), data(1)),
			file(nil, data(2), data(1), number(3, 300)),
		}, {
			"an empty message gets a version",
			file(nil),
			file(nil, number(3, 300)),
		}, {
			"an overlong version becomes canonical",
			file(nil, overlong(3, 7)),
			file(nil, number(3, 300)),
		}, {
			"other overlong numbers stay",
			file(nil, overlong(9, 7), number(3, 7)),
			file(nil, overlong(9, 7), number(3, 300)),
		}, {
			"the last of several versions is replaced and the others go",
			file(nil, number(3, 1), data(1), number(3, 2), number(10, 1), number(3, 3), data(2)),
			file(nil, data(1), number(10, 1), number(3, 300), data(2)),
		}, {
			"unknown fields stay",
			file(nil, group(900, number(1, 1)), number(3, 7), text(22, badUTF8)),
			file(nil, group(900, number(1, 1)), number(3, 300), text(22, badUTF8)),
		}, {
			"a field 3 of another message is not the version",
			file(nil, data(1, number(3, 5)), number(3, 7)),
			file(nil, data(1, number(3, 5)), number(3, 300)),
		},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			before := slices.Clone(tc.in)
			out, err := manifest.WithVersion(tc.in, 300)
			require.NoError(t, err)
			require.Equal(t, tc.want, out)
			require.Equal(t, before, tc.in, "the input is not changed")
		})
	}
}

func TestWithVersionTakesTheVersionsOfAChain(t *testing.T) {
	in := file(nil, number(3, 7))
	for _, version := range []uint64{1, 127, 128, 1<<32 - 1, math.MaxInt64} {
		out, err := manifest.WithVersion(in, version)
		require.NoError(t, err)
		require.Equal(t, file(nil, number(3, version)), out)
	}
	for _, version := range []uint64{0, math.MaxInt64 + 1, math.MaxUint64} {
		_, err := manifest.WithVersion(in, version)
		require.ErrorIs(t, err, manifest.ErrInvalid)
		require.ErrorContains(t, err, "want 1 to 9223372036854775807")
	}
}

// A detached version is a manifest like any other, and can be given a place in a chain.
func TestWithVersionOfADetachedManifest(t *testing.T) {
	in := file(nil, number(3, 1<<63|5))
	info, err := manifest.Inspect(in)
	require.NoError(t, err)
	require.Equal(t, uint64(1<<63|5), info.Version)
	out, err := manifest.WithVersion(in, 5)
	require.NoError(t, err)
	require.Equal(t, file(nil, number(3, 5)), out)
}

// Whatever a valid manifest holds, a new version leaves all of it alone.
func TestWithVersionKeepsEverythingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawManifest(t)
		version := rapid.Uint64Range(1, math.MaxInt64).Draw(t, "version")
		requireReversioned(t, in, version)
	})
}

// requireReversioned gives the valid manifest in another version and compares all of the result with in.
func requireReversioned(t require.TestingT, in []byte, version uint64) {
	kept := slices.Clone(in)
	was, err := manifest.Inspect(in)
	require.NoError(t, err)
	out, err := manifest.WithVersion(in, version)
	require.NoError(t, err)
	require.Equal(t, kept, in, "the input is not changed")

	beforeIn, messageIn := split(t, in)
	beforeOut, messageOut := split(t, out)
	require.Equal(t, beforeIn, beforeOut, "what stands before the manifest section")
	require.Equal(t, in[len(in)-16:], out[len(out)-16:], "footer")
	restIn, versionsIn := others(wireFields(t, messageIn))
	restOut, versionsOut := others(wireFields(t, messageOut))
	require.Equal(t, restIn, restOut, "all fields but the version")
	require.Equal(t, [][]byte{number(3, version)}, versionsOut)

	is, err := manifest.Inspect(out)
	require.NoError(t, err)
	require.Equal(t, version, is.Version)
	is.Version = was.Version
	require.Equal(t, was, is, "all that is said but the version")

	again, err := manifest.WithVersion(out, version)
	require.NoError(t, err)
	require.Equal(t, out, again, "its own version changes nothing")
	if len(versionsIn) == 1 && was.Version > 0 && was.Version <= math.MaxInt64 && string(versionsIn[0]) == string(number(3, was.Version)) {
		back, err := manifest.WithVersion(out, was.Version)
		require.NoError(t, err)
		require.Equal(t, in, back, "the old version gives the old bytes")
	}
}

// drawManifest makes a valid manifest: sections in front, known and unknown fields in any order and number.
func drawManifest(t *rapid.T) []byte {
	before := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "dictionary values")
	var message [][]byte
	if rapid.Bool().Draw(t, "has indices") {
		message = append(message, number(6, uint64(len(before))))
		before = join(before, section(data(1, text(3, "idx"), drawUnknown(t)), drawUnknown(t)))
	}
	if rapid.Bool().Draw(t, "has a transaction") {
		message = append(message, number(21, uint64(len(before))))
		before = join(before, section(text(2, "uuid"), data(100), drawUnknown(t)))
	}
	known := rapid.OneOf(
		rapid.Map(rapid.Uint64(), func(v uint64) []byte { return number(3, v) }),
		rapid.Map(rapid.ByteRange(0, 127), func(v byte) []byte { return overlong(3, v) }),
		rapid.Map(rapid.Uint64(), func(v uint64) []byte { return number(9, v) }),
		rapid.Map(rapid.ByteRange(0, 127), func(v byte) []byte { return overlong(14, v) }),
		rapid.Map(rapid.String(), func(s string) []byte { return text(12, s) }),
		rapid.Map(rapid.String(), func(s string) []byte { return text(20, s) }),
		rapid.Map(rapid.String(), func(s string) []byte { return data(1, text(2, s), number(3, 9)) }),
		rapid.Map(rapid.Uint64(), func(v uint64) []byte { return data(2, number(1, v), number(4, v), data(2, data(2, []byte{1}))) }),
		rapid.Map(rapid.String(), func(s string) []byte { return data(19, text(1, s), text(2, s)) }),
		rapid.Map(rapid.Int64Range(0, 1<<37), func(v int64) []byte { return data(7, number(1, uint64(v)), number(2, 5)) }),
		rapid.Custom(drawUnknown),
	)
	message = append(message, rapid.SliceOfN(known, 0, 12).Draw(t, "fields")...)
	return file(before, rapid.Permutation(message).Draw(t, "order")...)
}

func drawUnknown(t *rapid.T) []byte {
	num := protowire.Number(rapid.Int32Range(200, int32(protowire.MaxValidNumber)).Draw(t, "number"))
	switch rapid.IntRange(0, 4).Draw(t, "type") {
	case 0:
		return number(num, rapid.Uint64().Draw(t, "varint"))
	case 1:
		return protowire.AppendFixed32(protowire.AppendTag(nil, num, protowire.Fixed32Type), rapid.Uint32().Draw(t, "fixed32"))
	case 2:
		return protowire.AppendFixed64(protowire.AppendTag(nil, num, protowire.Fixed64Type), rapid.Uint64().Draw(t, "fixed64"))
	case 3:
		return data(num, rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
	default:
		return group(num, number(3, rapid.Uint64().Draw(t, "inner")), group(num, text(1, badUTF8)))
	}
}
