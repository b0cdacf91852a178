package manifest_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// The builders below write bytes by the wire format alone, so that a test can also say what no writer would.

func number(num protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), v)
}

func data(num protowire.Number, parts ...[]byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), join(parts...))
}

func text(num protowire.Number, s string) []byte { return data(num, []byte(s)) }

func group(num protowire.Number, parts ...[]byte) []byte {
	b := append(protowire.AppendTag(nil, num, protowire.StartGroupType), join(parts...)...)
	return protowire.AppendTag(b, num, protowire.EndGroupType)
}

func join(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// section is a message behind its length prefix.
func section(parts ...[]byte) []byte {
	message := join(parts...)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(message))), message...)
}

// file is a manifest file: what stands before the manifest section, the message, the footer.
func file(before []byte, message ...[]byte) []byte {
	return join(before, section(message...), footer(int64(len(before)), 0, 2, "LANC"))
}

func footer(position int64, major, minor uint16, magic string) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(position))
	b = binary.LittleEndian.AppendUint16(b, major)
	b = binary.LittleEndian.AppendUint16(b, minor)
	return append(b, magic...)
}

// overlong is a varint field written in more bytes than it needs.
func overlong(num protowire.Number, v byte) []byte {
	return append(protowire.AppendTag(nil, num, protowire.VarintType), v|0x80, 0x80, 0)
}

// historical is a manifest that an early version of Lance wrote, with the version that its name tells.
type historical struct {
	name    string
	version uint64
	bytes   []byte
}

func readHistorical(tb testing.TB) []historical {
	tb.Helper()
	paths, err := filepath.Glob("testdata/historical/*.manifest")
	require.NoError(tb, err)
	require.Len(tb, paths, 22)
	var all []historical
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".manifest")
		_, tail, _ := strings.Cut(name, "__")
		version, err := strconv.ParseUint(tail, 10, 64)
		require.NoError(tb, err)
		b, err := os.ReadFile(path)
		require.NoError(tb, err)
		all = append(all, historical{name, version, b})
	}
	return all
}
