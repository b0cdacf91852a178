package manifest

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrInvalid says that the bytes are not a manifest, or that a version is one that no manifest can have. Every error of
// this package wraps it. The text names the broken rule, the numbers found, and the byte of the file.
var ErrInvalid = errors.New("invalid manifest")

const (
	magic      = "LANC"
	footerSize = 16
	prefixSize = 4 // the u32 before every section
)

// MinSize is the length of the shortest file that can be a manifest, in bytes.
const MinSize = prefixSize + footerSize

// A frame tells where the parts of a manifest file are.
type frame struct {
	position int    // of the manifest section's length prefix
	message  []byte // the Manifest protobuf
	footer   []byte

	// Set by checkMessage. Of a field that occurs more than once the last counts.
	version         uint64
	branch          []byte
	index, transact field
	transactionFile []byte

	uuid []byte // of the transaction in the file; set by checkTransaction
}

// messageAt is the byte of the file at which the Manifest protobuf starts.
func (f *frame) messageAt() int { return f.position + prefixSize }

// find finds the parts of b without copying them.
func (f *frame) find(b []byte) error {
	size := len(b)
	if size == 0 {
		return fmt.Errorf("%w: it is empty", ErrInvalid)
	}
	if size < footerSize {
		return fmt.Errorf("%w: %d bytes, shorter than the %d-byte footer", ErrInvalid, size, footerSize)
	}
	footerAt := size - footerSize
	footer := b[footerAt:]
	if got := footer[12:]; string(got) != magic {
		return fmt.Errorf("%w: %d bytes, and the magic at the end is %q, want %q", ErrInvalid, size, got, magic)
	}
	position := int64(binary.LittleEndian.Uint64(footer))
	if position < 0 {
		return fmt.Errorf("%w: position %d is negative", ErrInvalid, position)
	}
	if position > int64(footerAt-prefixSize) {
		return fmt.Errorf("%w: position %d is beyond the end: no section fits between it and the footer at %d",
			ErrInvalid, position, footerAt)
	}
	start := position + prefixSize
	length := int64(binary.LittleEndian.Uint32(b[position:]))
	if end := start + length; end != int64(footerAt) {
		return fmt.Errorf("%w: section of %d bytes at %d ends at %d, the footer starts at %d: "+
			"the file is truncated or has trailing bytes", ErrInvalid, length, position, end, footerAt)
	}
	f.position, f.message, f.footer = int(position), b[start:footerAt], footer
	return nil
}

// checkMessage holds the message of the file b to its rules, and notes what most callers ask for.
func (f *frame) checkMessage(b []byte) error {
	at := f.messageAt()
	b = b[:at+len(f.message)]
	if err := manifestMessage.check(b, at, maxDepth); err != nil {
		return err
	}
	for at < len(b) {
		top, err := manifestMessage.read(b, at, maxDepth)
		if err != nil {
			return err
		}
		switch top.num() {
		case numVersion:
			f.version = top.varint(b)
		case numIndexSection:
			f.index = top
		case numTransactionFile:
			f.transactionFile = top.bytes(b)
		case numBranch:
			f.branch = top.bytes(b)
		case numTransactionSection:
			f.transact = top
		}
		at = top.end
	}
	return nil
}
