package manifest

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxDepth is how deep messages and groups may nest: the limit of prost, the decoder of Lance's readers.
const maxDepth = 100

// A field is one field of a message as it stands on the wire. It has four words and no pointers: the compiler keeps that in
// registers, and nothing larger. A commit reads some sixty of them.
type field struct {
	key uint64 // the number and the wire type
	// The bytes at which the key starts, at which the value does, behind its length, and at which the field ends.
	at, value, end int
}

func (f field) num() protowire.Number { return protowire.Number(f.key >> 3) }

func (f field) typ() protowire.Type { return protowire.Type(f.key & 7) }

// varint returns the value of wire type varint, of what the field was read from. For the others it has no meaning.
func (f field) varint(b []byte) uint64 {
	v, _ := protowire.ConsumeVarint(f.bytes(b))
	return v
}

// bytes returns the value of wire type bytes, of what the field was read from.
func (f field) bytes(b []byte) []byte { return b[f.value:f.end] }

// read reads the field that starts at a byte of b, which ends where the message does. The message gives the fields their
// names; it is nil where none are known. No length on the wire is believed before the bytes are there.
func (m *message) read(b []byte, at, depth int) (field, error) {
	// Most keys have one byte.
	if key := b[at]; key < 0x80 && key>>3 != 0 {
		switch protowire.Type(key & 7) {
		case protowire.VarintType:
			if end := skipVarint(b, at+1); end != 0 {
				return field{uint64(key), at, at + 1, end}, nil
			}
		case protowire.BytesType:
			if value, end := skipBytes(b, at+1); end != 0 {
				return field{uint64(key), at, value, end}, nil
			}
		}
	}
	return m.readLong(b, at, depth)
}

// readLong is read for any field.
func (m *message) readLong(b []byte, at, depth int) (field, error) {
	f := field{at: at}
	key, n := protowire.ConsumeVarint(b[at:])
	switch {
	case n < 0:
		return f, fmt.Errorf("the field key at byte %d %s", at, varintFault(n))
	case key > math.MaxUint32:
		return f, fmt.Errorf("the field key at byte %d has the number %d, above the largest, %d", at, key>>3, protowire.MaxValidNumber)
	case key>>3 == 0:
		return f, fmt.Errorf("the field key at byte %d has the number 0, which no field has", at)
	}
	f.key, f.value = key, at+n
	value, size := b[f.value:], 0
	switch f.typ() {
	case protowire.VarintType:
		_, size = protowire.ConsumeVarint(value)
		if size < 0 {
			return f, m.fault(f, "%s", varintFault(size))
		}
	case protowire.Fixed32Type, protowire.Fixed64Type:
		size = 4
		if f.typ() == protowire.Fixed64Type {
			size = 8
		}
		if len(value) < size {
			return f, m.fault(f, "needs %d bytes, %d are left", size, len(value))
		}
	case protowire.BytesType:
		length, prefix := protowire.ConsumeVarint(value)
		if prefix < 0 {
			return f, m.fault(f, "has a length that %s", varintFault(prefix))
		}
		if left := len(value) - prefix; length > uint64(left) {
			return f, m.fault(f, "announces %d bytes, %d are left", length, left)
		}
		f.value += prefix
		size = int(length)
	case protowire.StartGroupType:
		if k := m.lookup(f.num()); k.kind != unknown {
			return f, m.wrongType(f, k)
		}
		var err error
		size, err = skipGroup(b, f.value, f.num(), depth-1)
		switch {
		case err != nil && m == nil:
			// The outermost group is named, and the byte of what is wrong.
			return f, err
		case err != nil:
			return f, m.fault(f, "is a group: %w", err)
		}
	case protowire.EndGroupType:
		return f, m.fault(f, "ends a group that is not open")
	default:
		return f, m.fault(f, "has wire type %d, which does not exist", f.typ())
	}
	f.end = f.value + size
	return f, nil
}

// skipGroup returns the size of the rest of the group num, which starts at a byte of b, its end marker included.
func skipGroup(b []byte, start int, num protowire.Number, depth int) (int, error) {
	var unnamed *message
	for at := start; ; {
		if at == len(b) {
			return 0, errors.New("it has no end")
		}
		if got, typ, n := protowire.ConsumeTag(b[at:]); n > 0 && typ == protowire.EndGroupType {
			if got != num {
				return 0, fmt.Errorf("it ends as group %d", got)
			}
			return at + n - start, nil
		}
		if depth == 0 {
			return 0, fmt.Errorf("it nests more than %d deep", maxDepth)
		}
		f, err := unnamed.read(b, at, depth)
		if err != nil {
			return 0, err
		}
		at = f.end
	}
}

// varintFault says what is wrong with a varint for which protowire gave the negative length n.
func varintFault(n int) string {
	if errors.Is(protowire.ParseError(n), io.ErrUnexpectedEOF) {
		return "is cut off"
	}
	return "does not fit into 64 bits"
}

// fields yields the fields of a message that has passed the check.
func fields(b []byte) iter.Seq[field] {
	return func(yield func(field) bool) {
		var unnamed *message
		for at := 0; at < len(b); {
			f, err := unnamed.read(b, at, maxDepth)
			if err != nil || !yield(f) {
				return
			}
			at = f.end
		}
	}
}
