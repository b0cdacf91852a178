package testmanifest

import (
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Appended returns the bytes of a manifest of main like those that Lance writes
// when it appends rows: a schema, an inline transaction with one fragment, and as
// many fragments of one file each as bring it to about so many bytes, one at
// least. Below 600 bytes it has the size of a small table's.
func Appended(version uint64, size int) []byte {
	last := fragment(1)
	var transaction []byte
	transaction = appendNumber(transaction, 1, version-1)
	transaction = appendText(transaction, 2, TransactionID)
	transaction = appendBytes(transaction, 100, appendBytes(nil, 1, last))

	// The file grows to its size at once.
	b := make([]byte, 0, size+len(last)+1024)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(transaction)))
	b = append(b, transaction...)

	position := len(b)
	b = append(b, 0, 0, 0, 0)
	for id, column := range []string{"id", "text", "vector"} {
		field := appendText(nil, 2, column)
		field = appendNumber(field, 3, uint64(id))
		b = appendBytes(b, 1, appendText(field, 5, "fixed_size_list:float:1536"))
	}
	b = appendNumber(b, 3, version)
	b = appendBytes(b, 7, appendNumber(nil, 1, 1_700_000_000)) // timestamp
	b = appendText(b, 12, fmt.Sprintf("%d-%s.txn", version-1, TransactionID))
	b = appendBytes(b, 13, appendText(appendText(nil, 1, "lance"), 2, "8.0.0")) // writer
	b = appendBytes(b, 15, appendText(appendText(nil, 1, "lance"), 2, "2.0"))   // data format
	b = appendNumber(b, 21, 0)                                                  // where the transaction is
	for id := uint64(1); id == 1 || len(b)+len(last)+footerSize <= size; id++ {
		b = appendBytes(b, 2, fragment(id))
	}
	binary.LittleEndian.PutUint32(b[position:], uint32(len(b)-position-4))
	return appendFooter(b, position)
}

// TransactionID is the UUID of the transactions of [Appended].
const TransactionID = "55cb2a3c-b4ca-4861-aa27-879a6f8f8eca"

// fragment is a fragment of one file.
func fragment(id uint64) []byte {
	file := appendText(nil, 1, fmt.Sprintf("%024b%026x.lance", id&(1<<24-1), id))
	file = appendBytes(file, 2, []byte{0, 1, 2})
	file = appendBytes(file, 3, []byte{0, 1, 2})
	file = appendNumber(file, 4, 2)
	file = appendNumber(file, 6, 1<<20)
	return appendNumber(appendBytes(appendNumber(nil, 1, id), 2, file), 4, 1000)
}

func appendNumber(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func appendText(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func appendBytes(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}
