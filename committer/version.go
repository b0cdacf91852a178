package committer

import (
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/naming"
)

// A Version is a manifest of the chain, as the store describes it.
type Version struct {
	// Number is the version.
	Number uint64
	// Key is the manifest's object. It is empty for the base of a table or
	// branch without versions.
	Key    string
	Scheme naming.Scheme
	// Size is the length of the manifest in bytes.
	Size int64
	// ETag is the store's, and opaque. Equal bytes are the identity of a
	// version, not its ETag.
	ETag string
	// Modified is when the manifest was written, by the store's clock.
	Modified time.Time
	// Metadata is what was committed with the version. It is empty in
	// listings, for versions that others wrote, and on stores without metadata.
	Metadata map[string]string

	// staged is what the version's record says of where it was staged.
	staged string
}

func newVersion(key string, name naming.Name, attrs backends.Attrs) Version {
	var rec record
	if attrs.Metadata != "" {
		rec, _ = parseRecord(attrs.Metadata)
	}
	return Version{
		Number:   name.Version,
		Key:      key,
		Scheme:   name.Scheme,
		Size:     attrs.Size,
		ETag:     attrs.ETag,
		Modified: attrs.Modified,
		Metadata: rec.Metadata,
		staged:   rec.Staged,
	}
}

// exists reports whether there is such a version: false for the base of an empty
// chain.
func (v Version) exists() bool { return v.Key != "" }
