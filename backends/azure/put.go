package azure

import (
	"context"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"

	"github.com/lancecommit/lancecommit/backends"
)

// PutIfAbsent implements backends.Store.
func (s *Store) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	if err := backends.CheckCall(ctx, "put", key, checkKey); err != nil {
		return backends.Attrs{}, err
	}
	if err := backends.CheckMetadata(opts.Metadata); err != nil {
		return backends.Attrs{}, &backends.Error{Op: "put", Key: key, Err: err}
	}
	try := &attempt{Context: ctx}
	try.content.body.Reset(body)
	try.upload.AccessConditions = absent
	if opts.Metadata != "" {
		label := labels.Get().(*label)
		defer labels.Put(label)
		label.text = opts.Metadata
		try.upload.Metadata = label.entry
	}
	if s.opts.EncryptionScope != "" {
		try.upload.CPKScopeInfo = &blob.CPKScopeInfo{EncryptionScope: &s.opts.EncryptionScope}
	}
	put, err := s.container.NewBlockBlobClient(key).Upload(try, &try.content, &try.upload)
	unsent := try.content.seal()
	if err != nil && tokenErrorOf(err) != nil {
		// A token is asked for before the request is sent, and again after an
		// answer that refuses it. What that one proves it must say itself.
		if unsent = try.answer == nil; !unsent {
			err = runtime.NewResponseError(try.answer)
		}
	}
	if failed := s.verify(ctx, "put", key, try.answer, err); failed != nil {
		// Without an answer nothing was written if no byte of the content was
		// ever asked for, or no token was had.
		if unsent && try.answer == nil && !backends.IsDefinite(failed) {
			failed.Err = fmt.Errorf("%w: the content was not sent: %w", backends.ErrNotStored, failed.Err)
		}
		return backends.Attrs{}, failed
	}
	etag := etagOf(put.ETag)
	if etag == "" {
		return backends.Attrs{}, foreign("put", key, "ETag", try.answer)
	}
	modified := put.LastModified
	if modified == nil {
		modified = put.Date
	}
	return backends.Attrs{
		Size:      int64(len(body)),
		ETag:      etag,
		VersionID: value(put.VersionID),
		Modified:  timeOf(modified),
	}, nil
}
