package manifest

import (
	"encoding/binary"
	"fmt"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// Validate returns nil when b is a manifest that Lance's readers can decode, else an error that wraps [ErrInvalid].
//
// The frame must be whole, without a byte too many. The Manifest message must decode by the rules of prost, which are
// those of protobuf and stricter in one point: a known field with a wire type that is not its own is refused, not
// skipped. Strings must be UTF-8, nested messages are held to the same rules, timestamps must lie in the years 1 to 9999.
// Fields that are not known only have to be well-formed. The index section and the transaction section must lie before
// the manifest section and decode, too, since a reader decodes them when it opens the table.
//
// Not looked at: whether version and branch are those that a caller expects ([Inspect] tells them), feature flags, and
// anything that the manifest refers to in other files.
//
// The time is linear in len(b), and nothing is allocated unless an error is returned.
func Validate(b []byte) error {
	_, err := parse(b)
	return err
}

// parse is Validate that keeps the frame, with what it has read of the message.
func parse(b []byte) (frame, error) {
	fr, err := readFrame(b)
	if err != nil {
		return frame{}, err
	}
	if err := fr.checkMessage(); err != nil {
		return frame{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if err := checkSections(b, fr); err != nil {
		return frame{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return fr, nil
}

// check holds the message in b, which starts at the byte at of the file, to the rules of m.
func (m *message) check(b []byte, at, depth int) error {
	var f field
	for len(b) > 0 {
		if err := m.checkFirst(&f, b, at, depth); err != nil {
			return err
		}
		b, at = b[len(f.raw):], f.end()
	}
	return nil
}

// checkFirst takes the first field off b, as read does, and holds it to the rules.
func (m *message) checkFirst(f *field, b []byte, at, depth int) error {
	if err := m.read(f, b, at, depth); err != nil {
		return err
	}
	if k := m.lookup(f.num); k.kind != unknown {
		return m.checkKnown(f, k, depth)
	}
	return nil
}

func (m *message) checkKnown(f *field, k *known, depth int) error {
	want := protowire.BytesType
	switch k.kind {
	case varint, seconds, nanos:
		want = protowire.VarintType
	case varints:
		if f.typ == protowire.VarintType {
			return nil
		}
	}
	if f.typ != want {
		return m.fault(f, "has wire type %d, want %s", f.typ, typeName(want))
	}
	switch k.kind {
	case varints:
		for b := f.bytes; len(b) > 0; {
			_, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return m.fault(f, "packs a varint that %s", varintFault(n))
			}
			b = b[n:]
		}
	case seconds:
		if s := int64(f.varint); s < minSeconds || s > maxSeconds {
			return m.fault(f, "is %d, outside the years 1 to 9999", s)
		}
	case nanos:
		if n := int32(f.varint); n < 0 || n >= 1e9 {
			return m.fault(f, "is %d, want 0 to 999999999", n)
		}
	case text:
		if !utf8.Valid(f.bytes) {
			return m.fault(f, "is not UTF-8")
		}
	case nested:
		if err := k.of.check(f.bytes, f.end()-len(f.bytes), depth-1); err != nil {
			return m.fault(f, "does not decode: %w", err)
		}
	}
	return nil
}

func typeName(t protowire.Type) string {
	if t == protowire.VarintType {
		return "varint"
	}
	return "bytes"
}

// The bounds that timestamp.proto sets. What lies outside has no RFC 3339 form.
var (
	minSeconds = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	maxSeconds = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
)

// checkSections looks at the three absolute offsets of a manifest whose message has passed the check.
func checkSections(b []byte, fr frame) error {
	aux, index, transact := fr.aux, fr.index, fr.transact
	// 0 is the default of version_aux_data and means that there is none.
	if aux.varint != 0 && aux.varint >= uint64(fr.position) {
		return beyond(aux, fr)
	}
	if err := indexSection.checkSection(b, index, fr); err != nil {
		return err
	}
	if err := transaction.checkSection(b, transact, fr); err != nil || transact.raw == nil {
		return err
	}
	at := int(transact.varint)
	start := at + prefixSize
	if err := checkOperation(b[start : start+int(binary.LittleEndian.Uint32(b[at:]))]); err != nil {
		return manifestMessage.fault(&transact, "is %d, and the section there is of no use: %w", at, err)
	}
	return nil
}

// checkSection checks the message that the offset points to. An absent offset is fine; 0 is an offset like any other.
func (m *message) checkSection(b []byte, offset field, fr frame) error {
	if offset.raw == nil {
		return nil
	}
	if fr.position < prefixSize || offset.varint > uint64(fr.position-prefixSize) {
		return beyond(offset, fr)
	}
	at := int(offset.varint)
	start := at + prefixSize
	length := binary.LittleEndian.Uint32(b[at:])
	if uint64(length) > uint64(fr.position-start) {
		return manifestMessage.fault(&offset, "is %d: the section of %d bytes there ends at %d, after the start of the manifest section at %d",
			at, length, uint64(start)+uint64(length), fr.position)
	}
	if err := m.check(b[start:start+int(length)], start, maxDepth); err != nil {
		return manifestMessage.fault(&offset, "is %d, and the section there does not decode: %w", at, err)
	}
	return nil
}

func beyond(offset field, fr frame) error {
	return manifestMessage.fault(&offset, "is %d, but a section there must end before the manifest section at %d", offset.varint, fr.position)
}
