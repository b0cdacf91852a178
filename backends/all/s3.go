package all

import (
	"context"
	"fmt"
	"os"
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
	// requests and responses are when the SDK is to make and to check checksums,
	// in its own words.
	requests, responses string
	hostnameImmutable   bool
}

func (p *s3Place) options() []option {
	const ssec = "asks for encryption with a key of the customer's own (SSE-C), which Lance could not read"
	return []option{
		text(&p.Region, "aws_region", "region", "aws_default_region", "default_region").bySDK(),
		p.endpoint(),
		text(&p.AccessKeyID, "aws_access_key_id", "access_key_id").as("access key").bySDK(),
		text(&p.SecretAccessKey, "aws_secret_access_key", "secret_access_key").as("access key").bySDK(),
		text(&p.SessionToken, "aws_session_token", "aws_token", "session_token", "token").as("access key").bySDK(),
		text(&p.Profile, "aws_profile", "profile").as("profile").bySDK(),
		truth(&p.Anonymous, "aws_skip_signature", "skip_signature", "anonymous").as("nobody"),
		truth(&p.AllowHTTP, "allow_http", "aws_allow_http"),
		truth(&p.virtualHost, "aws_virtual_hosted_style_request", "virtual_hosted_style_request"),
		truth(&p.PathStyle, "use_path_style", "s3forcepathstyle"),
		text(&p.encryption.Algorithm, "aws_server_side_encryption", "server_side_encryption", "ssetype"),
		text(&p.encryption.KMSKeyID, "aws_sse_kms_key_id", "sse_kms_key_id", "kmskeyid"),
		truth(&p.encryption.BucketKey, "aws_sse_bucket_key_enabled", "sse_bucket_key_enabled"),
		custom(refused(ssec), "aws_sse_customer_key_base64", "sse_customer_key_base64"),
		custom(p.setPayer, "aws_request_payer", "request_payer"),
		text(&p.owner, "aws_expected_bucket_owner", "expected_bucket_owner"),
		custom(p.setChecksum, "aws_checksum_algorithm", "checksum_algorithm"),
		truth(&p.DualStack, "dualstack"),
		truth(&p.FIPS, "fips"),
		truth(&p.Accelerate, "accelerate"),
		truth(&p.disableHTTPS, "disable_https"),
		truth(&p.hostnameImmutable, "hostname_immutable"),
		custom(oneOf(&p.requests, whenSupported, whenRequired), "request_checksum_calculation"),
		custom(oneOf(&p.responses, whenSupported, whenRequired), "response_checksum_validation"),
		custom(ignored, "awssdk"),
	}
}

// endpoint returns the option for it. The SDK reads two of its variables, too,
// but would put the bucket into the host.
func (p *s3Place) endpoint() option {
	o := text(&p.Endpoint, "aws_endpoint", "aws_endpoint_url", "endpoint", "endpoint_url")
	if ignore, err := parseTruth(os.Getenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")); err == nil && ignore {
		o.variables = [][]string{{"AWS_ENDPOINT"}}
	} else {
		o.variables = [][]string{{"AWS_ENDPOINT_URL_S3"}, {"AWS_ENDPOINT", "AWS_ENDPOINT_URL"}}
	}
	return o
}

// setPayer takes Lance's true, and the word of the S3 API.
func (p *s3Place) setPayer(value string) error {
	if strings.EqualFold(value, "requester") {
		p.requesterPays = true
		return nil
	}
	return truth(&p.requesterPays).set(value)
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
	p, err := at.s3()
	if err != nil {
		return nil, &backends.Error{Op: "open", Key: at.bucket, Err: err}
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

// s3 reads the options and the environment.
func (at *place) s3() (*s3Place, error) {
	p := new(s3Place)
	options := p.options()
	if err := at.apply(options); err != nil {
		return nil, err
	}
	if err := at.readEnvironment(options); err != nil {
		return nil, err
	}
	if p.disableHTTPS {
		p.AllowHTTP = true
		if p.Endpoint != "" && !strings.Contains(p.Endpoint, "://") {
			p.Endpoint = "http://" + p.Endpoint
		}
	}
	switch {
	case p.hostnameImmutable && p.Endpoint == "":
		return nil, fmt.Errorf("%w: the option hostname_immutable is for a server of one's own; set aws_endpoint, or leave it out", backends.ErrInvalid)
	case p.hostnameImmutable && p.virtualHost:
		return nil, fmt.Errorf("%w: the options hostname_immutable and aws_virtual_hosted_style_request contradict each other: "+
			"one keeps the bucket out of the host, the other puts it there", backends.ErrInvalid)
	case isHTTP(p.Endpoint) && !p.AllowHTTP:
		return nil, errHTTP("AWS_ALLOW_HTTP")
	}
	// Servers of one's own rarely have a host name for each bucket; Lance has
	// the same rule.
	if p.Endpoint != "" && !p.virtualHost {
		p.PathStyle = true
	}
	return p, p.chooseChecksum()
}

// isHTTP reports whether an endpoint is without TLS.
func isHTTP(endpoint string) bool {
	return strings.HasPrefix(strings.ToLower(endpoint), "http://")
}

// errHTTP says by which names HTTP is allowed.
func errHTTP(variable string) error {
	return fmt.Errorf("%w: the endpoint uses HTTP, where everybody on the way can read and change the table; use https://, "+
		"or allow HTTP by the option allow_http=true, or %s=true in the environment", backends.ErrInvalid, variable)
}
