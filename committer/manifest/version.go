package manifest

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// WithVersion returns a copy of the manifest b that carries another version number. Everything else keeps its bytes and
// its order: the sections in front, all other fields of the message, known or not, and the footer. Only the length
// prefix follows the size of the message. A manifest whose encoding is canonical comes back byte for byte the same when
// version is its own.
//
// Of several occurrences of the version field the last one, which counts, is replaced and the others are removed. Where
// there is none, the field is put in front of the first field with a higher number, as Lance's writers order them.
//
// Other places of a manifest that speak of versions are left as they are: a data overlay's committed_version, row version
// sequences, and the transaction.
//
// The error wraps [ErrInvalid] when b is not valid, or when version is not one of a chain: 1 to 2^63-1.
func WithVersion(b []byte, version uint64) ([]byte, error) {
	if version == 0 || version > math.MaxInt64 {
		return nil, fmt.Errorf("%w: it cannot get version %d, want 1 to %d", ErrInvalid, version, uint64(math.MaxInt64))
	}
	var fr frame
	if err := fr.parse(b); err != nil {
		return nil, err
	}
	const growth = 1 + 10 // a version field where there was none
	out := make([]byte, 0, len(b)+growth)
	out = append(out, b[:fr.messageAt()]...)
	out = appendMessage(out, fr.message, version)
	length := len(out) - fr.messageAt()
	if uint64(length) > math.MaxUint32 {
		return nil, fmt.Errorf("%w: with version %d its message grows to %d bytes, more than a 32-bit length can tell",
			ErrInvalid, version, length)
	}
	binary.LittleEndian.PutUint32(out[fr.position:], uint32(length))
	return append(out, fr.footer...), nil
}

// appendMessage appends the Manifest message with its version replaced.
func appendMessage(out, message []byte, version uint64) []byte {
	place, replace := versionPlace(message)
	for f := range fields(message) {
		if f.at == place {
			out = appendVersion(out, version)
		}
		if f.num() != numVersion {
			out = append(out, message[f.at:f.end]...)
		}
	}
	if !replace && place == len(message) {
		out = appendVersion(out, version)
	}
	return out
}

// versionPlace is the offset of the version field that counts, or else the one where it belongs.
func versionPlace(message []byte) (place int, found bool) {
	place = len(message)
	for f := range fields(message) {
		switch {
		case f.num() == numVersion:
			place, found = f.at, true
		case f.num() > numVersion && !found && place == len(message):
			place = f.at
		}
	}
	return place, found
}

func appendVersion(out []byte, version uint64) []byte {
	out = protowire.AppendTag(out, numVersion, protowire.VarintType)
	return protowire.AppendVarint(out, version)
}
