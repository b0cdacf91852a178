package stores_test

import (
	"bytes"
	"net/http"
	"testing"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/option"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/backends/azure"
	"github.com/lancecommit/lancecommit/backends/backendtest"
	"github.com/lancecommit/lancecommit/backends/gcs"
	"github.com/lancecommit/lancecommit/backends/s3"
	"github.com/lancecommit/lancecommit/integration/servers"
)

// connections returns an HTTP client that leaves no connection behind the test.
func connections(t testing.TB) *http.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// s3Client is a client as a program has it, with its retries.
func s3Client(t testing.TB, server *servers.Server) *awss3.Client {
	return awss3.New(awss3.Options{
		Region: server.Region, BaseEndpoint: &server.Endpoint, UsePathStyle: true, HTTPClient: connections(t),
		Credentials: credentials.NewStaticCredentialsProvider(server.AccessKey, server.SecretKey, ""),
	})
}

func gcsClient(t testing.TB, server *servers.Server, opts ...option.ClientOption) *storage.Client {
	client, err := storage.NewClient(t.Context(), append([]option.ClientOption{
		option.WithEndpoint(server.ServiceURL()), option.WithoutAuthentication(), option.WithHTTPClient(connections(t)),
	}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	return client
}

func azureClient(t testing.TB, server *servers.Server, name string) *container.Client {
	key, err := container.NewSharedKeyCredential(server.Account, server.AccountKey)
	require.NoError(t, err)
	opts := &container.ClientOptions{}
	opts.Transport = connections(t)
	client, err := container.NewClientWithSharedKeyCredential(server.ServiceURL()+"/"+name, key, opts)
	require.NoError(t, err)
	return client
}

// lay makes an object whatever its key is, such as the marker of a folder.
func lay(t testing.TB, server *servers.Server, bucket, key string, body []byte) {
	t.Helper()
	var err error
	switch server.Kind {
	case servers.FakeGCS:
		w := gcsClient(t, server).Bucket(bucket).Object(key).NewWriter(t.Context())
		_, err = w.Write(body)
		require.NoError(t, err)
		err = w.Close()
	case servers.Azurite:
		_, err = azureClient(t, server, bucket).NewBlockBlobClient(key).UploadBuffer(t.Context(), body, nil)
	default:
		_, err = s3Client(t, server).PutObject(t.Context(), &awss3.PutObjectInput{
			Bucket: aws.String(bucket), Key: aws.String(key), Body: bytes.NewReader(body),
		})
	}
	require.NoError(t, err)
}

// opener opens a bucket of a server with a client of the program's own.
type opener func(t testing.TB, server *servers.Server, bucket string) (all.Store, error)

func onS3(opts ...s3.Option) opener {
	return func(t testing.TB, server *servers.Server, bucket string) (all.Store, error) {
		return s3.New(s3Client(t, server), bucket, opts...)
	}
}

func onGCS(reads option.ClientOption) opener {
	return func(t testing.TB, server *servers.Server, bucket string) (all.Store, error) {
		return gcs.New(gcsClient(t, server, reads), bucket, gcs.Options{})
	}
}

func onAzure(t testing.TB, server *servers.Server, name string) (all.Store, error) {
	return azure.New(azureClient(t, server, name), azure.Options{})
}

func TestAStoreOfAProgramsClientKeepsTheContract(t *testing.T) {
	md5, sha256 := s3.WithChecksum(s3.ChecksumMD5), s3.WithChecksum(s3.ChecksumSHA256)
	for _, tc := range []struct {
		kind servers.Kind
		how  string
		open opener
	}{
		{servers.MinIO, "with MD5", onS3(md5)},
		{servers.MinIO, "with SHA-256", onS3(sha256)},
		{servers.VersityGW, "with MD5", onS3(md5)},
		{servers.VersityGW, "with SHA-256", onS3(sha256)},
		{servers.FakeGCS, "reads through the XML API", onGCS(storage.WithXMLReads())},
		{servers.FakeGCS, "reads through the JSON API", onGCS(storage.WithJSONReads())},
		{servers.Azurite, "with a shared key", onAzure},
	} {
		t.Run(string(tc.kind)+" "+tc.how, func(t *testing.T) {
			server := servers.Require(t, tc.kind)
			backendtest.Run(t, backendtest.Config{Keys: 10, New: func(t testing.TB) backends.Store {
				store, err := tc.open(t, server, server.Bucket(t))
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, store.Close()) })
				return store
			}})
		})
	}
}
