package gcs

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"cloud.google.com/go/storage"

	"github.com/lancecommit/lancecommit/backends"
)

// Get implements [backends.Store]. It costs one request. A missing key costs a
// second one where the client reads through the XML API, which does not say
// what is missing, and a third one if it comes to be just then; a key that is there costs a second one where the client
// reads through the JSON API (storage.WithJSONReads), which tells neither time
// nor metadata.
func (s *Store) Get(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
	if err := backends.CheckCall(ctx, "get", key, backends.CheckKey); err != nil {
		return nil, backends.Attrs{}, err
	}
	object := s.reads.Object(key)
	body, attrs, err := get(ctx, object)
	if err != nil {
		err = whatIsMissing(ctx, object, err)
	}
	if err == errCameToBe {
		body, attrs, err = get(ctx, object)
		if errors.Is(err, storage.ErrObjectNotExist) {
			err = errContradiction
		}
	}
	switch {
	case errors.Is(err, backends.ErrTooLarge):
		return nil, backends.Attrs{}, &backends.Error{Op: "get", Key: key, Err: err}
	case err != nil:
		return nil, backends.Attrs{}, explain("get", key, err)
	}
	return body, attrs, nil
}

var (
	// errCameToBe is for an object of which one answer says that it is not there,
	// and the next one that it is.
	errCameToBe = errors.New("the object came to be")
	// errContradiction is for one of which another says again that it is not.
	errContradiction = errors.New("some answers say that the object does not exist, and others that it does: " + between)
)

func get(ctx context.Context, object *storage.ObjectHandle) ([]byte, backends.Attrs, error) {
	r, err := object.NewReader(ctx)
	if err != nil {
		return nil, backends.Attrs{}, err
	}
	defer r.Close()
	if r.Attrs.Generation <= 0 {
		return nil, backends.Attrs{}, errNotGCS
	}
	if err := backends.CheckReadLimit(ctx, r.Attrs.Size); err != nil {
		return nil, backends.Attrs{}, err
	}
	body, err := backends.ReadBody(r, r.Attrs.Size)
	if err != nil {
		return nil, backends.Attrs{}, err
	}
	etag := etagOf(r.Attrs.Generation)
	attrs := backends.Attrs{
		Size:      int64(len(body)),
		ETag:      etag,
		VersionID: etag,
		Modified:  r.Attrs.LastModified.UTC(),
	}
	for name, value := range r.Metadata() {
		// The name comes from a header, whose case is not ours.
		if strings.EqualFold(name, backends.MetadataName) {
			attrs.Metadata = value
		}
	}
	if r.Attrs.LastModified.IsZero() {
		read, err := attributes(ctx, object.Generation(r.Attrs.Generation))
		if err != nil {
			return nil, backends.Attrs{}, err
		}
		attrs = attrsOf(read)
	}
	return body, attrs, nil
}

// whatIsMissing asks whether it is the object or the bucket if err does not say.
func whatIsMissing(ctx context.Context, object *storage.ObjectHandle, err error) error {
	if answer := answerIn(err); !errors.Is(err, storage.ErrObjectNotExist) || answer != nil && isOurs(answer) {
		return err
	}
	_, asked := attributes(ctx, object)
	if asked == nil {
		return errCameToBe
	}
	return asked
}

// attributes asks for those of an object. An answer that does not name it, of
// which the SDK makes an object without a name, is not the store's.
func attributes(ctx context.Context, object *storage.ObjectHandle) (*storage.ObjectAttrs, error) {
	attrs, err := object.Attrs(ctx)
	if err == nil && (attrs.Name != object.ObjectName() || attrs.Generation <= 0) {
		return nil, errNotGCS
	}
	return attrs, err
}

// Head implements [backends.Store]. It costs one request.
func (s *Store) Head(ctx context.Context, key string) (backends.Attrs, error) {
	if err := backends.CheckCall(ctx, "head", key, backends.CheckKey); err != nil {
		return backends.Attrs{}, err
	}
	attrs, err := attributes(ctx, s.reads.Object(key))
	if err != nil {
		return backends.Attrs{}, explain("head", key, err)
	}
	return attrsOf(attrs), nil
}

// Delete implements [backends.Store]. It costs one request.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := backends.CheckCall(ctx, "delete", key, backends.CheckKey); err != nil {
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
	etag := etagOf(a.Generation)
	return backends.Attrs{
		Size:      a.Size,
		ETag:      etag,
		VersionID: etag,
		Modified:  a.Updated.UTC(),
		Metadata:  a.Metadata[backends.MetadataName],
	}
}

// etagOf is the one name of an object's content that a reader, an upload and a
// listing all tell.
func etagOf(generation int64) string { return strconv.FormatInt(generation, 10) }
