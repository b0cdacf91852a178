package manifest_test

import (
	"encoding/binary"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// wireField is a field as protowire alone reads it: the tests' own view of a message.
type wireField struct {
	num protowire.Number
	raw []byte
}

func wireFields(t require.TestingT, message []byte) []wireField {
	var all []wireField
	for len(message) > 0 {
		num, _, n := protowire.ConsumeField(message)
		require.Positive(t, n)
		all = append(all, wireField{num, message[:n]})
		message = message[n:]
	}
	return all
}

// split takes a whole file apart: what stands before the manifest section, and the message.
func split(t require.TestingT, b []byte) (before, message []byte) {
	end := len(b) - 16
	position := int(binary.LittleEndian.Uint64(b[end:]))
	length := int(binary.LittleEndian.Uint32(b[position:]))
	require.Equal(t, end, position+4+length)
	return b[:position], b[position+4 : end]
}

// others are the fields of a message without its version.
func others(fields []wireField) (rest []wireField, versions [][]byte) {
	for _, f := range fields {
		if f.num == 3 {
			versions = append(versions, f.raw)
		} else {
			rest = append(rest, f)
		}
	}
	return rest, versions
}
