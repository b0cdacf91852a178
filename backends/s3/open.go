package s3

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	awscredentials "github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"

	"github.com/lancecommit/lancecommit/backends"
)

// A Config is how to reach a bucket. What it leaves empty comes from where the
// AWS SDK looks: the environment, the shared files, and the roles of the machine.
type Config struct {
	// Region is the region of the bucket. With an Endpoint and no region
	// anywhere it is us-east-1.
	Region string
	// Endpoint is the URL of a server other than AWS.
	Endpoint string
	// AllowHTTP permits an endpoint whose URL starts with http://.
	AllowHTTP bool
	// PathStyle puts the bucket into the path of the URL and not into its host.
	// Endpoints that are an IP address get it in any case.
	PathStyle bool
	// Anonymous sends requests without a signature, for public buckets.
	Anonymous bool
	// AccessKeyID and SecretAccessKey go together, SessionToken is for
	// temporary ones.
	AccessKeyID, SecretAccessKey, SessionToken string
	// Profile is the name of a profile in the shared files.
	Profile string
	// DualStack, FIPS and Accelerate choose among the endpoints of AWS.
	DualStack, FIPS, Accelerate bool
	// HTTPClient sends the requests. Nil means one of the store's own, which
	// honours AWS_CA_BUNDLE and whose connections Close closes.
	HTTPClient aws.HTTPClient
}

// Open returns the store of a bucket with a client of its own, which logs nothing.
// It may ask for credentials where the SDK gets them from a service, and makes no
// request to the store. Errors are those of [New]; settings that contradict one
// another are [backends.ErrInvalid].
func Open(ctx context.Context, bucket string, cfg Config, opts ...Option) (*Store, error) {
	client, err := cfg.client(ctx)
	if err != nil {
		return nil, &backends.Error{Op: "open", Key: bucket, Err: err}
	}
	s, err := New(client, bucket, opts...)
	if err != nil {
		return nil, err
	}
	if err := resolve(ctx, client.Options(), bucket); err != nil {
		_ = s.Close() // it holds nothing yet
		return nil, &backends.Error{Op: "open", Key: bucket, Err: err}
	}
	if own, ok := client.Options().HTTPClient.(*http.Client); ok && cfg.HTTPClient == nil {
		s.closeClient = own.CloseIdleConnections
	}
	return s, nil
}

func (c Config) client(ctx context.Context) (*awss3.Client, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	loaded, err := config.LoadDefaultConfig(ctx, c.load()...)
	if err != nil {
		return nil, fmt.Errorf("%w: the configuration of the AWS SDK: %w", backends.ErrInvalid, err)
	}
	// The SDK's own client cannot be closed, but has what it set up by
	// AWS_CA_BUNDLE.
	if buildable, ok := loaded.HTTPClient.(*awshttp.BuildableClient); ok && c.HTTPClient == nil {
		loaded.HTTPClient = &http.Client{Transport: buildable.GetTransport(), CheckRedirect: checkRedirect}
	}
	client := awss3.NewFromConfig(loaded, func(o *awss3.Options) {
		o.UsePathStyle = c.PathStyle
		o.UseAccelerate = c.Accelerate
		if c.Endpoint != "" {
			o.BaseEndpoint = aws.String(c.Endpoint)
		}
		if o.Region == "" && o.BaseEndpoint != nil {
			o.Region = "us-east-1"
		}
	})
	made := client.Options()
	if made.Region == "" {
		return nil, fmt.Errorf("%w: there is no region; set it, or AWS_REGION", backends.ErrInvalid)
	}
	if strings.HasPrefix(strings.ToLower(aws.ToString(made.BaseEndpoint)), "http://") && !c.AllowHTTP {
		return nil, fmt.Errorf("%w: the endpoint uses HTTP, where everybody on the way can read and change the table; "+
			"use https://, or allow HTTP", backends.ErrInvalid)
	}
	return client, nil
}

// resolve finds out whether the SDK can make an address out of what is set, such
// as an endpoint together with FIPS, which it otherwise says at the first request.
func resolve(ctx context.Context, o awss3.Options, bucket string) error {
	_, err := o.EndpointResolverV2.ResolveEndpoint(ctx, (awss3.EndpointParameters{
		Bucket:                         &bucket,
		Region:                         &o.Region,
		Endpoint:                       o.BaseEndpoint,
		ForcePathStyle:                 &o.UsePathStyle,
		Accelerate:                     &o.UseAccelerate,
		UseFIPS:                        aws.Bool(o.EndpointOptions.UseFIPSEndpoint == aws.FIPSEndpointStateEnabled),
		UseDualStack:                   aws.Bool(o.EndpointOptions.UseDualStackEndpoint == aws.DualStackEndpointStateEnabled),
		UseArnRegion:                   &o.UseARNRegion,
		DisableMultiRegionAccessPoints: &o.DisableMultiRegionAccessPoints,
		DisableS3ExpressSessionAuth:    o.DisableS3ExpressSessionAuth,
	}).WithDefaults())
	if err != nil {
		return fmt.Errorf("%w: no address for the bucket can be made of the region, the endpoint and the rest: %w", backends.ErrInvalid, err)
	}
	return nil
}

// mostRedirects is where a chain of redirects ends.
const mostRedirects = 10

// checkRedirect follows those that keep the method, as the SDK does.
func checkRedirect(r *http.Request, via []*http.Request) error {
	status := r.Response.StatusCode
	if status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect || len(via) >= mostRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

func (c Config) check() error {
	switch hasKey := c.AccessKeyID != "" || c.SecretAccessKey != "" || c.SessionToken != ""; {
	case hasKey && (c.AccessKeyID == "" || c.SecretAccessKey == ""):
		return fmt.Errorf("%w: an access key needs an id and a secret", backends.ErrInvalid)
	case hasKey && c.Anonymous:
		return fmt.Errorf("%w: requests are either anonymous or signed with an access key", backends.ErrInvalid)
	}
	return nil
}

// load returns the options for the SDK's own search.
func (c Config) load() []func(*config.LoadOptions) error {
	// A library does not log.
	opts := []func(*config.LoadOptions) error{config.WithLogger(logging.Nop{})}
	if c.HTTPClient != nil {
		opts = append(opts, config.WithHTTPClient(c.HTTPClient))
	}
	if c.Region != "" {
		opts = append(opts, config.WithRegion(c.Region))
	}
	if c.Profile != "" {
		opts = append(opts, config.WithSharedConfigProfile(c.Profile))
	}
	if c.DualStack {
		opts = append(opts, config.WithUseDualStackEndpoint(aws.DualStackEndpointStateEnabled))
	}
	if c.FIPS {
		opts = append(opts, config.WithUseFIPSEndpoint(aws.FIPSEndpointStateEnabled))
	}
	switch {
	case c.Anonymous:
		opts = append(opts, config.WithCredentialsProvider(aws.AnonymousCredentials{}))
	case c.AccessKeyID != "":
		opts = append(opts, config.WithCredentialsProvider(
			awscredentials.NewStaticCredentialsProvider(c.AccessKeyID, c.SecretAccessKey, c.SessionToken)))
	}
	return opts
}
