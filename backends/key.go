package backends

import (
	"context"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MetadataName is the name of the one metadata entry that an object has. It is
// in lower case and has only letters, since Azure takes only identifiers and S3
// folds case.
const MetadataName = "lancecommit"

// MaxMetadataSize is the most bytes that PutOptions.Metadata may have. S3 ends
// at 2 KB with the name counted, and MinIO counts the name of the header.
const MaxMetadataSize = 2048 - len("x-amz-meta-"+MetadataName)

// maxKeySize is where S3, GCS and Azure end, in bytes.
const maxKeySize = 1024

// CheckKey returns [ErrInvalid] unless key can name an object in every store: 1
// to 1024 bytes of UTF-8 without control characters, in parts joined by "/" of
// which none is empty, "." or "..". All other characters are allowed and are
// stored as they are. Backends call it before they send anything.
func CheckKey(key string) error {
	switch {
	case key == "":
		return fmt.Errorf("%w: the key is empty", ErrInvalid)
	case len(key) > maxKeySize:
		return fmt.Errorf("%w: the key has %d bytes, more than %d", ErrInvalid, len(key), maxKeySize)
	case !utf8.ValidString(key):
		return fmt.Errorf("%w: the key %q is not UTF-8", ErrInvalid, key)
	case strings.IndexFunc(key, unicode.IsControl) >= 0:
		return fmt.Errorf("%w: the key %q has a control character", ErrInvalid, key)
	case key[0] == '/' || key == "." || key == ".." || strings.HasPrefix(key, "../") || path.Clean(key) != key:
		return fmt.Errorf("%w: the key %q has an empty, %q or %q part", ErrInvalid, key, ".", "..")
	}
	return nil
}

// CheckPrefix returns [ErrInvalid] unless prefix can be the prefix of a listing:
// empty, or a key as [CheckKey] has it, with or without a slash at the end.
func CheckPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	return CheckKey(strings.TrimSuffix(prefix, "/"))
}

// CheckCall returns an [Error] for a call that must not begin: one for a key or a
// prefix that valid refuses, or one whose context has ended. A write of which nothing
// was sent is [ErrNotStored] then.
func CheckCall(ctx context.Context, op, key string, valid func(key string) error) error {
	if err := valid(key); err != nil {
		return &Error{Op: op, Key: key, Err: err}
	}
	err := ctx.Err()
	if err == nil {
		return nil
	}
	switch op {
	case "get", "head", "list":
	default:
		err = NotStored(err)
	}
	return &Error{Op: op, Key: key, Err: err}
}

// CheckBulk returns an [Error] that is [ErrInvalid] unless keys can be those of
// one BulkDelete: at most limit of them, and valid for each. Backends call it
// before they send anything, with [CheckKey] or their own stricter check.
func CheckBulk(keys []string, limit int, valid func(key string) error) error {
	if len(keys) > limit {
		return &Error{Op: "bulkdelete", Key: keys[0], Err: fmt.Errorf("%w: %d keys, and the store takes %d in one request",
			ErrInvalid, len(keys), limit)}
	}
	for _, key := range keys {
		if err := valid(key); err != nil {
			return &Error{Op: "bulkdelete", Key: key, Err: err}
		}
	}
	return nil
}

// CheckMetadata returns [ErrInvalid] unless metadata can be stored with an
// object in every store.
func CheckMetadata(metadata string) error {
	if len(metadata) > MaxMetadataSize {
		return fmt.Errorf("%w: the metadata has %d bytes as it is stored, more than the %d that stores keep",
			ErrInvalid, len(metadata), MaxMetadataSize)
	}
	for i := range len(metadata) {
		if c := metadata[i]; c <= ' ' || c > '~' {
			return fmt.Errorf("%w: the metadata has the byte %#x; it must be printable ASCII", ErrInvalid, c)
		}
	}
	return nil
}
