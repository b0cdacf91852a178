package bench

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/committer/manifest"
)

const (
	// footer is what ends a manifest: where its message begins, two numbers and
	// a magic.
	footer = 16
	// configField is the table's configuration, a map of strings (table.proto).
	configField = 16
)

// Padded returns a manifest of so many bytes, or as near below as there is one:
// the one given, with a random text in its table configuration. A size below that of
// the one given, or above MostManifest, is ErrInvalid of package committer.
func Padded(body []byte, size int) ([]byte, error) {
	if err := manifest.Validate(body); err != nil {
		return nil, fmt.Errorf("%w: %w", committer.ErrInvalid, err)
	}
	if size < len(body) || size > MostManifest {
		return nil, fmt.Errorf("%w: a manifest of %d bytes; there are %d to %d", committer.ErrInvalid, size, len(body), MostManifest)
	}
	// The lengths in front of the text have one to five bytes, so it is tried how
	// much text fits.
	text := randomText(size - len(body))
	for ; len(text) > 0; text = text[:len(text)-1] {
		if padded := withText(body, text); len(padded) <= size {
			return padded, manifest.Validate(padded)
		}
	}
	return body, nil
}

func randomText(length int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, length)
	for i := range text {
		text[i] = byte('a' + random.IntN(26))
	}
	return text
}

// withText adds an entry with a text to a manifest's configuration.
func withText(body, text []byte) []byte {
	var entry []byte
	entry = protowire.AppendString(protowire.AppendTag(entry, 1, protowire.BytesType), "bench")
	entry = protowire.AppendBytes(protowire.AppendTag(entry, 2, protowire.BytesType), text)

	end := len(body) - footer
	position := binary.LittleEndian.Uint64(body[end:])
	message := append([]byte(nil), body[position+4:end]...)
	message = protowire.AppendBytes(protowire.AppendTag(message, configField, protowire.BytesType), entry)

	padded := append([]byte(nil), body[:position]...)
	padded = binary.LittleEndian.AppendUint32(padded, uint32(len(message)))
	padded = append(padded, message...)
	return append(padded, body[end:]...)
}
