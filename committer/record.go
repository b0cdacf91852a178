package committer

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// A record is what is stored as metadata beside a manifest. It proves later
// whose manifest it is without reading it.
type record struct {
	// ID belongs to one call: equal bytes of two calls differ in it.
	ID string `json:"id,omitempty"`
	// SHA256 is the digest of the manifest in hexadecimal digits.
	SHA256 string `json:"sha256,omitempty"`
	// Staged is the object that the manifest was staged as, relative to the
	// table's root.
	Staged string `json:"staged,omitempty"`
	// Metadata is the caller's.
	Metadata map[string]string `json:"metadata,omitempty"`
}

// encode returns the record in JSON and base64url, since headers of HTTP carry
// no others than printable ASCII characters. JSON has no metadata but UTF-8: other
// would be kept as what it is not.
func (r record) encode() (string, error) {
	for name, value := range r.Metadata {
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return "", fmt.Errorf("the entry %s is not UTF-8", shownName(name))
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(text), nil
}

// parseRecord reads what encode or encodePlain wrote. Anything else is no
// record.
func parseRecord(metadata string) (record, bool) {
	if len(metadata) == plainSize && metadata[0] == plainMark {
		return parsePlain(metadata)
	}
	text, err := base64.RawURLEncoding.DecodeString(metadata)
	if err != nil || len(text) == 0 {
		return record{}, false
	}
	var r record
	if json.Unmarshal(text, &r) != nil {
		return record{}, false
	}
	return r, true
}

// A plain record is what most commits have, an id and a digest: a mark that no
// JSON in base64url begins with, the id, and the digest in base64url. It is this
// short for the sake of disks. Up to 60 bytes find room in an inode of ext4, and
// more cost a block of their own: 9 % of a commit.
const (
	plainMark = '1'
	idSize    = 16
	plainSize = 1 + idSize + 43
)

var base64url = base64.RawURLEncoding.Strict()

// encodePlain is encode for a plain record.
func encodePlain(id callID, sum digest) string {
	text := make([]byte, 0, plainSize)
	text = append(text, plainMark)
	text = append(text, id[:]...)
	return string(base64url.AppendEncode(text, sum[:]))
}

func parsePlain(metadata string) (record, bool) {
	id := metadata[1 : 1+idSize]
	if _, err := base64url.DecodeString(id); err != nil {
		return record{}, false
	}
	sum, err := base64url.DecodeString(metadata[1+idSize:])
	if err != nil {
		return record{}, false
	}
	return record{ID: id, SHA256: hex.EncodeToString(sum)}, true
}

// A callID is what no other call has: 96 random bits in base64url.
type callID [idSize]byte

func newID() (id callID) {
	var random [idSize * 3 / 4]byte
	// Read never returns an error.
	_, _ = rand.Read(random[:])
	base64url.Encode(id[:], random[:])
	return id
}

// A digest is the SHA-256 of a manifest.
type digest [sha256.Size]byte

// String returns the hexadecimal digits.
func (d digest) String() string { return hex.EncodeToString(d[:]) }
