package manifest_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

const badUTF8 = "caf\xe9"

func TestMessageRules(t *testing.T) {
	fixed32 := protowire.AppendFixed32(protowire.AppendTag(nil, 900, protowire.Fixed32Type), 1)
	fixed64 := protowire.AppendFixed64(protowire.AppendTag(nil, 901, protowire.Fixed64Type), 1)
	for _, tc := range []struct {
		rule string
		in   []byte
		want string // "" where the message is valid
	}{
		{"fields may come in any order and more than once", join(number(10, 1), number(3, 1), text(20, "b"), number(3, 2), text(20, "c")), ""},
		{"unknown fields of every wire type are passed over", join(number(22, 1), text(23, badUTF8), group(24, number(1, 1), group(2)), fixed32, fixed64), ""},
		{"field 17, which is reserved, is unknown", text(17, badUTF8), ""},
		{"a varint may be longer than it needs to be", overlong(3, 7), ""},
		{"the greatest varint", number(3, 1<<64-1), ""},
		{"a 32-bit number may come as a 64-bit one", number(11, 1<<40), ""},
		{"repeated numbers may be packed", data(2, data(2, data(2, []byte{1, 0x80, 1}))), ""},
		{"repeated numbers may be unpacked", data(2, data(2, number(2, 1), number(2, 2), number(3, 1))), ""},
		{"bytes need not be UTF-8", join(data(5, text(2, badUTF8)), data(2, text(5, badUTF8))), ""},
		{"a map entry may lack its key and its value", join(data(16), data(19), data(5)), ""},
		{"the highest field number", number(protowire.MaxValidNumber, 1), ""},
		{"groups nest 100 deep", nest(100, nil), ""},

		{"groups that nest 101 deep", nest(101, nil), "it nests more than 100 deep"},
		{"a field inside the hundredth group", nest(100, number(1, 1)), "it nests more than 100 deep"},
		{"a million open groups", repeat(protowire.AppendTag(nil, 22, protowire.StartGroupType), 1_000_000), "it nests more than 100 deep"},
		{"field number 0", []byte{0, 0}, "the field key at byte 4 has the number 0"},
		{"a field number above 2^29-1", protowire.AppendVarint(nil, (1<<29)<<3), "the field key at byte 4 has the number 536870912, above the largest, 536870911"},
		{"a field key that is cut off", []byte{0x98}, "the field key at byte 4 is cut off"},
		{"a field key of more than 64 bits", repeat([]byte{0xff}, 10), "the field key at byte 4 does not fit into 64 bits"},
		{"a key without its value", []byte{3 << 3}, "field 3 (version) at byte 4 is cut off"},
		{"a varint of more than 64 bits", append([]byte{3 << 3}, repeat([]byte{0xff}, 10)...), "field 3 (version) at byte 4 does not fit into 64 bits"},
		{"a varint of 65 bits", append([]byte{3 << 3}, append(repeat([]byte{0xff}, 9), 2)...), "field 3 (version) at byte 4 does not fit into 64 bits"},
		{"a length that is cut off", []byte{20<<3&0x7f | 2 | 0x80, 1, 0x80}, "field 20 (branch) at byte 4 has a length that is cut off"},
		{"a length beyond the end", append(number(3, 1), 12<<3|2, 200, 1, 'x'), "field 12 (transaction_file) at byte 6 announces 200 bytes, 1 are left"},
		{"a length beyond the end, of an unknown field", []byte{30<<3&0x7f | 2 | 0x80, 1, 9, 'x'}, "field 30 at byte 4 announces 9 bytes, 1 are left"},
		{"four bytes that are three", fixed32[:len(fixed32)-1], "field 900 at byte 4 needs 4 bytes, 3 are left"},
		{"eight bytes that are seven", fixed64[:len(fixed64)-1], "field 901 at byte 4 needs 8 bytes, 7 are left"},
		{"wire type 6", []byte{3<<3 | 6, 0}, "field 3 (version) at byte 4 has wire type 6, which does not exist"},
		{"wire type 7", []byte{3<<3 | 7, 0}, "field 3 (version) at byte 4 has wire type 7, which does not exist"},
		{"a group without an end", protowire.AppendTag(nil, 22, protowire.StartGroupType), "field 22 at byte 4 is a group: it has no end"},
		{"a group with the end of another", join(protowire.AppendTag(nil, 22, protowire.StartGroupType), protowire.AppendTag(nil, 23, protowire.EndGroupType)), "field 22 at byte 4 is a group: it ends as group 23"},
		{"an end without a group", protowire.AppendTag(nil, 22, protowire.EndGroupType), "field 22 at byte 4 ends a group that is not open"},
		{"a known field that is a group, with a fault of its own", group(1, []byte{1<<3 | 6, 0}), "field 1 (fields) at byte 4 has wire type 3, want bytes"},
		{"a malformed field inside groups", group(22, group(23, group(24, []byte{1<<3 | 6, 0}))), "field 22 at byte 4 is a group: field 1 at byte 10 has wire type 6, which does not exist"},
		{"a malformed field inside a group", group(22, []byte{1<<3 | 6, 0}), "field 22 at byte 4 is a group: field 1 at byte 6 has wire type 6"},

		{"seconds of the year 0", data(7, number(1, signed(-62135596801))), "field 7 (timestamp) at byte 4 does not decode: field 1 (seconds) at byte 6 is -62135596801, outside the years 1 to 9999"},
		{"seconds of the year 10000", data(7, number(1, 253402300800)), "is 253402300800, outside the years 1 to 9999"},
		{"nanoseconds below 0", data(7, number(2, signed(-1))), "field 2 (nanos) at byte 6 is -1, want 0 to 999999999"},
		{"nanoseconds of a second", data(7, number(2, 1e9)), "field 2 (nanos) at byte 6 is 1000000000, want 0 to 999999999"},
		{"the first and the last second of timestamps", join(data(7, number(1, signed(-62135596800))), data(7, number(1, 253402300799), number(2, 999999999))), ""},

		{"a packed number that is cut off", data(2, data(2, data(2, []byte{1, 0x80}))), "field 2 (fields) at byte 8 packs a varint that is cut off"},
		{"a nested message that reaches beyond its own end", join(data(13, []byte{1<<3 | 2, 5, 'l'}), text(12, "abcdefgh")), "field 13 (writer_version) at byte 4 does not decode: field 1 (library) at byte 6 announces 5 bytes, 1 are left"},
	} {
		t.Run(tc.rule, func(t *testing.T) { requireVerdict(t, file(nil, tc.in), tc.want) })
	}
}

