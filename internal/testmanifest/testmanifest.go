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
	m := number(version)
	if branch != "" {
		m = protowire.AppendTag(m, 20, protowire.BytesType)
		m = protowire.AppendString(m, branch)
	}
	return file(appendEntry(m, 16, "note", note)) // of the config
}

// WithTableMetadata returns the bytes of a manifest of main whose table metadata
// has one entry.
func WithTableMetadata(version uint64, name, value string) []byte {
	return file(appendEntry(number(version), 19, name, value))
}

// WithTransaction returns the bytes of a manifest of main that names its
// transaction file.
func WithTransaction(version uint64, name string) []byte {
	m := protowire.AppendTag(number(version), 12, protowire.BytesType)
	return file(protowire.AppendString(m, name))
}

func number(version uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, 3, protowire.VarintType), version)
}

// appendEntry appends an entry of a map of strings.
func appendEntry(m []byte, field protowire.Number, name, value string) []byte {
	var entry []byte
	entry = protowire.AppendTag(entry, 1, protowire.BytesType)
	entry = protowire.AppendString(entry, name)
	entry = protowire.AppendTag(entry, 2, protowire.BytesType)
	entry = protowire.AppendString(entry, value)
	m = protowire.AppendTag(m, field, protowire.BytesType)
	return protowire.AppendBytes(m, entry)
}

// file puts the message of a manifest into its frame.
func file(m []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(m)))
	return appendFooter(append(b, m...), 0)
}

const footerSize = 16

// appendFooter ends a file whose length of the message is at a position.
func appendFooter(b []byte, position int) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(position))
	b = append(b, 0, 0, 2, 0)
	return append(b, "LANC"...)
}
