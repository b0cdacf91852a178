package bench_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/stretchr/testify/require"
	gocloud "gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcp"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/integration/servers"
)

// A raw bucket is the SDK alone: each call is one request, in one attempt, with
// no checks around it.
type raw interface {
	// create makes an object that is not there, with metadata unless that is
	// empty.
	create(ctx context.Context, key string, body []byte, metadata string) error
	// list asks for the first 8 keys below a prefix.
	list(ctx context.Context, prefix string) error
	// head asks for an object that is not there.
	head(ctx context.Context, key string) error
	get(ctx context.Context, key string) error
	remove(ctx context.Context, key string) error
	// portable is the bucket as gocloud.dev/blob has it.
	portable(b *testing.B) *gocloud.Bucket
}

// eight is the size of the listing that finds the latest version.
const eight = 8

// rawBucket opens a bucket of a server with its SDK.
func rawBucket(b *testing.B, server *servers.Server, bucket string) raw {
	b.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	b.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport}
	switch server.Kind {
	case servers.FakeGCS:
		// With the SDK's own transport, as everybody has it, and without its spans,
		// which this module leaves out.
		gcs, err := storage.NewClient(b.Context(), option.WithEndpoint(server.ServiceURL()), option.WithoutAuthentication(),
			option.WithTelemetryDisabled(), storage.WithJSONReads())
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, gcs.Close()) })
		gcs.SetRetry(storage.WithPolicy(storage.RetryNever))
		return rawGCS{gcs, gcs.Bucket(bucket), server, bucket, client}
	case servers.Azurite:
		key, err := container.NewSharedKeyCredential(server.Account, server.AccountKey)
		require.NoError(b, err)
		opts := &container.ClientOptions{}
		opts.Transport = client
		opts.Retry = policy.RetryOptions{MaxRetries: -1}
		azure, err := container.NewClientWithSharedKeyCredential(server.ServiceURL()+"/"+bucket, key, opts)
		require.NoError(b, err)
		return rawAzure{azure}
	default:
		return rawS3{bucket, awss3.New(awss3.Options{
			Region: server.Region, BaseEndpoint: &server.Endpoint, UsePathStyle: true, HTTPClient: client,
			Credentials:      credentials.NewStaticCredentialsProvider(server.AccessKey, server.SecretKey, ""),
			RetryMaxAttempts: 1,
			// Without these the SDK does more, and the comparison would flatter.
			RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
			ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
		})}
	}
}

type rawS3 struct {
	bucket string
	client *awss3.Client
}

func (r rawS3) create(ctx context.Context, key string, body []byte, metadata string) error {
	_, err := r.client.PutObject(ctx, &awss3.PutObjectInput{
		Bucket: &r.bucket, Key: &key, Body: bytes.NewReader(body), IfNoneMatch: aws.String("*"), Metadata: entry(metadata),
	})
	return err
}

func (r rawS3) list(ctx context.Context, prefix string) error {
	_, err := r.client.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{
		Bucket: &r.bucket, Prefix: &prefix, Delimiter: aws.String("/"), MaxKeys: aws.Int32(eight),
	})
	return err
}

// page asks for 1,000 keys behind one.
func (r rawS3) page(ctx context.Context, prefix, after string) error {
	_, err := r.client.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{
		Bucket: &r.bucket, Prefix: &prefix, Delimiter: aws.String("/"), StartAfter: &after,
	})
	return err
}

func (r rawS3) head(ctx context.Context, key string) error {
	_, err := r.client.HeadObject(ctx, &awss3.HeadObjectInput{Bucket: &r.bucket, Key: &key})
	if absent := (*types.NotFound)(nil); errors.As(err, &absent) {
		return nil
	}
	return errors.Join(err, errPresent(err))
}

func (r rawS3) get(ctx context.Context, key string) error {
	out, err := r.client.GetObject(ctx, &awss3.GetObjectInput{Bucket: &r.bucket, Key: &key})
	if err != nil {
		return err
	}
	defer out.Body.Close()
	_, err = io.Copy(io.Discard, out.Body)
	return err
}

func (r rawS3) remove(ctx context.Context, key string) error {
	_, err := r.client.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: &r.bucket, Key: &key})
	return err
}

