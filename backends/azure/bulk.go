package azure

import (
	"context"
	"errors"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/lancecommit/lancecommit/backends"
)

// bulkLimit is the most parts that a Blob Batch takes.
const bulkLimit = 256

// BulkLimit implements backends.BulkDeleter. It is 256.
func (s *Store) BulkLimit() int { return bulkLimit }

// BulkDelete implements backends.BulkDeleter by a Blob Batch of the container. It
// costs one request. Snapshots of the objects go with them.
func (s *Store) BulkDelete(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	if err := backends.CheckBulk(keys, bulkLimit, checkKey); err != nil {
		return err
	}
	if err := backends.CheckCall(ctx, "bulkdelete", keys[0], checkKey); err != nil {
		return err
	}
	var answer *http.Response
	answers, err := s.submit(watched(ctx, &answer), keys)
	if failed := s.verify(ctx, "bulkdelete", keys[0], answer, err); failed != nil {
		return failed
	}
	return refusedOf(keys, answers)
}

// submit sends the batch and returns the answers to its parts.
func (s *Store) submit(ctx context.Context, keys []string) (answers []*container.BatchResponseItem, err error) {
	// The SDK indexes its list of parts by what the answer says, and panics
	// where that is not the store's.
	defer func() {
		if recover() != nil {
			answers, err = nil, errors.New("the answer is not one to a batch; look for a proxy in between")
		}
	}()
	batch, err := s.container.NewBatchBuilder()
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if err := batch.Delete(key, &container.BatchDeleteOptions{
			DeleteOptions: blob.DeleteOptions{DeleteSnapshots: to.Ptr(blob.DeleteSnapshotsOptionTypeInclude)},
		}); err != nil {
			return nil, err
		}
	}
	submitted, err := s.container.SubmitBatch(ctx, batch, nil)
	return submitted.Responses, err
}

// refusedOf reads the answers. Each part must have one, since silence proves
// nothing.
func refusedOf(keys []string, answers []*container.BatchResponseItem) error {
	answered := make(map[int]*container.BatchResponseItem, len(keys))
	for _, one := range answers {
		if one.ContentID != nil {
			answered[*one.ContentID] = one
		}
	}
	var partial backends.PartialDeleteError
	for i, key := range keys {
		if failed := failedPart(key, answered[i]); failed != nil && !errors.Is(failed, backends.ErrNotExist) {
			partial.Failed = append(partial.Failed, failed)
		}
	}
	if len(partial.Failed) == 0 {
		return nil
	}
	return &partial
}

// failedPart returns what is wrong with a part, nil if the object was deleted.
func failedPart(key string, part *container.BatchResponseItem) *backends.Error {
	var answer *azcore.ResponseError
	switch {
	case part != nil && part.Error == nil:
		return nil
	case part != nil && errors.As(part.Error, &answer):
		return answered("delete", key, answer)
	}
	return &backends.Error{Op: "delete", Key: key, Err: errors.New("the answer does not say that the object was deleted")}
}
