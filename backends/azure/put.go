package azure

import (
	"context"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"

	"github.com/lancecommit/lancecommit/backends"
)

// once turns the retries of the SDK off.
var once = policy.RetryOptions{MaxRetries: -1}

// PutIfAbsent implements backends.Store.
func (s *Store) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	if err := begin(ctx, "put", key, checkKey); err != nil {
		return backends.Attrs{}, err
	}
	if err := backends.CheckMetadata(opts.Metadata); err != nil {
		return backends.Attrs{}, &backends.Error{Op: "put", Key: key, Err: err}
	}
	upload := &blockblob.UploadOptions{
		AccessConditions: &blob.AccessConditions{
			ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfNoneMatch: to.Ptr(azcore.ETagAny)},
		},
	}
	if opts.Metadata != "" {
		upload.Metadata = map[string]*string{backends.MetadataName: &opts.Metadata}
	}
	if s.opts.EncryptionScope != "" {
		upload.CPKScopeInfo = &blob.CPKScopeInfo{EncryptionScope: &s.opts.EncryptionScope}
	}
	sealed := newContent(body)
	put, err := s.container.NewBlockBlobClient(key).Upload(policy.WithRetryOptions(ctx, once), sealed, upload)
	unsent := sealed.seal()
	if err != nil {
		return backends.Attrs{}, putError(ctx, key, err, unsent)
	}
	etag := etagOf(put.ETag)
	if etag == "" {
		return backends.Attrs{}, foreign("put", key, "ETag", put.RequestID)
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

// putError explains why a create failed. Without an answer nothing was written
// if no byte of the content was ever asked for.
func putError(ctx context.Context, key string, err error, unsent bool) error {
	failed := explain(ctx, "put", key, err)
	if unsent && failed.Status == 0 && !backends.IsDefinite(failed) {
		failed.Err = fmt.Errorf("%w: the content was not sent: %w", backends.ErrNotStored, failed.Err)
	}
	return failed
}
