// Package manifest reads, checks and re-versions the bytes of a Lance table's manifest.
//
// A manifest file is laid out as
//
//	[index section] [transaction section] [u32 length | Manifest protobuf] [16-byte footer]
//
// and its footer as
//
//	i64 position | i16 major | i16 minor | "LANC"
//
// All numbers are little-endian. position is the byte at which the length prefix of the manifest section starts, so that
// position + 4 + length + 16 is the size of the file. The numbers major and minor are not looked at, as Lance's readers
// do not look at them. The two leading sections may be absent; where they are present the manifest points to them by
// absolute offsets, and they have a length prefix of their own.
//
// The rules come from the Lance table format: the messages of table.proto, file.proto and transaction.proto, and what
// Lance's readers do with them. [Validate] refuses what they cannot decode, because a newest manifest that does not
// decode makes the table impossible to open.
//
// All functions are pure: no I/O, no state, the input is neither changed nor kept. They are safe for concurrent use.
// Every error wraps [ErrInvalid].
package manifest
