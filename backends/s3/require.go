package s3

import (
	"context"
	"crypto/md5" // the one that ETags are made with
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// errNotS3 is for a success that is not proven to be an S3 store's, such as an error
// in the body or the page of a proxy. The SDK would take it for an empty listing,
// or for an object.
var errNotS3 = errors.New("the answer says success and is not one of S3: something between here and the store may have answered")

// requireAnswers makes reads fail on such answers.
func requireAnswers(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("RequireAnswers", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		out, metadata, err := next.HandleInitialize(ctx, in)
		if err == nil && !isAnswer(out.Result, metadata) {
			err = errNotS3
		}
		return out, metadata, err
	}), middleware.Before)
}

// isAnswer reports whether what was read can be an answer of S3. Whether a HEAD
// without a mark is one it does not say.
func isAnswer(result any, metadata middleware.Metadata) bool {
	switch out := result.(type) {
	case *awss3.ListObjectsV2Output:
		return out.Name != nil && out.IsTruncated != nil
	case *awss3.GetObjectOutput:
		if out.ETag == nil {
			out.Body.Close()
			return false
		}
		if !hasMark(metadata) {
			out.Body = &proof{ReadCloser: out.Body, sum: md5.New(), etag: *out.ETag}
		}
	case *awss3.HeadObjectOutput:
		return aws.ToString(out.ETag) != ""
	}
	return true
}

// hasMark is isMarked for what the SDK keeps of an answer.
func hasMark(metadata middleware.Metadata) bool {
	response, ok := awsmiddleware.GetRawResponse(metadata).(*smithyhttp.Response)
	return ok && isMarked(response.Header)
}

// isMarked reports whether an answer has a header of S3, which a proxy's own has
// not. AWS, MinIO and versitygw put x-amz-request-id into all answers.
func isMarked(header http.Header) bool {
	for name := range header {
		if strings.HasPrefix(name, "X-Amz-") {
			return true
		}
	}
	return false
}

// isSumOf reports whether an ETag is the MD5 of a body. It proves an answer that
// has no mark: who does not have the object cannot know it.
func isSumOf(etag string, body []byte) bool {
	sum := md5.Sum(body)
	return isHex(etag, sum[:])
}

func isHex(etag string, sum []byte) bool { return strings.Trim(etag, `"`) == hex.EncodeToString(sum) }

// A proof is the content of an answer without a mark. It ends in an error unless
// its ETag is that of the content.
type proof struct {
	io.ReadCloser
	sum  hash.Hash
	etag string
}

func (p *proof) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	_, _ = p.sum.Write(b[:n])
	if err == io.EOF && !isHex(p.etag, p.sum.Sum(nil)) {
		err = errNotS3
	}
	return n, err
}
