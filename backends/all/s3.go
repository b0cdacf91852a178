package all

import (
	"context"
	"fmt"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/s3"
)

// s3Place is how to reach a bucket, as options say it.
type s3Place struct {
	s3.Config
	virtualHost   bool
	disableHTTPS  bool
	encryption    s3.Encryption
	requesterPays bool
	owner         string
	checksum      s3.Checksum
}

func (p *s3Place) options() []option {
	const ssec = "asks for encryption with a key of the customer's own (SSE-C), which Lance could not read"
	return []option{
		{[]string{"aws_region", "region", "aws_default_region", "default_region"}, text(&p.Region)},
		{[]string{"aws_endpoint", "aws_endpoint_url", "endpoint", "endpoint_url"}, text(&p.Endpoint)},
		{[]string{"aws_access_key_id", "access_key_id"}, text(&p.AccessKeyID)},
		{[]string{"aws_secret_access_key", "secret_access_key"}, text(&p.SecretAccessKey)},
		{[]string{"aws_session_token", "aws_token", "session_token", "token"}, text(&p.SessionToken)},
		{[]string{"aws_profile", "profile"}, text(&p.Profile)},
		{[]string{"aws_skip_signature", "skip_signature", "anonymous"}, truth(&p.Anonymous)},
		{[]string{"allow_http", "aws_allow_http"}, truth(&p.AllowHTTP)},
		{[]string{"aws_virtual_hosted_style_request", "virtual_hosted_style_request"}, truth(&p.virtualHost)},
		{[]string{"use_path_style", "s3forcepathstyle"}, truth(&p.PathStyle)},
		{[]string{"aws_server_side_encryption", "server_side_encryption", "ssetype"}, text(&p.encryption.Algorithm)},
		{[]string{"aws_sse_kms_key_id", "sse_kms_key_id", "kmskeyid"}, text(&p.encryption.KMSKeyID)},
		{[]string{"aws_sse_bucket_key_enabled", "sse_bucket_key_enabled"}, truth(&p.encryption.BucketKey)},
		{[]string{"aws_sse_customer_key_base64", "sse_customer_key_base64"}, refused(ssec)},
		{[]string{"aws_request_payer", "request_payer"}, p.setPayer},
		{[]string{"aws_expected_bucket_owner", "expected_bucket_owner"}, text(&p.owner)},
		{[]string{"aws_checksum_algorithm", "checksum_algorithm"}, p.setChecksum},
		{[]string{"dualstack"}, truth(&p.DualStack)},
		{[]string{"fips"}, truth(&p.FIPS)},
		{[]string{"accelerate"}, truth(&p.Accelerate)},
		{[]string{"disable_https"}, truth(&p.disableHTTPS)},
		{[]string{"awssdk"}, ignored},
	}
}

// setPayer takes Lance's true, and the word of the S3 API.
func (p *s3Place) setPayer(value string) error {
	if strings.EqualFold(value, "requester") {
		p.requesterPays = true
		return nil
	}
	return truth(&p.requesterPays)(value)
}

func (p *s3Place) setChecksum(value string) error {
	switch strings.ToLower(value) {
	case "sha256":
		p.checksum = s3.ChecksumSHA256
	case "md5":
		p.checksum = s3.ChecksumMD5
	case "none":
		p.checksum = s3.ChecksumNone
	default:
		return fmt.Errorf("is none of SHA256, MD5 and none")
	}
	return nil
}

func openS3(ctx context.Context, at *place) (Store, error) {
	var p s3Place
	if err := at.apply(p.options()); err != nil {
		return nil, &backends.Error{Op: "open", Key: at.bucket, Err: err}
	}
	// Servers of one's own rarely have a host name for each bucket; Lance has
	// the same rule.
	if p.Endpoint != "" && !p.virtualHost {
		p.PathStyle = true
	}
	if p.disableHTTPS {
		p.AllowHTTP = true
		if p.Endpoint != "" && !strings.Contains(p.Endpoint, "://") {
			p.Endpoint = "http://" + p.Endpoint
		}
	}
	opts := []s3.Option{s3.WithEncryption(p.encryption), s3.WithExpectedBucketOwner(p.owner), s3.WithChecksum(p.checksum)}
	if p.requesterPays {
		opts = append(opts, s3.WithRequesterPays())
	}
	s, err := s3.Open(ctx, at.bucket, p.Config, opts...)
	if err != nil {
		return nil, err
	}
	return s, nil
}
