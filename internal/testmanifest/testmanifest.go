// Package testmanifest makes small valid manifests for tests.
package testmanifest

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// New returns the bytes of a manifest of a version of a branch, empty for main.
// Manifests with different notes have different bytes of the same length, as
// long as the notes have.
func New(version uint64, branch, note string) []byte {
	var m []byte
	m = protowire.AppendTag(m, 3, protowire.VarintType)
	m = protowire.AppendVarint(m, version)
	if branch != "" {
		m = protowire.AppendTag(m, 20, protowire.BytesType)
		m = protowire.AppendString(m, branch)
	}
	// Entry of the config map.
	var entry []byte
	entry = protowire.AppendTag(entry, 1, protowire.BytesType)
	entry = protowire.AppendString(entry, "note")
	entry = protowire.AppendTag(entry, 2, protowire.BytesType)
	entry = protowire.AppendString(entry, note)
	m = protowire.AppendTag(m, 16, protowire.BytesType)
	m = protowire.AppendBytes(m, entry)

	file := binary.LittleEndian.AppendUint32(nil, uint32(len(m)))
	file = append(file, m...)
	file = binary.LittleEndian.AppendUint64(file, 0) // position of the length
	file = append(file, 0, 0, 2, 0)
	return append(file, "LANC"...)
}
