package azure

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"

	"github.com/lancecommit/lancecommit/backends"
)

// Get implements backends.Store. It costs one request.
func (s *Store) Get(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
	if err := backends.CheckCall(ctx, "get", key, checkKey); err != nil {
		return nil, backends.Attrs{}, err
	}
	var answer *http.Response
	got, err := s.container.NewBlobClient(key).DownloadStream(watched(ctx, &answer), nil)
	if err == nil {
		defer got.Body.Close()
	}
	if failed := s.verify(ctx, "get", key, answer, err); failed != nil {
		return nil, backends.Attrs{}, failed
	}
	if etagOf(got.ETag) == "" {
		return nil, backends.Attrs{}, foreign("get", key, "ETag", answer)
	}
	// No range was asked for.
	if answer.StatusCode == http.StatusPartialContent {
		return nil, backends.Attrs{}, foreign("get", key, "whole object", answer)
	}
	if err := backends.CheckReadLimit(ctx, value(got.ContentLength)); err != nil {
		return nil, backends.Attrs{}, &backends.Error{Op: "get", Key: key, Err: err}
	}
	body, err := backends.ReadBody(got.Body, value(got.ContentLength))
	if err != nil {
		return nil, backends.Attrs{}, explain(ctx, "get", key, err)
	}
	return body, backends.Attrs{
		Size:      int64(len(body)),
		ETag:      etagOf(got.ETag),
		VersionID: value(got.VersionID),
		Modified:  timeOf(got.LastModified),
		Metadata:  metadataOf(got.Metadata),
	}, nil
}

// Head implements backends.Store. It costs one request.
func (s *Store) Head(ctx context.Context, key string) (backends.Attrs, error) {
	if err := backends.CheckCall(ctx, "head", key, checkKey); err != nil {
		return backends.Attrs{}, err
	}
	var answer *http.Response
	head, err := s.container.NewBlobClient(key).GetProperties(watched(ctx, &answer), nil)
	if failed := s.verify(ctx, "head", key, answer, err); failed != nil {
		return backends.Attrs{}, failed
	}
	if etagOf(head.ETag) == "" {
		return backends.Attrs{}, foreign("head", key, "ETag", answer)
	}
	// A proxy that drops it would make a full object an empty one.
	if head.ContentLength == nil {
		return backends.Attrs{}, foreign("head", key, "Content-Length", answer)
	}
	return backends.Attrs{
		Size:      value(head.ContentLength),
		ETag:      etagOf(head.ETag),
		VersionID: value(head.VersionID),
		Modified:  timeOf(head.LastModified),
		Metadata:  metadataOf(head.Metadata),
	}, nil
}

// Delete implements backends.Store. It costs one request. Snapshots of the
// object go with it, since the store would refuse otherwise.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := backends.CheckCall(ctx, "delete", key, checkKey); err != nil {
		return err
	}
	var answer *http.Response
	_, err := s.container.NewBlobClient(key).Delete(watched(ctx, &answer), &blob.DeleteOptions{
		DeleteSnapshots: to.Ptr(blob.DeleteSnapshotsOptionTypeInclude),
	})
	failed := s.verify(ctx, "delete", key, answer, err)
	if failed == nil || errors.Is(failed, backends.ErrNotExist) {
		return nil
	}
	return failed
}

// etagOf returns an ETag without the quotes, which listings do not have.
func etagOf(etag *azcore.ETag) string {
	return strings.Trim(string(value(etag)), `"`)
}

// metadataOf finds our entry. The store's answers have its name in another case.
func metadataOf(metadata map[string]*string) string {
	for name, entry := range metadata {
		if strings.EqualFold(name, backends.MetadataName) {
			return value(entry)
		}
	}
	return ""
}

func timeOf(t *time.Time) time.Time { return value(t).UTC() }

// value is that of an optional part of an answer, zero where it is missing.
func value[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}
