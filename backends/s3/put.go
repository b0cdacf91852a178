package s3

import (
	"bytes"
	"context"
	"crypto/md5" // the protocol's, against damage on the way
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/portable"
)

// PutIfAbsent implements [backends.Store]. It is one PutObject with
// "If-None-Match: *", sent once. On a directory bucket a CreateSession may come
// before it, once in some minutes.
func (s *Store) PutIfAbsent(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
	attrs, failed := s.create(ctx, key, body, opts)
	if failed != nil {
		failed.Op, failed.Key = "put", key
		return backends.Attrs{}, failed
	}
	return attrs, nil
}

func (s *Store) create(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, *backends.Error) {
	if err := errors.Join(portable.CheckKey(key), backends.CheckMetadata(opts.Metadata)); err != nil {
		return backends.Attrs{}, &backends.Error{Err: err}
	}
	if err := ctx.Err(); err != nil {
		return backends.Attrs{}, &backends.Error{Err: backends.NotStored(err)}
	}
	in := s.write(key, body)
	in.IfNoneMatch = aws.String("*")
	if opts.Metadata != "" {
		in.Metadata = map[string]string{backends.MetadataName: opts.Metadata}
	}
	var try attempt
	out, err := s.once.PutObject(try.watched(ctx), in)
	if err != nil {
		return backends.Attrs{}, try.explain(err)
	}
	etag := etagOf(out.ETag)
	switch {
	case etag == "":
		return backends.Attrs{}, &backends.Error{Err: errors.New("the answer has no ETag, so that it proves nothing")}
	case !hasMark(out.ResultMetadata) && !isSumOf(etag, body):
		return backends.Attrs{}, &backends.Error{Status: http.StatusOK, Err: errNotS3}
	}
	attrs := backends.Attrs{Size: int64(len(body)), ETag: etag, VersionID: aws.ToString(out.VersionId)}
	if at, ok := awsmiddleware.GetServerTime(out.ResultMetadata); ok {
		attrs.Modified = at.UTC()
	}
	return attrs, nil
}

// Overwrite implements [backends.Overwriter]. It costs one request.
func (s *Store) Overwrite(ctx context.Context, key string, body []byte) error {
	err := portable.CheckKey(key)
	if err == nil {
		_, err = s.client.PutObject(ctx, s.write(key, body))
	}
	if err == nil {
		return nil
	}
	failed := explain(err)
	failed.Op, failed.Key = "overwrite", key
	return failed
}

// write returns what all writes have.
func (s *Store) write(key string, body []byte) *awss3.PutObjectInput {
	in := &awss3.PutObjectInput{
		Bucket: &s.bucket, Key: &key, Body: bytes.NewReader(body), ContentLength: aws.Int64(int64(len(body))),
	}
	s.opts.encryption.ask(in)
	switch s.opts.checksum {
	case ChecksumMD5:
		sum := md5.Sum(body)
		in.ContentMD5 = aws.String(base64.StdEncoding.EncodeToString(sum[:]))
	case ChecksumSHA256:
		sum := sha256.Sum256(body)
		in.ChecksumSHA256 = aws.String(base64.StdEncoding.EncodeToString(sum[:]))
	}
	return in
}
