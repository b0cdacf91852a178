package s3

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/portable"
)

// Get implements [backends.Store]. It costs one request. Content that came without
// a header of S3 must have its MD5 as ETag.
func (s *Store) Get(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
	return s.contents.Get(ctx, key)
}

// Head implements [backends.Store]. It costs one request. An answer to HEAD has
// no body, so that a bucket that is not there is [backends.ErrNotExist], too.
//
// An answer without a header of S3 (x-amz-request-id or another x-amz-…) may come
// from something on the way and proves nothing. It costs a second request, whose
// answer has a body in S3's words: a GET that says what is missing, or a LIST
// that shows the object.
func (s *Store) Head(ctx context.Context, key string) (backends.Attrs, error) {
	attrs, failed := s.head(ctx, key)
	if failed == nil {
		return attrs, nil
	}
	failed.Op, failed.Key = "head", key
	if failed.Status == http.StatusNotFound && !errors.Is(failed, backends.ErrNotExist) {
		return backends.Attrs{}, s.missing(ctx, key, failed)
	}
	return backends.Attrs{}, failed
}

func (s *Store) head(ctx context.Context, key string) (backends.Attrs, *backends.Error) {
	if err := portable.CheckKey(key); err != nil {
		return backends.Attrs{}, &backends.Error{Err: err}
	}
	out, err := s.client.HeadObject(ctx, &awss3.HeadObjectInput{Bucket: &s.bucket, Key: &key})
	if err != nil {
		return backends.Attrs{}, explain(err)
	}
	attrs := backends.Attrs{
		Size: aws.ToInt64(out.ContentLength), ETag: etagOf(out.ETag), VersionID: aws.ToString(out.VersionId),
		Modified: aws.ToTime(out.LastModified).UTC(), Metadata: out.Metadata[backends.MetadataName],
	}
	if !hasMark(out.ResultMetadata) && !s.shows(ctx, key, attrs) {
		return backends.Attrs{}, &backends.Error{Status: http.StatusOK, Err: errNotS3}
	}
	return attrs, nil
}

// shows reports whether a listing shows an object as an answer to HEAD did.
func (s *Store) shows(ctx context.Context, key string, attrs backends.Attrs) bool {
	page, err := s.list(ctx, backends.ListInput{Prefix: key, Limit: 1})
	return err == nil && len(page.Objects) > 0 && page.Objects[0].Key == key &&
		page.Objects[0].ETag == attrs.ETag && page.Objects[0].Size == attrs.Size
}

// etagOf returns an ETag in quotes, as S3 gives it. Other servers leave them out, some
// of them in listings alone (NetApp ONTAP, duckdb/duckdb-httpfs pull request 291;
// adobe/S3Mock issue 801) or in headers alone (versity/versitygw issue 1018), and the
// committer compares the ETags of all answers.
func etagOf(etag *string) string {
	text := aws.ToString(etag)
	if text == "" || strings.HasSuffix(text, `"`) {
		return text
	}
	return `"` + text + `"`
}

// missing asks what is missing where the answer to a HEAD did not say. It returns
// that answer's error where the second one does not say either.
func (s *Store) missing(ctx context.Context, key string, headed *backends.Error) error {
	out, err := s.client.GetObject(ctx, &awss3.GetObjectInput{Bucket: &s.bucket, Key: &key, Range: aws.String("bytes=0-0")})
	if err == nil {
		_ = out.Body.Close()
		return headed
	}
	failed := explain(err)
	for _, said := range []error{
		backends.ErrNotExist, backends.ErrNoBucket, backends.ErrPermission, backends.ErrUnauthenticated,
	} {
		if errors.Is(failed, said) {
			failed.Op, failed.Key = "head", key
			return failed
		}
	}
	return headed
}

// dialect tells gocloud's part what it cannot know.
var dialect = portable.Dialect{
	Explain: explain,
	Opened: func(reader *blob.Reader) backends.Attrs {
		var out awss3.GetObjectOutput
		reader.As(&out)
		return backends.Attrs{
			ETag: etagOf(out.ETag), VersionID: aws.ToString(out.VersionId), Metadata: out.Metadata[backends.MetadataName],
		}
	},
}
