package s3

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/portable"
)

// mostKeys is the most entries that S3 gives in one page.
const mostKeys = 1000

// List implements [backends.Store]. It costs one request. Directory buckets
// refuse StartAfter with [backends.ErrUnsupported].
func (s *Store) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	page, err := s.list(ctx, in)
	if err != nil {
		failed := explain(err)
		if errors.Is(failed, backends.ErrNotExist) {
			// A folder without objects is no error: this asked for an object.
			failed.Err = fmt.Errorf("%w: the answer to a listing is that a key does not exist; where the endpoint's URL "+
				"has a path, leave the bucket out of it", backends.ErrInvalid)
		}
		failed.Op, failed.Key = "list", in.Prefix
		return backends.Page{}, failed
	}
	return page, nil
}

func (s *Store) list(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	request, err := s.listing(in)
	if err != nil {
		return backends.Page{}, err
	}
	out, err := s.client.ListObjectsV2(ctx, request)
	if err != nil {
		return backends.Page{}, err
	}
	page := backends.Page{Token: aws.ToString(out.NextContinuationToken)}
	if now, ok := awsmiddleware.GetServerTime(out.ResultMetadata); ok {
		page.Now = now.UTC()
	}
	if aws.ToBool(out.IsTruncated) && page.Token == "" {
		return backends.Page{}, fmt.Errorf("the listing goes on, and the answer has no token to go on with")
	}
	page.Objects = slices.Grow(page.Objects, len(out.Contents))
	for _, object := range out.Contents {
		page.Objects = append(page.Objects, backends.Object{Key: aws.ToString(object.Key), Attrs: backends.Attrs{
			Size: aws.ToInt64(object.Size), ETag: etagOf(object.ETag), Modified: aws.ToTime(object.LastModified).UTC(),
		}})
	}
	for _, prefix := range out.CommonPrefixes {
		page.Prefixes = append(page.Prefixes, aws.ToString(prefix.Prefix))
	}
	return page, nil
}

func (s *Store) listing(in backends.ListInput) (*awss3.ListObjectsV2Input, error) {
	if err := portable.CheckPrefix(in.Prefix); err != nil {
		return nil, err
	}
	limit := mostKeys
	if in.Limit > 0 {
		limit = min(in.Limit, limit)
	}
	request := &awss3.ListObjectsV2Input{
		Bucket: &s.bucket, Prefix: &in.Prefix, Delimiter: aws.String("/"), MaxKeys: aws.Int32(int32(limit)),
	}
	switch {
	case in.Token != "":
		request.ContinuationToken = &in.Token
	case in.StartAfter != "" && isDirectory(s.bucket):
		return nil, fmt.Errorf("%w: a directory bucket lists in no order, so that StartAfter has no meaning",
			backends.ErrUnsupported)
	case in.StartAfter != "":
		request.StartAfter = &in.StartAfter
	case limit == 1 && in.Prefix != "" && !isDirectory(s.bucket):
		// MinIO answers a listing of one key with the object that is named like the
		// prefix, if there is one, and says that there are no more. It does not
		// when told to start before all keys.
		request.StartAfter = aws.String(in.Prefix[:len(in.Prefix)-1])
	}
	return request, nil
}
