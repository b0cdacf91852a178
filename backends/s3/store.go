package s3

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob/s3blob"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/portable"
)

// api is what the store uses of the SDK.
type api interface {
	PutObject(context.Context, *awss3.PutObjectInput, ...func(*awss3.Options)) (*awss3.PutObjectOutput, error)
	GetObject(context.Context, *awss3.GetObjectInput, ...func(*awss3.Options)) (*awss3.GetObjectOutput, error)
	HeadObject(context.Context, *awss3.HeadObjectInput, ...func(*awss3.Options)) (*awss3.HeadObjectOutput, error)
	DeleteObject(context.Context, *awss3.DeleteObjectInput, ...func(*awss3.Options)) (*awss3.DeleteObjectOutput, error)
	DeleteObjects(context.Context, *awss3.DeleteObjectsInput, ...func(*awss3.Options)) (*awss3.DeleteObjectsOutput, error)
	ListObjectsV2(context.Context, *awss3.ListObjectsV2Input, ...func(*awss3.Options)) (*awss3.ListObjectsV2Output, error)
}

// A Store is a bucket, or an access point to one. It is safe for concurrent use.
type Store struct {
	bucket string
	opts   options
	// contents reads objects by way of gocloud and of client.
	contents portable.Bucket
	// client retries as the caller's does, once sends a create one time.
	client, once api
	// closeClient is for a client that is the store's own.
	closeClient func()
}

var (
	_ backends.Store       = (*Store)(nil)
	_ backends.Overwriter  = (*Store)(nil)
	_ backends.BulkDeleter = (*Store)(nil)
)

// New returns the store of a bucket, which is a name or the ARN of an access
// point. It makes no request. The client stays the caller's, is not modified,
// and is not closed by Close.
//
// Errors are [backends.ErrInvalid], and [backends.ErrUnsupported] for
// Multi-Region Access Points, for Google's endpoint and for SSE-C.
func New(client *awss3.Client, bucket string, opts ...Option) (*Store, error) {
	s := &Store{bucket: bucket}
	for _, opt := range opts {
		opt(&s.opts)
	}
	if err := s.connect(client); err != nil {
		return nil, &backends.Error{Op: "open", Key: bucket, Err: err}
	}
	return s, nil
}

// connect derives the store's clients.
func (s *Store) connect(client *awss3.Client) error {
	if client == nil {
		return fmt.Errorf("%w: there is no client", backends.ErrInvalid)
	}
	if err := checkBucket(s.bucket); err != nil {
		return err
	}
	if err := checkEndpoint(client.Options().BaseEndpoint); err != nil {
		return err
	}
	if err := s.opts.check(s.bucket); err != nil {
		return err
	}
	withSessions := s.withSessions(client)
	derived := awss3.New(client.Options(), s.opts.apply, forReads, withSessions)
	s.client = derived
	s.once = awss3.New(client.Options(), s.opts.apply, forCreates, withSessions)
	// The context is for nothing: opening asks no server.
	bucket, err := s3blob.OpenBucket(context.Background(), derived, s.bucket, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", backends.ErrInvalid, err)
	}
	s.contents = portable.Bucket{Blob: bucket, Dialect: dialect}
	return nil
}

// forReads sets up the client of all requests but creates.
func forReads(o *awss3.Options) {
	o.APIOptions = append(o.APIOptions, requireAnswers, decodePages)
}

// forCreates sets up the client that sends a create one time, and watches it.
func forCreates(o *awss3.Options) {
	o.Retryer = aws.NopRetryer{}
	o.RetryMaxAttempts = 1
	o.APIOptions = append(o.APIOptions, watchAttempts)
}

// checkBucket refuses access points that have more than one arbiter for a key.
func checkBucket(bucket string) error {
	if bucket == "" {
		return fmt.Errorf("%w: the bucket has no name", backends.ErrInvalid)
	}
	if !strings.HasPrefix(bucket, "arn:") {
		if strings.Contains(bucket, "/") {
			return fmt.Errorf("%w: a bucket's name has no slash; the folder of a table belongs to its keys", backends.ErrInvalid)
		}
		return nil
	}
	parsed, err := arn.Parse(bucket)
	if err != nil {
		return fmt.Errorf("%w: the ARN of the access point: %w", backends.ErrInvalid, err)
	}
	if parsed.Region == "" || strings.HasSuffix(parsed.Resource, ".mrap") {
		return fmt.Errorf("%w: this is a Multi-Region Access Point, behind which two regions can each accept a create of "+
			"the same key; use the bucket of one region", backends.ErrUnsupported)
	}
	return nil
}

// checkEndpoint refuses endpoints that are malformed, which are not repeated since
// they can hold a credential, and those that are known to ignore the condition.
func checkEndpoint(endpoint *string) error {
	if endpoint == nil {
		return nil
	}
	u, err := url.Parse(*endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return fmt.Errorf("%w: the endpoint is not the http:// or https:// URL of a host", backends.ErrInvalid)
	}
	port, err := strconv.ParseUint(cmp.Or(u.Port(), "443"), 10, 16)
	host := hostOf(endpoint)
	switch {
	case err != nil || port == 0:
		return fmt.Errorf("%w: the endpoint has a port that is none; ports are 1 to 65535", backends.ErrInvalid)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return fmt.Errorf("%w: the endpoint takes no user, query or fragment; credentials have settings of their own", backends.ErrInvalid)
	case isBelow(host, "googleapis.com"):
		return fmt.Errorf("%w: Google's endpoint for S3 clients ignores If-None-Match, so that commits would overwrite one "+
			"another; use the store for Google Cloud Storage", backends.ErrUnsupported)
	case isBelow(host, "s3-global.amazonaws.com"):
		return fmt.Errorf("%w: this is the endpoint of Multi-Region Access Points, behind which two regions can each accept a "+
			"create of the same key; use the bucket of one region", backends.ErrUnsupported)
	}
	return nil
}

// Capabilities implements [backends.Store].
func (s *Store) Capabilities() backends.Capabilities {
	return backends.Capabilities{OrderedList: !isDirectory(s.bucket), Metadata: true}
}

// Close frees what the store holds. The client given to [New] stays open.
func (s *Store) Close() error {
	err := s.contents.Blob.Close()
	if s.closeClient != nil {
		s.closeClient()
	}
	return err
}
