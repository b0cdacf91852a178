package committer

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/naming"
)

// A staging is a manifest that waits to become a version.
type staging struct {
	// key is its object, name that relative to the table's root.
	key, name string
	// size is what the request says, or a guess.
	size  int64
	body  []byte
	attrs backends.Attrs
	// gone says that there is no such object.
	gone bool
}

// largestManifest is the largest staged manifest that is read, in bytes. A size
// in a request only lowers it: read refuses one above.
const largestManifest = 1 << 30

// fetch reads the staged manifest. It costs one GET.
func (n *Namespace) fetch(ctx context.Context, e *CreateTableVersionEntry, s *staging) error {
	limit := int64(largestManifest)
	if e.ManifestSize != nil {
		limit = *e.ManifestSize
	}
	body, attrs, err := n.reads.getSized(backends.WithReadLimit(ctx, limit), s.key, s.size)
	var wrong InvalidRequestError
	switch {
	case errors.Is(err, backends.ErrTooLarge) && e.ManifestSize != nil:
		wrong.add("manifest_size", "%d was given, and %s is larger", limit, s.key)
		return &wrong
	case errors.Is(err, backends.ErrTooLarge):
		wrong.add("manifest_path", "%s is larger than %d MiB, which no manifest is", s.key, limit>>20)
		return &wrong
	case errors.Is(err, backends.ErrNotExist):
		s.gone = true
		return nil
	case err != nil:
		return fmt.Errorf("read the staged manifest: %w", err)
	}
	s.body, s.attrs = body, attrs
	return nil
}

// matches compares the staged manifest with what the request says of it.
func (s *staging) matches(e *CreateTableVersionEntry) error {
	if e.ManifestSize != nil && *e.ManifestSize != int64(len(s.body)) {
		wrong := &InvalidRequestError{}
		wrong.add("manifest_size", "%d was given, and %s has %d bytes", *e.ManifestSize, s.key, len(s.body))
		return wrong
	}
	if e.ETag == "" || bareETag(e.ETag) == bareETag(s.attrs.ETag) {
		return nil
	}
	// Some stores have several names for one content, and Lance knows
	// another than this library. That of the bytes themselves is as good.
	sum := md5.Sum(s.body)
	if strings.EqualFold(bareETag(e.ETag), hex.EncodeToString(sum[:])) {
		return nil
	}
	return fmt.Errorf("%w: e_tag %s was given, and %s has %s; stage it again under another name", ErrStagedChanged,
		bareETag(e.ETag), s.key, bareETag(s.attrs.ETag))
}

func bareETag(tag string) string { return strings.Trim(strings.TrimPrefix(tag, "W/"), `"`) }

// discard removes the staged manifest after the proof that its version is
// there. It is best effort: what stays behind is swept later.
func (n *Namespace) discard(ctx context.Context, t *Table, s *staging) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.retry.Grace)
	defer cancel()
	if err := n.reads.Delete(ctx, s.key); err != nil {
		t.log(ctx, "staged", "key", s.key, "err", err)
	}
}

// checkPathAlone says what is wrong with a manifest_path whatever its table is.
func checkPathAlone(text string) error {
	switch {
	case text == "":
		return errMissingPath
	case strings.Contains(text, "://"), strings.Contains(text, tableSuffix+"/"),
		strings.HasPrefix(text, naming.Versions("")), strings.HasPrefix(text, naming.Tree("")):
		return nil
	default:
		return fmt.Errorf("%q lies in no table; a staged manifest is in the table's %s", withoutQuery(text), naming.Versions(""))
	}
}
