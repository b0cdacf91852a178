package manifest_test

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer/manifest"
)

func TestFrameRules(t *testing.T) {
	version := number(3, 7)
	whole := file(nil, version)
	for _, tc := range []struct {
		rule string
		in   []byte
		want string // "" where the input is valid
	}{
		{"a manifest section and a footer are enough", whole, ""},
		{"an empty message is a message", file(nil), ""},
		{"bytes before the manifest section belong to other sections", file([]byte("anything"), version), ""},
		{"major and minor are not looked at", join(section(version), footer(0, 9, 77, "LANC")), ""},

		{"no bytes", nil, "it is empty"},
		{"fewer bytes than a footer", make([]byte, 12), "12 bytes, shorter than the 16-byte footer"},
		{"one byte less than a footer", footer(0, 0, 2, "LANC")[1:], "15 bytes, shorter than the 16-byte footer"},
		{"a footer alone", footer(0, 0, 2, "LANC"), "position 0 is beyond the end"},
		{"zeros", make([]byte, 64), `64 bytes, and the magic at the end is "\x00\x00\x00\x00", want "LANC"`},
		{"another magic", join(section(version), footer(0, 0, 2, "LANX")), `the magic at the end is "LANX", want "LANC"`},
		{"the magic in lower case", join(section(version), footer(0, 0, 2, "lanc")), `the magic at the end is "lanc", want "LANC"`},
		{"a negative position", join(section(version), footer(-5, 0, 2, "LANC")), "position -5 is negative"},
		{"the lowest position", join(section(version), footer(math.MinInt64, 0, 2, "LANC")), "position -9223372036854775808 is negative"},
		{"a position beyond the end", join(section(version), footer(900, 0, 2, "LANC")), "position 900 is beyond the end"},
		{"the highest position", join(section(version), footer(math.MaxInt64, 0, 2, "LANC")), "position 9223372036854775807 is beyond the end"},
		{"a position at the footer", join(section(version), footer(6, 0, 2, "LANC")), "position 6 is beyond the end: no section fits between it and the footer at 6"},
		{"a position three bytes before the footer", join(section(version), footer(3, 0, 2, "LANC")), "position 3 is beyond the end"},
		{"a position one byte late", join([]byte{0}, section(version), footer(2, 0, 2, "LANC")), "section of 402653184 bytes at 2 ends at 402653190, the footer starts at 7"},
		{"a position one byte early", join([]byte{0}, section(version), footer(0, 0, 2, "LANC")), "section of 512 bytes at 0 ends at 516, the footer starts at 7"},
		{"a section that is too long", join([]byte{3, 0, 0, 0}, version, footer(0, 0, 2, "LANC")), "section of 3 bytes at 0 ends at 7, the footer starts at 6"},
		{"a section that is too short", join([]byte{1, 0, 0, 0}, version, footer(0, 0, 2, "LANC")), "section of 1 bytes at 0 ends at 5, the footer starts at 6"},
		{"the longest section", join([]byte{255, 255, 255, 255}, version, footer(0, 0, 2, "LANC")), "section of 4294967295 bytes at 0 ends at 4294967299"},
		{"bytes between section and footer", join(section(version), []byte{0}, footer(0, 0, 2, "LANC")), "the file is truncated or has trailing bytes"},
		{"a byte after the footer", join(whole, []byte{0}), "the magic at the end"},
		{"the file twice", join(whole, whole), "section of 2 bytes at 0 ends at 6, the footer starts at 28"},
	} {
		t.Run(tc.rule, func(t *testing.T) { requireVerdict(t, tc.in, tc.want) })
	}
}

// requireVerdict asks every function of the package, which must agree. An empty want asks for a valid manifest.
func requireVerdict(t *testing.T, in []byte, want string) {
	t.Helper()
	err := manifest.Validate(in)
	_, inspectErr := manifest.Inspect(in)
	_, versionErr := manifest.WithVersion(in, 2)
	if want == "" {
		require.NoError(t, err)
		require.NoError(t, inspectErr)
		require.NoError(t, versionErr)
		return
	}
	require.ErrorIs(t, err, manifest.ErrInvalid)
	require.ErrorContains(t, err, want)
	require.Equal(t, err, inspectErr)
	require.Equal(t, err, versionErr)
}

func TestEveryTruncationIsInvalid(t *testing.T) {
	for _, h := range readHistorical(t) {
		for n := range len(h.bytes) {
			require.ErrorIs(t, manifest.Validate(h.bytes[:n]), manifest.ErrInvalid, "%s cut after %d bytes", h.name, n)
			require.ErrorIs(t, manifest.Validate(h.bytes[n+1:]), manifest.ErrInvalid, "%s without its first %d bytes", h.name, n+1)
		}
	}
}

// A message that is cut short inside a frame that is right must not pass, unless the cut falls between two fields.
func TestTruncatedMessageIsInvalid(t *testing.T) {
	for _, h := range readHistorical(t) {
		before, message := split(t, h.bytes)
		boundary := map[int]bool{0: true}
		end := 0
		for _, f := range wireFields(t, message) {
			end += len(f.raw)
			boundary[end] = true
		}
		for n := range len(message) {
			err := manifest.Validate(file(before, message[:n]))
			if boundary[n] {
				require.NoError(t, err, "%s cut after %d bytes of the message", h.name, n)
			} else {
				require.ErrorIs(t, err, manifest.ErrInvalid, "%s cut after %d bytes of the message", h.name, n)
			}
		}
	}
}

func TestZerosAreRefusedWithoutBeingRead(t *testing.T) {
	zeros := make([]byte, 100<<20)
	err := manifest.Validate(zeros)
	require.ErrorIs(t, err, manifest.ErrInvalid)
	require.EqualError(t, err, `invalid manifest: 104857600 bytes, and the magic at the end is "\x00\x00\x00\x00", want "LANC"`)
	require.EqualError(t, manifest.Validate([]byte{}), "invalid manifest: it is empty")
}

// A length is a claim until the bytes are there: no error path may reserve memory for it.
func TestClaimedLengthsAllocateNothing(t *testing.T) {
	for rule, in := range map[string][]byte{
		"4 GiB section":         join([]byte{255, 255, 255, 255}, number(3, 7), footer(0, 0, 2, "LANC")),
		"8 EiB string":          file(nil, []byte{12<<3 | 2, 255, 255, 255, 255, 255, 255, 255, 255, 127}),
		"4 GiB index section":   file([]byte{255, 255, 255, 255}, number(6, 0)),
		"zeros, of 100 MB":      make([]byte, 100<<20),
		"zeros, inside a frame": file(nil, make([]byte, 10<<20)),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := manifest.Validate(in)
		runtime.ReadMemStats(&after)
		require.Error(t, err, rule)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<10), rule)
	}
}
