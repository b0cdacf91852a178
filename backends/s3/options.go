package s3

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/lancecommit/lancecommit/backends"
)

// An Option sets up a [Store]. What belongs to the client, such as its endpoint,
// its region, its credentials and path style, is set there.
type Option func(*options)

type options struct {
	encryption    Encryption
	requesterPays bool
	owner         string
	checksum      Checksum
}

// Encryption is what a write asks the store to encrypt with. The zero value
// leaves it to the bucket's default.
type Encryption struct {
	// Algorithm is "AES256" (SSE-S3), "aws:kms" (SSE-KMS) or "aws:kms:dsse".
	// Keys of the customer's own (SSE-C) are refused: a Lance reader could not
	// read the manifests.
	Algorithm string
	// KMSKeyID is the id, the alias or the ARN of the key. Empty means the
	// account's default key.
	KMSKeyID string
	// BucketKey spares requests to KMS with a key of the bucket.
	BucketKey bool
}

// WithEncryption asks for server-side encryption of what the store writes, as
// bucket policies may demand.
func WithEncryption(e Encryption) Option {
	return func(o *options) { o.encryption = e }
}

// WithRequesterPays says, on each request, that the caller pays for it.
func WithRequesterPays() Option {
	return func(o *options) { o.requesterPays = true }
}

// WithExpectedBucketOwner makes each request fail with [backends.ErrPermission]
// unless the bucket belongs to this account.
func WithExpectedBucketOwner(account string) Option {
	return func(o *options) { o.owner = account }
}

// A Checksum says which checksum a write carries.
type Checksum int

const (
	// ChecksumAuto sends what the client is set up for to AWS, and none to an
	// endpoint of somebody else, since many do not know the SDK's default.
	ChecksumAuto Checksum = iota
	// ChecksumNone sends one only where the protocol requires it.
	ChecksumNone
	// ChecksumMD5 sends Content-MD5. Buckets with Object Lock want a checksum.
	ChecksumMD5
	// ChecksumSHA256 sends x-amz-checksum-sha256, for the same buckets.
	ChecksumSHA256
)

// WithChecksum sets which checksum a write carries. The default is
// [ChecksumAuto].
func WithChecksum(c Checksum) Option {
	return func(o *options) { o.checksum = c }
}

// check refuses what cannot work in this bucket.
func (o *options) check(bucket string) error {
	switch strings.ToLower(o.encryption.Algorithm) {
	case "", "aes256", "aws:kms", "aws:kms:dsse":
	case "sse-c":
		return fmt.Errorf("%w: objects that are encrypted with a key of the customer's own (SSE-C) cannot be read by Lance",
			backends.ErrUnsupported)
	default:
		return fmt.Errorf("%w: the encryption %q is none of AES256, aws:kms and aws:kms:dsse",
			backends.ErrInvalid, o.encryption.Algorithm)
	}
	if (o.encryption.KMSKeyID != "" || o.encryption.BucketKey) && !o.encryption.isKMS() {
		return fmt.Errorf("%w: a KMS key or a bucket key needs the encryption aws:kms", backends.ErrInvalid)
	}
	if o.checksum < ChecksumAuto || o.checksum > ChecksumSHA256 {
		return fmt.Errorf("%w: there is no checksum %d", backends.ErrInvalid, o.checksum)
	}
	if o.checksum == ChecksumMD5 && isDirectory(bucket) {
		return fmt.Errorf("%w: directory buckets take no Content-MD5; use SHA-256", backends.ErrUnsupported)
	}
	return nil
}

func (e Encryption) isKMS() bool {
	return strings.HasPrefix(strings.ToLower(e.Algorithm), "aws:kms")
}

// ask adds the encryption to a write.
func (e Encryption) ask(in *awss3.PutObjectInput) {
	for _, algorithm := range types.ServerSideEncryption("").Values() {
		if strings.EqualFold(string(algorithm), e.Algorithm) {
			in.ServerSideEncryption = algorithm
		}
	}
	if e.KMSKeyID != "" {
		in.SSEKMSKeyId = aws.String(e.KMSKeyID)
	}
	if e.BucketKey {
		in.BucketKeyEnabled = aws.Bool(true)
	}
}

// apply sets up a client that is derived from the caller's.
func (o *options) apply(client *awss3.Options) {
	if o.checksum != ChecksumAuto || !isAmazon(client.BaseEndpoint) {
		client.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		client.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	}
	if client.Credentials != nil {
		client.Credentials = credentials{client.Credentials}
	}
	if o.requesterPays {
		client.APIOptions = append(client.APIOptions, smithyhttp.SetHeaderValue("x-amz-request-payer", "requester"))
	}
	if o.owner != "" {
		client.APIOptions = append(client.APIOptions, smithyhttp.SetHeaderValue("x-amz-expected-bucket-owner", o.owner))
	}
}

// isAmazon reports whether a client talks to AWS, where it has no endpoint of
// its own or one of a VPC.
func isAmazon(endpoint *string) bool {
	host := hostOf(endpoint)
	return endpoint == nil || isBelow(host, "amazonaws.com") || isBelow(host, "amazonaws.com.cn")
}

// isBelow reports whether a host is a domain or in it.
func isBelow(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}

func hostOf(endpoint *string) string {
	u, err := url.Parse(aws.ToString(endpoint))
	if err != nil {
		return ""
	}
	// A dot at the end names the same host.
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

// isDirectory reports whether a bucket, or an access point, is of S3 Express One
// Zone.
func isDirectory(bucket string) bool {
	return strings.HasSuffix(bucket, "--x-s3") || strings.HasSuffix(bucket, "--xa-s3")
}