func (r rawS3) portable(b *testing.B) *gocloud.Bucket {
	bucket, err := s3blob.OpenBucket(b.Context(), r.client, r.bucket, nil)
	require.NoError(b, err)
	return bucket
}

type rawGCS struct {
	client *storage.Client
	bucket *storage.BucketHandle
	server *servers.Server
	name   string
	http   *http.Client
}

func (r rawGCS) create(ctx context.Context, key string, body []byte, metadata string) error {
	w := r.bucket.Object(key).If(storage.Conditions{DoesNotExist: true}).NewWriter(ctx)
	w.ChunkSize = 0
	w.Metadata = entry(metadata)
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Close()
}

func (r rawGCS) list(ctx context.Context, prefix string) error {
	objects := r.bucket.Objects(ctx, &storage.Query{Prefix: prefix, Delimiter: "/"})
	_, err := iterator.NewPager(objects, eight, "").NextPage(&[]*storage.ObjectAttrs{})
	return err
}

func (r rawGCS) head(ctx context.Context, key string) error {
	_, err := r.bucket.Object(key).Attrs(ctx)
	if errors.Is(err, storage.ErrObjectNotExist) {
		return nil
	}
	return errors.Join(err, errPresent(err))
}

func (r rawGCS) get(ctx context.Context, key string) error {
	in, err := r.bucket.Object(key).NewReader(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(io.Discard, in)
	return err
}

func (r rawGCS) remove(ctx context.Context, key string) error {
	return r.bucket.Object(key).Delete(ctx)
}

func (r rawGCS) portable(b *testing.B) *gocloud.Bucket {
	bucket, err := gcsblob.OpenBucket(b.Context(), &gcp.HTTPClient{Client: *r.http}, r.name, &gcsblob.Options{
		ClientOptions: []option.ClientOption{option.WithEndpoint(r.server.ServiceURL()), storage.WithJSONReads()},
	})
	require.NoError(b, err)
	return bucket
}

type rawAzure struct{ container *container.Client }

func (r rawAzure) create(ctx context.Context, key string, body []byte, metadata string) error {
	pointers := make(map[string]*string)
	for name, value := range entry(metadata) {
		pointers[name] = &value
	}
	_, err := r.container.NewBlockBlobClient(key).Upload(ctx, nopCloser{bytes.NewReader(body)}, &blockblob.UploadOptions{
		Metadata: pointers,
		AccessConditions: &blob.AccessConditions{
			ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfNoneMatch: to.Ptr(azcore.ETagAny)},
		},
	})
	return err
}

func (r rawAzure) list(ctx context.Context, prefix string) error {
	_, err := r.container.NewListBlobsHierarchyPager("/", &container.ListBlobsHierarchyOptions{
		Prefix: &prefix, MaxResults: to.Ptr(int32(eight)),
	}).NextPage(ctx)
	return err
}

func (r rawAzure) head(ctx context.Context, key string) error {
	_, err := r.container.NewBlobClient(key).GetProperties(ctx, nil)
	if bloberror.HasCode(err, bloberror.BlobNotFound) {
		return nil
	}
	return errors.Join(err, errPresent(err))
}

func (r rawAzure) get(ctx context.Context, key string) error {
	out, err := r.container.NewBlobClient(key).DownloadStream(ctx, nil)
	if err != nil {
		return err
	}
	defer out.Body.Close()
	_, err = io.Copy(io.Discard, out.Body)
	return err
}

func (r rawAzure) remove(ctx context.Context, key string) error {
	_, err := r.container.NewBlobClient(key).Delete(ctx, nil)
	return err
}

func (r rawAzure) portable(b *testing.B) *gocloud.Bucket {
	bucket, err := azureblob.OpenBucket(b.Context(), r.container, nil)
	require.NoError(b, err)
	return bucket
}

// entry is metadata as the SDKs take it.
func entry(metadata string) map[string]string {
	if metadata == "" {
		return nil
	}
	return map[string]string{backends.MetadataName: metadata}
}

// errPresent says that a name that was to be free is taken.
func errPresent(err error) error {
	if err == nil {
		return errors.New("the object is there")
	}
	return nil
}

type nopCloser struct{ *bytes.Reader }

func (nopCloser) Close() error { return nil }
