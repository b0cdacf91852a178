package s3

import (
	"context"
	"errors"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/portable"
)

// Delete implements [backends.Store]. It costs one request. In a bucket with
// versions it leaves a delete marker.
func (s *Store) Delete(ctx context.Context, key string) error {
	err := portable.CheckKey(key)
	if err == nil {
		_, err = s.client.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: &s.bucket, Key: &key})
	}
	if err == nil {
		return nil
	}
	failed := explain(err)
	if errors.Is(failed, backends.ErrNotExist) {
		return nil
	}
	failed.Op, failed.Key = "delete", key
	return failed
}
