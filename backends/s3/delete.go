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
//
// A success without a header of S3 may come from something on the way. It costs
// the requests of a Head, which must not find the object.
func (s *Store) Delete(ctx context.Context, key string) error {
	err := portable.CheckKey(key)
	if err == nil {
		var out *awss3.DeleteObjectOutput
		out, err = s.client.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: &s.bucket, Key: &key})
		if err == nil && !hasMark(out.ResultMetadata) {
			if _, found := s.Head(ctx, key); !errors.Is(found, backends.ErrNotExist) {
				err = errNotS3
			}
		}
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
