package manifest

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// skim returns where the first field starts that takes a closer look, from a byte of b on, or the end of b. What it passes
// over holds to the rules of m, and is nearly everything that writers make. It refuses nothing.
func (m *message) skim(b []byte, at int) int {
	for at < len(b) {
		key := b[at]
		if key >= 0x80 || key>>3 == 0 {
			return at
		}
		k, end := m.lookup(protowire.Number(key>>3)), 0
		switch protowire.Type(key & 7) {
		case protowire.VarintType:
			if k.kind <= varint {
				end = skipVarint(b, at+1)
			}
		case protowire.BytesType:
			value, ends := skipBytes(b, at+1)
			switch k.kind {
			case unknown, blob:
				end = ends
			case text, varints:
				if isASCII(b[value:ends]) {
					end = ends
				}
			case nested:
				if k.of.skim(b[:ends], value) == ends {
					end = ends
				}
			}
		}
		if end == 0 {
			return at
		}
		at = end
	}
	return at
}

// skipVarint returns where the varint ends that starts at a byte of b, zero where it is cut off or has more than 9 bytes.
func skipVarint(b []byte, at int) (end int) {
	for _, c := range b[at:min(len(b), at+9)] {
		at++
		if c < 0x80 {
			return at
		}
	}
	return 0
}

// skipBytes returns where a value of wire type bytes starts and ends whose length starts at a byte of b. Both are zero
// where it is cut off, or the length has more than two bytes.
func skipBytes(b []byte, at int) (value, end int) {
	if len(b)-at < 2 {
		return 0, 0
	}
	length := int(b[at])
	at++
	if length >= 0x80 {
		if b[at] >= 0x80 {
			return 0, 0
		}
		length = length&0x7f | int(b[at])<<7
		at++
	}
	if length > len(b)-at {
		return 0, 0
	}
	return at, at + length
}

// isASCII reports whether no byte is above 0x7f. Then text is UTF-8, and packed varints have one byte each.
func isASCII(b []byte) bool {
	if len(b) < 8 {
		var all byte
		for _, c := range b {
			all |= c
		}
		return all < 0x80
	}
	// The last eight overlap others.
	all := binary.LittleEndian.Uint64(b[len(b)-8:])
	for ; len(b) > 8; b = b[8:] {
		all |= binary.LittleEndian.Uint64(b)
	}
	return all&0x8080808080808080 == 0
}
