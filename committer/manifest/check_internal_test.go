package manifest

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

// accepts is check as protowire alone reads a message, field by field. Numbers of fields that are too high, and too many
// groups in groups, are refused here, since protowire takes them.
func (m *message) accepts(b []byte, depth int) bool {
	for len(b) > 0 {
		num, typ, size := protowire.ConsumeField(b)
		if size < 0 || num > protowire.MaxValidNumber || depth == 0 || !m.lookup(num).accepts(num, typ, b[:size], depth) {
			return false
		}
		b = b[size:]
	}
	return true
}

// accepts is checkKnown of a field that protowire has read, its key included.
func (k *known) accepts(num protowire.Number, typ protowire.Type, field []byte, depth int) bool {
	_, _, key := protowire.ConsumeTag(field)
	number, _ := protowire.ConsumeVarint(field[key:])
	value, _ := protowire.ConsumeBytes(field[key:])
	switch k.kind {
	case unknown:
		if typ != protowire.StartGroupType {
			return true
		}
		inside, _ := protowire.ConsumeGroup(num, field[key:])
		var unnamed *message
		return unnamed.accepts(inside, depth-1)
	case varint:
		return typ == protowire.VarintType
	case seconds:
		return typ == protowire.VarintType && int64(number) >= minSeconds && int64(number) <= maxSeconds
	case nanos:
		return typ == protowire.VarintType && int32(number) >= 0 && int32(number) < 1e9
	case varints:
		for n := 0; typ == protowire.BytesType && len(value) > 0; value = value[n:] {
			if _, n = protowire.ConsumeVarint(value); n < 0 {
				return false
			}
		}
		return typ == protowire.BytesType || typ == protowire.VarintType
	case text:
		return typ == protowire.BytesType && utf8.Valid(value)
	case nested:
		return typ == protowire.BytesType && k.of.accepts(value, depth-1)
	default:
		return typ == protowire.BytesType
	}
}

// Manifests with one byte changed, to every value at every place.
func TestCheckAgreesWithProtowire(t *testing.T) {
	var fr frame
	require.NoError(t, fr.find(testmanifest.Appended(300, 0)))
	b, refused := fr.message, 0
	for at, was := range b {
		for value := range 256 {
			b[at] = byte(value)
			want := manifestMessage.accepts(b, maxDepth)
			if err := manifestMessage.check(b, 0, maxDepth); (err == nil) != want {
				t.Fatalf("with %#x at byte %d: protowire accepts it: %t, check: %v", value, at, want, err)
			}
			if !want {
				refused++
			}
		}
		b[at] = was
	}
	require.NotZero(t, refused)
}

func FuzzCheck(f *testing.F) {
	var fr frame
	require.NoError(f, fr.find(testmanifest.Appended(300, 0)))
	f.Add(fr.message)
	f.Add(protowire.AppendVarint(nil, (1<<29)<<3))
	f.Add([]byte{22<<3&0x7f | 3 | 0x80, 1, 23<<3&0x7f | 3 | 0x80, 1, 8, 1, 23<<3&0x7f | 4 | 0x80, 1, 22<<3&0x7f | 4 | 0x80, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, m := range []*message{&manifestMessage, &transaction, &indexSection} {
			err := m.check(b, 0, maxDepth)
			require.Equal(t, m.accepts(b, maxDepth), err == nil, "%v", err)
		}
	})
}
