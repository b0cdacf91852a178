package naming_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lancecommit/lancecommit/naming"
)

const uuid = "0b5e1c5a-9d2f-4c0e-8a61-3f0d6f1f9a77"

func TestFinalNamesAreThoseOfTheFormat(t *testing.T) {
	for _, tc := range []struct {
		version uint64
		v1, v2  string
	}{
		{0, "0.manifest", "18446744073709551615.manifest"},
		{1, "1.manifest", "18446744073709551614.manifest"},
		{42, "42.manifest", "18446744073709551573.manifest"},
		{naming.MaxVersion, "9223372036854775807.manifest", "09223372036854775808.manifest"},
	} {
		require.Equal(t, tc.v1, naming.V1.Final(tc.version))
		require.Equal(t, tc.v2, naming.V2.Final(tc.version))
		require.Len(t, naming.V2.Final(tc.version), 29)
	}
}

func TestParseTellsTheKindsApart(t *testing.T) {
	final := func(s naming.Scheme, v uint64) naming.Name {
		return naming.Name{Kind: naming.Final, Scheme: s, Version: v}
	}
	for name, want := range map[string]naming.Name{
		"1.manifest":                    final(naming.V1, 1),
		"10.manifest":                   final(naming.V1, 10),
		"0.manifest":                    final(naming.V1, 0),
		"9223372036854775807.manifest":  final(naming.V1, naming.MaxVersion),
		"18446744073709551614.manifest": final(naming.V2, 1),
		"18446744073709551615.manifest": final(naming.V2, 0),
		"09223372036854775808.manifest": final(naming.V2, naming.MaxVersion),
		// The directory specification prints such names; 19 digits are V1.
		"1844674407370955161.manifest": final(naming.V1, 1844674407370955161),

		"d9223372036854775809.manifest": {Kind: naming.DetachedManifest, Version: 1<<63 + 1},

		"7.manifest-" + uuid: {Kind: naming.StagingManifest, Scheme: naming.V1, Version: 7, UUID: uuid},
		"18446744073709551608.manifest-" + uuid: {
			Kind: naming.StagingManifest, Scheme: naming.V2, Version: 7, UUID: uuid,
		},

		".tmp_7.manifest_" + uuid: {Kind: naming.Temporary},
		".tmp":                    {Kind: naming.Temporary},
		"7.manifest#1":            {Kind: naming.Temporary},

		"latest_version_hint.json": {Kind: naming.HintFile},
	} {
		require.Equal(t, want, naming.Parse(name), name)
	}
}

func TestParseTakesNothingElseForAVersion(t *testing.T) {
	for _, name := range []string{
		"", ".manifest", "manifest", "x.manifest", "1.manifest.bak", "1.manifest ", " 1.manifest", "1.MANIFEST",
		"+1.manifest", "-1.manifest", "01.manifest", "00.manifest", "1_0.manifest", "0x1.manifest", "1e3.manifest",
		"１.manifest", "1.manifest\x00", "1.manifest.attrs", "sub/1.manifest", "1.manifest/",
		"18446744073709551616.manifest",  // beyond 64 bits
		"118446744073709551614.manifest", // 21 digits
		"9223372036854775808.manifest",   // V1 with bit 63
		"09223372036854775807.manifest",  // V2 with bit 63
		"00000000000000000001.manifest",
		"d1.manifest", "d09223372036854775809.manifest", "d.manifest", "dd9223372036854775809.manifest",
		"1.manifest-", "1.manifest-1", "01.manifest-" + uuid, "1.manifest-" + uuid + "0", "x.manifest-" + uuid,
		"1.manifest-" + strings.ReplaceAll(uuid, "-", "_"), "#1",
	} {
		require.Equal(t, naming.Foreign, naming.Parse(name).Kind, "%q", name)
	}
}

func TestWritingAndParsingAreInverse(t *testing.T) {
	version := rapid.OneOf(rapid.Uint64Range(0, naming.MaxVersion),
		rapid.SampledFrom([]uint64{0, 1, 9, 10, naming.MaxVersion - 1, naming.MaxVersion}))
	rapid.Check(t, func(t *rapid.T) {
		v := version.Draw(t, "version")
		scheme := rapid.SampledFrom([]naming.Scheme{naming.V1, naming.V2}).Draw(t, "scheme")

		final := naming.Parse(scheme.Final(v))
		require.Equal(t, naming.Name{Kind: naming.Final, Scheme: scheme, Version: v}, final)

		staging := naming.Parse(naming.Staging(scheme.Final(v), uuid))
		require.Equal(t, naming.Name{Kind: naming.StagingManifest, Scheme: scheme, Version: v, UUID: uuid}, staging)

		detached := v | 1<<63
		require.Equal(t, naming.Name{Kind: naming.DetachedManifest, Version: detached},
			naming.Parse(naming.Detached(detached)))
	})
}

func TestV2OrderIsNewestFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		versions := rapid.SliceOfDistinct(rapid.Uint64Range(0, naming.MaxVersion), rapid.ID[uint64]).Draw(t, "versions")
		names := make([]string, 0, len(versions))
		for _, v := range versions {
			names = append(names, naming.V2.Final(v))
		}
		slices.Sort(names)
		slices.Sort(versions)
		slices.Reverse(versions)
		for i, name := range names {
			require.Equal(t, versions[i], naming.Parse(name).Version)
		}
	})
}

func TestOnlyVersionsOfAChainPassTheCheck(t *testing.T) {
	for version, ok := range map[uint64]bool{
		0: false, 1: true, naming.MaxVersion: true, naming.MaxVersion + 1: false, math.MaxUint64: false,
	} {
		if ok {
			require.NoError(t, naming.CheckVersion(version))
		} else {
			require.ErrorIs(t, naming.CheckVersion(version), naming.ErrVersion)
		}
	}
}

func TestSchemesAreSpelledExactly(t *testing.T) {
	for _, scheme := range []naming.Scheme{naming.V1, naming.V2} {
		got, err := naming.ParseScheme(scheme.String())
		require.NoError(t, err)
		require.Equal(t, scheme, got)
	}
	for _, text := range []string{"", "v2", "V3", "V2 ", "unknown"} {
		_, err := naming.ParseScheme(text)
		require.ErrorIs(t, err, naming.ErrScheme, "%q", text)
	}
}

// FuzzParse holds what must be true of every text: Parse returns, and a name
// that it took for one of ours is written again byte for byte.
func FuzzParse(f *testing.F) {
	for _, name := range []string{
		"1.manifest", "18446744073709551614.manifest", "d9223372036854775809.manifest", "1.manifest-" + uuid,
		".tmp_1", "1.manifest#3", naming.Hint, "", "+1.manifest", "01.manifest", "18446744073709551616.manifest",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		parsed := naming.Parse(name)
		switch parsed.Kind {
		case naming.Final, naming.StagingManifest:
			require.LessOrEqual(t, parsed.Version, naming.MaxVersion)
			require.NotZero(t, parsed.Scheme)
			require.Equal(t, name, parsed.String())
		case naming.DetachedManifest:
			require.Greater(t, parsed.Version, naming.MaxVersion)
			require.Equal(t, name, parsed.String())
		case naming.HintFile:
			require.Equal(t, name, parsed.String())
		case naming.Foreign, naming.Temporary:
			require.Empty(t, parsed.String())
		}
	})
}
