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
// the manifest section and decode, too, since a reader decodes them when it opens the table. Of a transaction, what later
// versions of Lance have changed or added counts as not known, such as the contents of update_config.
//
// Not looked at: whether version and branch are those that a caller expects ([Inspect] tells them), feature flags, and
// anything that the manifest refers to in other files.
//
// The time is linear in len(b), and nothing is allocated unless an error is returned.
func Validate(b []byte) error {
	var f frame
	return f.parse(b)
}

// parse is Validate that keeps the frame, with what it has read of the message.
func (f *frame) parse(b []byte) error {
	if err := f.find(b); err != nil {
		return err
	}
	if err := f.checkMessage(b); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if err := f.checkSections(b); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return nil
}

// check holds the message that starts at a byte of b, and ends with it, to the rules of m.
func (m *message) check(b []byte, at, depth int) error {
	for at = m.skim(b, at); at < len(b); at = m.skim(b, at) {
		f, err := m.read(b, at, depth)
		if err != nil {
			return err
		}
		if err := m.checkKnown(b, f, m.lookup(f.num()), depth); err != nil {
			return err
		}
		at = f.end
	}
	return nil
}

// checkKnown holds a field of b to the rules of what is known of it.
func (m *message) checkKnown(b []byte, f field, k *known, depth int) error {
	if f.typ() != wireTypes[k.kind] {
		if k.kind == unknown || k.kind == varints && f.typ() == protowire.VarintType {
			return nil
		}
		return m.wrongType(f, k)
	}
	switch k.kind {
	case varints:
		for b := f.bytes(b); len(b) > 0; {
			n := 1
			if b[0] >= 0x80 {
				_, n = protowire.ConsumeVarint(b)
			}
			if n < 0 {
				return m.fault(f, "packs a varint that %s", varintFault(n))
			}
			b = b[n:]
		}
	case seconds:
		if s := int64(f.varint(b)); s < minSeconds || s > maxSeconds {
			return m.fault(f, "is %d, outside the years 1 to 9999", s)
		}
	case nanos:
		if n := int32(f.varint(b)); n < 0 || n >= 1e9 {
			return m.fault(f, "is %d, want 0 to 999999999", n)
		}
	case text:
		if !utf8.Valid(f.bytes(b)) {
			return m.fault(f, "is not UTF-8")
		}
	case nested:
		if err := k.of.check(b[:f.end], f.value, depth-1); err != nil {
			return m.fault(f, "does not decode: %w", err)
		}
	}
	return nil
}

// wrongType says that a known field has a wire type that is not its own.
func (m *message) wrongType(f field, k *known) error {
	want := "bytes"
	if wireTypes[k.kind] == protowire.VarintType {
		want = "varint"
	}
	return m.fault(f, "has wire type %d, want %s", f.typ(), want)
}

// The bounds that timestamp.proto sets. What lies outside has no RFC 3339 form.
var (
	minSeconds = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	maxSeconds = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
)

// checkSections looks at the two absolute offsets that a reader follows, of a manifest whose message has passed the check.
func (f *frame) checkSections(b []byte) error {
	if err := f.checkSection(b, f.index, checkIndexes); err != nil {
		return err
	}
	return f.checkSection(b, f.transact, f.checkTransaction)
}

// checkSection holds the message that the offset points to, and that starts at a byte of the file, to a check. An absent
// offset is fine; 0 is an offset like any other.
func (f *frame) checkSection(b []byte, offset field, check func(b []byte, at int) error) error {
	if offset.end == 0 {
		return nil
	}
	there := offset.varint(b)
	if f.position < prefixSize || there > uint64(f.position-prefixSize) {
		return f.beyond(offset, there)
	}
	at := int(there)
	start := at + prefixSize
	length := binary.LittleEndian.Uint32(b[at:])
	if uint64(length) > uint64(f.position-start) {
		return manifestMessage.fault(offset, "is %d: the section of %d bytes there ends at %d, after the start of the manifest section at %d",
			at, length, uint64(start)+uint64(length), f.position)
	}
	if err := check(b[:start+int(length)], start); err != nil {
		return manifestMessage.fault(offset, "is %d, and the section there %w", at, err)
	}
	return nil
}

func checkIndexes(b []byte, at int) error {
	if err := indexSection.check(b, at, maxDepth); err != nil {
		return fmt.Errorf("does not decode: %w", err)
	}
	return nil
}

func (f *frame) beyond(offset field, at uint64) error {
	return manifestMessage.fault(offset, "is %d, but a section there must end before the manifest section at %d", at, f.position)
}