func TestPlaceOfAnErrorIsCountedFromTheStartOfTheFile(t *testing.T) {
	requireVerdict(t, file(make([]byte, 1000), number(3, 1), text(3, "x")), "field 3 (version) at byte 1006 has wire type 2, want varint")
}

func TestSectionRules(t *testing.T) {
	before := section(text(1, "")) // one index without any field, 6 bytes
	for _, tc := range []struct {
		rule string
		in   []byte
		want string
	}{
		{"index_section points to a section at the start", file(before, number(6, 0)), ""},
		{"index_section points to an empty section, as Lance 0.5 wrote it", file(section(), number(6, 0)), ""},
		{"transaction_section follows the index section", file(join(before, section(text(2, "uuid"), data(100))), number(6, 0), number(21, 6)), ""},
		{"a transaction without an operation", file(section(text(2, "uuid")), number(21, 0)), "the transaction has no operation"},
		{"a path in an operation that is not UTF-8", file(section(data(100, data(1, data(2, text(1, badUTF8))))), number(21, 0)), "field 1 (path) at byte 11 is not UTF-8"},
		{"a fragment in an operation with a wire type that is not its own", file(section(data(108, number(2, 1))), number(21, 0)), "field 2 (updated_fragments) at byte 7 has wire type 0, want bytes"},
		{"an operation of a later Lance stands for itself", file(section(data(200, number(1, 1))), number(21, 0)), ""},
		{"version_aux_data points to nothing that is read", file(nil, number(4, 900)), ""},
		{"of several offsets the last counts", file(before, number(6, 900), number(6, 0)), ""},
		{"bytes that no offset points to are nobody's", file([]byte{1, 2, 3}, number(3, 1)), ""},
		{"an operation of a later Lance is passed over", file(section(data(9999, number(1, 1))), number(21, 0)), ""},

		{"index_section is the manifest section", file(nil, number(6, 0)), "field 6 (index_section) at byte 4 is 0, but a section there must end before the manifest section at 0"},
		{"index_section at the position", file(before, number(6, 6)), "field 6 (index_section) at byte 10 is 6, but a section there must end before the manifest section at 6"},
		{"index_section beyond the end", file(before, number(6, 1<<63)), "is 9223372036854775808, but"},
		{"the last of several offsets is bad", file(before, number(6, 0), number(6, 900)), "field 6 (index_section) at byte 12 is 900, but"},
		{"no room for a length prefix", file(before, number(6, 3)), "is 3, but"},
		{"a section that reaches into the manifest section", file([]byte{3, 0, 0, 0, 10, 0}, number(6, 0)), "field 6 (index_section) at byte 10 is 0: the section of 3 bytes there ends at 7, after the start of the manifest section at 6"},
		{"an index section that does not decode", file(section([]byte{8}), number(6, 0)), "field 6 (index_section) at byte 9 is 0, and the section there does not decode: field 1 (indices) at byte 4"},
		{"an index name that is not UTF-8", file(section(data(1, text(3, badUTF8))), number(6, 0)), "field 3 (name) at byte 6 is not UTF-8"},
		{"an index id that is no message", file(section(data(1, number(1, 1))), number(6, 0)), "field 1 (uuid) at byte 6 has wire type 0, want bytes"},
		{"an index type that is not UTF-8", file(section(data(1, data(6, text(1, badUTF8)))), number(6, 0)), "field 1 (type_url) at byte 8 is not UTF-8"},
		{"transaction_section is the manifest section", file(nil, number(21, 0)), "field 21 (transaction_section) at byte 4 is 0, but"},
		{"transaction_section beyond the end", file(before, number(21, 900)), "field 21 (transaction_section) at byte 10 is 900, but"},
		{"a transaction that is cut off", file(section(text(2, "uuid")[:4]), number(21, 0)), "field 21 (transaction_section) at byte 12 is 0, and the section there does not decode: field 2 (uuid) at byte 4 announces 4 bytes, 2 are left"},
		{"a transaction property that is not UTF-8", file(section(data(4, text(1, badUTF8))), number(21, 0)), "field 1 (key) at byte 6 is not UTF-8"},
	} {
		t.Run(tc.rule, func(t *testing.T) { requireVerdict(t, tc.in, tc.want) })
	}
}

// nest puts what is inside into n groups.
func nest(n int, inside []byte) []byte {
	for range n {
		inside = group(22, inside)
	}
	return inside
}

func repeat(b []byte, n int) []byte {
	var out []byte
	for range n {
		out = append(out, b...)
	}
	return out
}

func signed(v int64) uint64 { return uint64(v) }
