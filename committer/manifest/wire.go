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

// A field is one field of a message as it stands on the wire.
type field struct {
	num    protowire.Number
	typ    protowire.Type
	at     int    // byte of the file at which its key starts
	raw    []byte // key and value
	head   int    // size of the key, and of the length of wire type bytes
	varint uint64 // the value of wire type varint; without meaning for the others
}

// bytes is the value of wire type bytes.
func (f *field) bytes() []byte { return f.raw[f.head:] }

// end is the byte of the file after the field.
func (f *field) end() int { return f.at + len(f.raw) }

// read takes the first field off b, which starts at the byte at of the file, into f. The message gives the fields their
// names; it is nil where none are known. No length on the wire is believed before the bytes are there.
func (m *message) read(f *field, b []byte, at, depth int) error {
	if f.readShort(b, at) {
		return nil
	}
	return m.readLong(f, b, at, depth)
}

// readLong is read for any field.
func (m *message) readLong(f *field, b []byte, at, depth int) error {
	*f = field{at: at}
	key, n := protowire.ConsumeVarint(b)
	switch {
	case n < 0:
		return fmt.Errorf("the field key at byte %d %s", at, varintFault(n))
	case key > math.MaxUint32:
		return fmt.Errorf("the field key at byte %d has the number %d, above the largest, %d", at, key>>3, protowire.MaxValidNumber)
	case key>>3 == 0:
		return fmt.Errorf("the field key at byte %d has the number 0, which no field has", at)
	}
	f.num, f.typ = protowire.DecodeTag(key)
	f.head = n
	value, size := b[n:], 0
	switch f.typ {
	case protowire.VarintType:
		f.varint, size = protowire.ConsumeVarint(value)
		if size < 0 {
			return m.fault(f, "%s", varintFault(size))
		}
	case protowire.Fixed32Type, protowire.Fixed64Type:
		size = 4
		if f.typ == protowire.Fixed64Type {
			size = 8
		}
		if len(value) < size {
			return m.fault(f, "needs %d bytes, %d are left", size, len(value))
		}
	case protowire.BytesType:
		length, prefix := protowire.ConsumeVarint(value)
		if prefix < 0 {
			return m.fault(f, "has a length that %s", varintFault(prefix))
		}
		if left := len(value) - prefix; length > uint64(left) {
			return m.fault(f, "announces %d bytes, %d are left", length, left)
		}
		f.head += prefix
		size = prefix + int(length)
	case protowire.StartGroupType:
		var err error
		if size, err = skipGroup(value, f.num, at+n, depth-1); err != nil {
			return m.fault(f, "is a group: %w", err)
		}
	case protowire.EndGroupType:
		return m.fault(f, "ends a group that is not open")
	default:
		return m.fault(f, "has wire type %d, which does not exist", f.typ)
	}
	f.raw = b[:n+size]
	return nil
}

// readShort is read for what most fields are: a key of one byte and a varint of one, or bytes whose length has one. It
// reports whether b begins with such a field.
func (f *field) readShort(b []byte, at int) bool {
	if len(b) < 2 || b[0]|b[1] >= 0x80 || b[0]>>3 == 0 {
		return false
	}
	key, value, size := b[0], b[1], 2
	switch protowire.Type(key & 7) {
	case protowire.VarintType:
	case protowire.BytesType:
		size += int(value)
	default:
		return false
	}
	if size > len(b) {
		return false
	}
	f.num, f.typ = protowire.Number(key>>3), protowire.Type(key&7)
	f.at, f.raw, f.head, f.varint = at, b[:size], 2, uint64(value)
	return true
}

// skipGroup returns the size of the rest of the group num, its end marker included.
func skipGroup(b []byte, num protowire.Number, at, depth int) (int, error) {
	var unnamed *message
	var f field
	for rest := b; ; {
		if len(rest) == 0 {
			return 0, errors.New("it has no end")
		}
		if got, typ, n := protowire.ConsumeTag(rest); n > 0 && typ == protowire.EndGroupType {
			if got != num {
				return 0, fmt.Errorf("it ends as group %d", got)
			}
			return len(b) - len(rest) + n, nil
		}
		if depth == 0 {
			return 0, fmt.Errorf("it nests more than %d deep", maxDepth)
		}
		if err := unnamed.read(&f, rest, at, depth); err != nil {
			return 0, err
		}
		rest, at = rest[len(f.raw):], f.end()
	}
}

// varintFault says what is wrong with a varint for which protowire gave the negative length n.
func varintFault(n int) string {
	if errors.Is(protowire.ParseError(n), io.ErrUnexpectedEOF) {
		return "is cut off"
	}
	return "does not fit into 64 bits"
}

// fields yields the fields of a message that has passed the check. What it yields is good until the next one.
func fields(b []byte) iter.Seq[*field] {
	return func(yield func(*field) bool) {
		var unnamed *message
		var f field
		for at := 0; at < len(b); at = f.end() {
			if unnamed.read(&f, b[at:], at, maxDepth) != nil || !yield(&f) {
				return
			}
		}
	}
}
