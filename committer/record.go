package committer

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
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

// encode returns the record as base64url, since headers of HTTP carry no others
// than printable ASCII characters.
func (r record) encode() (string, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(text), nil
}

// parseRecord reads what encode wrote. Anything else is no record.
func parseRecord(metadata string) (record, bool) {
	if metadata == "" {
		return record{}, false
	}
	text, err := base64.RawURLEncoding.DecodeString(metadata)
	if err != nil {
		return record{}, false
	}
	var r record
	if json.Unmarshal(text, &r) != nil {
		return record{}, false
	}
	return r, true
}

// encodePlain is encode for what most commits have, an id and a digest, whose
// letters and digits need no escapes in JSON.
func encodePlain(id string, sum digest) string {
	const most = 128
	text := make([]byte, 0, most)
	text = append(text, `{"id":"`...)
	text = append(text, id...)
	text = append(text, `","sha256":"`...)
	text = hex.AppendEncode(text, sum[:])
	text = append(text, `"}`...)
	return string(base64.RawURLEncoding.AppendEncode(make([]byte, 0, 2*most), text))
}

// A digest is the SHA-256 of a manifest.
type digest [sha256.Size]byte

// String returns the hexadecimal digits.
func (d digest) String() string { return hex.EncodeToString(d[:]) }
