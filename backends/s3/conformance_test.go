package s3_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/backendtest"
	"github.com/lancecommit/lancecommit/backends/s3"
)

// The server to test against, with the credentials of a user who may make and
// remove buckets.
const (
	endpointVariable = "LANCECOMMIT_S3_ENDPOINT"
	keyVariable      = "LANCECOMMIT_S3_ACCESS_KEY_ID"
	secretVariable   = "LANCECOMMIT_S3_SECRET_ACCESS_KEY"
)

func TestARealServerKeepsTheContract(t *testing.T) {
	endpoint := os.Getenv(endpointVariable)
	if endpoint == "" {
		t.Skipf("needs a server: set %s to its endpoint, with %s and %s", endpointVariable, keyVariable, secretVariable)
	}
	for name, opts := range map[string][]s3.Option{
		"plain": nil, "with MD5": {s3.WithChecksum(s3.ChecksumMD5)}, "with SHA-256": {s3.WithChecksum(s3.ChecksumSHA256)},
	} {
		t.Run(name, func(t *testing.T) {
			client := realClient(endpoint)
			t.Cleanup(client.Options().HTTPClient.(*http.Client).CloseIdleConnections)
			var buckets bucketsOf
			cfg := backendtest.Config{
				New: func(t testing.TB) backends.Store {
					store, err := s3.New(client, buckets.make(t, client), opts...)
					require.NoError(t, err)
					t.Cleanup(func() { require.NoError(t, store.Close()) })
					return store
				},
				Inject: func(t testing.TB, _ backends.Store, key string, body []byte) {
					_, err := client.PutObject(t.Context(), &awss3.PutObjectInput{
						Bucket: aws.String(buckets.last), Key: &key, Body: strings.NewReader(string(body)),
					})
					require.NoError(t, err)
				},
				Address: func(testing.TB, backends.Store) string { return endpoint + "/" + buckets.last },
			}
			if name != "plain" {
				cfg.Keys, cfg.Address = 10, nil
			}
			backendtest.Run(t, cfg)
		})
	}
}

func realClient(endpoint string) *awss3.Client {
	return awss3.New(awss3.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint, UsePathStyle: true,
		HTTPClient:  &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}},
		Credentials: credentials.NewStaticCredentialsProvider(os.Getenv(keyVariable), os.Getenv(secretVariable), ""),
	})
}

// openAddress opens a bucket in a process of its own.
func openAddress(address string) (backends.Store, error) {
	at := strings.LastIndexByte(address, '/')
	return s3.New(realClient(address[:at]), address[at+1:])
}

// bucketsOf makes a bucket for each rule.
type bucketsOf struct{ last string }

var made atomic.Int64

func (b *bucketsOf) make(t testing.TB, client *awss3.Client) string {
	name := fmt.Sprintf("lancecommit-%x-%d", time.Now().UnixMilli(), made.Add(1))
	_, err := client.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: &name})
	require.NoError(t, err)
	t.Cleanup(func() { removeBucket(context.WithoutCancel(t.Context()), t, client, name) })
	b.last = name
	return name
}

func removeBucket(ctx context.Context, t testing.TB, client *awss3.Client, name string) {
	pages := awss3.NewListObjectsV2Paginator(client, &awss3.ListObjectsV2Input{Bucket: &name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		require.NoError(t, err)
		for _, object := range page.Contents {
			_, err := client.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: &name, Key: object.Key})
			require.NoError(t, err)
		}
	}
	// MinIO keeps objects that no listing shows, such as those below another one.
	force := awss3.WithAPIOptions(smithyhttp.SetHeaderValue("x-minio-force-delete", "true"))
	_, err := client.DeleteBucket(ctx, &awss3.DeleteBucketInput{Bucket: &name}, force)
	require.NoError(t, err)
}
