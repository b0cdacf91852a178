package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/portable"
)

// bulkLimit is the most keys that DeleteObjects takes.
const bulkLimit = 1000

// BulkLimit implements [backends.BulkDeleter]. It is 1,000.
func (s *Store) BulkLimit() int { return bulkLimit }

// BulkDelete implements [backends.BulkDeleter] by DeleteObjects. It costs one
// request. In a bucket with versions it leaves delete markers.
//
// The protocol requires a checksum of the list of keys. It is Content-MD5,
// which servers of all ages know, unless the endpoint is AWS or the store was
// made with [ChecksumSHA256]. Servers that do not have DeleteObjects are
// [backends.ErrUnsupported].
func (s *Store) BulkDelete(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	if err := backends.CheckBulk(keys, bulkLimit, checkBulkKey); err != nil {
		return err
	}
	in := &awss3.DeleteObjectsInput{Bucket: &s.bucket, Delete: &types.Delete{}}
	for _, key := range keys {
		in.Delete.Objects = append(in.Delete.Objects, types.ObjectIdentifier{Key: aws.String(key)})
	}
	out, err := s.client.DeleteObjects(ctx, in, s.opts.sumOfKeys(s.bucket, in))
	if err != nil {
		failed := explain(err)
		failed.Op, failed.Key = "bulkdelete", keys[0]
		if failed.Code != "" && (failed.Status == http.StatusNotImplemented || failed.Status == http.StatusMethodNotAllowed) {
			failed.Err = fmt.Errorf("%w: it does not have DeleteObjects", backends.ErrUnsupported)
		}
		return failed
	}
	return refusedOf(keys, out)
}

// checkBulkKey refuses keys that a list in XML cannot have: another key would
// be deleted.
func checkBulkKey(key string) error {
	if strings.ContainsAny(key, "\ufffe\uffff") {
		return fmt.Errorf("%w: the key %q has a character that XML has not", backends.ErrInvalid, key)
	}
	return portable.CheckKey(key)
}

// sumOfKeys says which checksum the list of keys carries.
func (o *options) sumOfKeys(bucket string, in *awss3.DeleteObjectsInput) func(*awss3.Options) {
	if o.checksum == ChecksumSHA256 {
		in.ChecksumAlgorithm = types.ChecksumAlgorithmSha256
	}
	return func(client *awss3.Options) {
		// Directory buckets take no Content-MD5.
		knowsOthers := isDirectory(bucket) || isAmazon(client.BaseEndpoint) && o.checksum != ChecksumMD5
		if in.ChecksumAlgorithm == "" && !knowsOthers {
			client.APIOptions = append(client.APIOptions, sumByMD5)
		}
	}
}

// sumByMD5 puts Content-MD5 in the place of the SDK's checksum.
func sumByMD5(stack *middleware.Stack) error {
	if _, err := stack.Initialize.Remove("AWSChecksum:SetupInputContext"); err != nil {
		return err
	}
	return smithyhttp.AddContentChecksumMiddleware(stack)
}

// statusOf is that of codes that have one meaning, since the answer has no
// status for a single object.
var statusOf = map[string]int{"AccessDenied": http.StatusForbidden, "AllAccessDisabled": http.StatusForbidden}

// sentFor returns the request that an answer was given to, nil where it is not known.
func sentFor(out *awss3.DeleteObjectsOutput) *http.Request {
	if response, ok := awsmiddleware.GetRawResponse(out.ResultMetadata).(*smithyhttp.Response); ok {
		return response.Request
	}
	return nil
}

// refusedOf reads an answer, whose status is 200 whatever became of the objects.
// Each object must be in it, since silence proves nothing.
func refusedOf(keys []string, out *awss3.DeleteObjectsOutput) error {
	gone := make(map[string]bool, len(keys))
	for _, deleted := range out.Deleted {
		gone[aws.ToString(deleted.Key)] = true
	}
	refused := make(map[string]*backends.Error)
	for _, e := range out.Errors {
		key, code := aws.ToString(e.Key), aws.ToString(e.Code)
		if code == "NoSuchKey" || code == "NoSuchVersion" {
			gone[key] = true
			continue
		}
		a := answer{status: statusOf[code], code: code, message: aws.ToString(e.Message), sent: sentFor(out)}
		a.hideSecrets()
		failed := &backends.Error{Op: "delete", Key: key, Code: a.code, Err: errors.New(a.text())}
		if sentinel := a.refusal(); sentinel != nil {
			failed.Err = fmt.Errorf("%w: %s", sentinel, a.text())
		}
		refused[key] = failed
	}
	var partial backends.PartialDeleteError
	for _, key := range keys {
		switch failed := refused[key]; {
		case failed != nil:
			partial.Failed = append(partial.Failed, failed)
		case !gone[key]:
			partial.Failed = append(partial.Failed, &backends.Error{Op: "delete", Key: key,
				Err: errors.New("the answer does not say that the object was deleted")})
		}
	}
	if len(partial.Failed) == 0 {
		return nil
	}
	return &partial
}
