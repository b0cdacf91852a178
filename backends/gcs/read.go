package gcs

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"

	"cloud.google.com/go/storage"

	"github.com/lancecommit/lancecommit/backends"
)

// Get implements [backends.Store]. It costs one request. A missing key costs a
// second one where the client reads through the XML API, which does not say
// what is missing; a key that is there costs a second one where the client
// reads through the JSON API (storage.WithJSONReads), which tells neither time
// nor metadata.
func (s *Store) Get(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
	if err := ready(ctx, "get", key, backends.CheckKey); err != nil {
		return nil, backends.Attrs{}, err
	}
	object := s.reads.Object(key)
	body, attrs, err := get(ctx, object)
	if err != nil {
		return nil, backends.Attrs{}, explain("get", key, whatIsMissing(ctx, object, err))
	}
	return body, attrs, nil
}

func get(ctx context.Context, object *storage.ObjectHandle) ([]byte, backends.Attrs, error) {
	r, err := object.NewReader(ctx)
	if err != nil {
		return nil, backends.Attrs{}, err
	}
	defer r.Close()
	var body bytes.Buffer
	// The buffer wants room for the read that meets the end.
	body.Grow(int(max(r.Attrs.Size, 0)) + bytes.MinRead)
	if _, err := body.ReadFrom(r); err != nil {
		return nil, backends.Attrs{}, err
	}
	attrs := backends.Attrs{
		Size:      int64(body.Len()),
		ETag:      etagOf(r.Attrs.Generation),
		VersionID: etagOf(r.Attrs.Generation),
		Modified:  r.Attrs.LastModified.UTC(),
	}
	for name, value := range r.Metadata() {
		// The name comes from a header, whose case is not ours.
		if strings.EqualFold(name, backends.MetadataName) {
			attrs.Metadata = value
		}
	}
	if r.Attrs.LastModified.IsZero() {
		read, err := object.Generation(r.Attrs.Generation).Attrs(ctx)
		if err != nil {
			return nil, backends.Attrs{}, err
		}
		attrs = attrsOf(read)
	}
	return body.Bytes(), attrs, nil
}

// whatIsMissing asks whether it is the object or the bucket if err does not say.
func whatIsMissing(ctx context.Context, object *storage.ObjectHandle, err error) error {
	if answer := answerIn(err); !errors.Is(err, storage.ErrObjectNotExist) || answer != nil && isOurs(answer) {
		return err
	}
	_, asked := object.Attrs(ctx)
	if asked == nil {
		// It came to be in between.
		return backends.ErrNotExist
	}
	return asked
}

// Head implements [backends.Store]. It costs one request.
func (s *Store) Head(ctx context.Context, key string) (backends.Attrs, error) {
	if err := ready(ctx, "head", key, backends.CheckKey); err != nil {
		return backends.Attrs{}, err
	}
	attrs, err := s.reads.Object(key).Attrs(ctx)
	if err != nil {
		return backends.Attrs{}, explain("head", key, err)
	}
	return attrsOf(attrs), nil
}

// Delete implements [backends.Store]. It costs one request.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := ready(ctx, "delete", key, backends.CheckKey); err != nil {
		return err
	}
	err := s.reads.Object(key).Delete(ctx)
	if err == nil {
		return nil
	}
	failed := explain("delete", key, err)
	if errors.Is(failed, backends.ErrNotExist) {
		return nil
	}
	return failed
}

func attrsOf(a *storage.ObjectAttrs) backends.Attrs {
	return backends.Attrs{
		Size:      a.Size,
		ETag:      etagOf(a.Generation),
		VersionID: etagOf(a.Generation),
		Modified:  a.Updated.UTC(),
		Metadata:  a.Metadata[backends.MetadataName],
	}
}

// etagOf is the one name of an object's content that a reader, an upload and a
// listing all tell.
func etagOf(generation int64) string { return strconv.FormatInt(generation, 10) }
