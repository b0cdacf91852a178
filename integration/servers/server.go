package servers

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// A Server is where a server listens, and what it lets in. It is safe for
// concurrent use as long as nobody changes its fields.
type Server struct {
	Kind     Kind
	Endpoint string // http://127.0.0.1:PORT

	// S3. Buckets are in the path, not in the host name.
	AccessKey, SecretKey, Region string

	// Azure. The key is in base64.
	Account, AccountKey string

	direct  string // the server's own endpoint
	process *process
}

// At returns s with another endpoint, such as that of a Proxy in front of it.
func (s *Server) At(endpoint string) *Server {
	at := *s
	at.Endpoint = endpoint
	return &at
}

// ServiceURL is what an SDK's client is given as its endpoint: Endpoint on S3,
// the account below it on Azure, the base of the JSON API on GCS.
func (s *Server) ServiceURL() string {
	switch s.Kind {
	case Azurite:
		return s.Endpoint + "/" + s.Account
	case FakeGCS:
		return s.Endpoint + "/storage/v1/"
	default:
		return s.Endpoint
	}
}

// URI is the address of a bucket for Lance: s3://, az:// or gs://.
func (s *Server) URI(bucket string) string {
	switch s.Kind {
	case Azurite:
		return "az://" + bucket
	case FakeGCS:
		return "gs://" + bucket
	default:
		return "s3://" + bucket
	}
}

// StorageOptions are the options that LanceDB takes to reach s at Endpoint. They
// are nil for fake-gcs-server, to which LanceDB cannot write.
func (s *Server) StorageOptions() map[string]string {
	switch s.Kind {
	case MinIO, VersityGW:
		return map[string]string{
			"aws_endpoint":          s.Endpoint,
			"aws_access_key_id":     s.AccessKey,
			"aws_secret_access_key": s.SecretKey,
			"aws_region":            s.Region,
			"allow_http":            "true",
		}
	case Azurite:
		return map[string]string{
			"azure_storage_account_name": s.Account,
			"azure_storage_account_key":  s.AccountKey,
			"azure_storage_endpoint":     s.ServiceURL(),
			"allow_http":                 "true",
		}
	default:
		return nil
	}
}

// buckets counts the buckets that this test binary made.
var buckets atomic.Int64

// Bucket makes a bucket, on Azure a container, that no other test has, and
// returns its name. It asks the server itself also where Endpoint is a proxy's.
func (s *Server) Bucket(t testing.TB) (name string) {
	t.Helper()
	name = fmt.Sprintf("test-bucket-%d", buckets.Add(1))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := s.At(s.direct).makeBucket(ctx, name); err != nil {
		t.Fatalf("make the bucket %s on %s: %v", name, s.Kind.title(), err)
	}
	return name
}

func (s *Server) makeBucket(ctx context.Context, name string) error {
	client := oneShotClient()
	switch s.Kind {
	case Azurite:
		azure, err := s.azureClient(client)
		if err != nil {
			return err
		}
		_, err = azure.CreateContainer(ctx, name, nil)
		return err
	case FakeGCS:
		return s.makeGCSBucket(ctx, client, name)
	default:
		_, err := s.s3Client(client).CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String(name)})
		return err
	}
}

// Forget removes a bucket that nobody needs any more, with all that is in it, where
// it would slow down the server: for a LIST, Azurite looks at each blob of all
// containers. The other servers keep it. That it is gone already is no error.
func (s *Server) Forget(ctx context.Context, bucket string) error {
	if s.Kind != Azurite {
		return nil
	}
	azure, err := s.azureClient(oneShotClient())
	if err != nil {
		return err
	}
	_, err = azure.DeleteContainer(ctx, bucket, nil)
	if bloberror.HasCode(err, bloberror.ContainerNotFound) {
		return nil
	}
	return err
}

// oneShotClient keeps no connection, and so no goroutine after its request.
func oneShotClient() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}

func (s *Server) s3Client(client *http.Client) *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint:               aws.String(s.ServiceURL()),
		Region:                     s.Region,
		Credentials:                credentials.NewStaticCredentialsProvider(s.AccessKey, s.SecretKey, ""),
		UsePathStyle:               true,
		HTTPClient:                 client,
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
	})
}

func (s *Server) azureClient(client *http.Client) (*azblob.Client, error) {
	credential, err := azblob.NewSharedKeyCredential(s.Account, s.AccountKey)
	if err != nil {
		return nil, err
	}
	options := &azblob.ClientOptions{}
	options.Transport = client
	options.Retry.MaxRetries = -1 // one attempt
	return azblob.NewClientWithSharedKeyCredential(s.ServiceURL(), credential, options)
}

func (s *Server) makeGCSBucket(ctx context.Context, client *http.Client, name string) error {
	body := strings.NewReader(fmt.Sprintf(`{"name":%q}`, name))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.ServiceURL()+"b?project=test", body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("HTTP status %s", answer.Status)
	}
	return nil
}
