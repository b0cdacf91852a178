package servers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// forEach runs test on every server that is chosen.
func forEach(t *testing.T, test func(t *testing.T, ctx context.Context, s *Server)) {
	for _, kind := range Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			s := Require(t, kind)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			test(t, ctx, s)
		})
	}
}

func TestAKeyIsCreatedOnceAndItsFirstBodyStays(t *testing.T) {
	forEach(t, func(t *testing.T, ctx context.Context, s *Server) {
		bucket := s.Bucket(t)
		status, err := s.create(ctx, bucket, "t.lance/_versions/1.manifest", "first")
		require.NoError(t, err)
		require.Contains(t, []int{200, 201}, status)

		status, err = s.create(ctx, bucket, "t.lance/_versions/1.manifest", "second")
		require.NoError(t, err)
		require.Equal(t, map[Kind]int{MinIO: 412, VersityGW: 412, FakeGCS: 412, Azurite: 409}[s.Kind], status)

		body, err := s.read(ctx, bucket, "t.lance/_versions/1.manifest")
		require.NoError(t, err)
		require.Equal(t, "first", body)
	})
}

func TestEachTestHasABucketOfItsOwn(t *testing.T) {
	forEach(t, func(t *testing.T, ctx context.Context, s *Server) {
		for range 2 {
			status, err := s.create(ctx, s.Bucket(t), "key", "body")
			require.NoError(t, err)
			require.Contains(t, []int{200, 201}, status)
		}
	})
}

func TestAForgottenBucketOfAzuriteIsGone(t *testing.T) {
	forEach(t, func(t *testing.T, ctx context.Context, s *Server) {
		bucket := s.Bucket(t)
		_, err := s.create(ctx, bucket, "key", "body")
		require.NoError(t, err)
		for range 2 {
			require.NoError(t, s.Forget(ctx, bucket))
		}
		status, err := s.create(ctx, bucket, "another key", "body")
		require.NoError(t, err)
		if s.Kind == Azurite {
			require.Equal(t, 404, status)
		} else {
			require.Contains(t, []int{200, 201}, status)
		}
	})
}

func TestTestsShareOneServer(t *testing.T) {
	forEach(t, func(t *testing.T, _ context.Context, s *Server) {
		require.Same(t, s, Require(t, s.Kind))
	})
}

func TestServersTakeAProxysRequestsAndItCountsThem(t *testing.T) {
	forEach(t, func(t *testing.T, ctx context.Context, s *Server) {
		p := StartProxy(t, s.Endpoint)
		through := s.At(p.Endpoint)
		bucket := through.Bucket(t)
		require.Empty(t, p.Requests(), "a bucket is made beside the proxy")

		key := "exp%2Fone 1+é.manifest"
		for range 2 {
			_, err := through.create(ctx, bucket, key, "body")
			require.NoError(t, err)
		}
		body, err := through.read(ctx, bucket, key)
		require.NoError(t, err)
		require.Equal(t, "body", body)
		require.Equal(t, map[string]int{"PUT": 2, "GET": 1}, p.Operations())
	})
}

func TestADroppedReplyHidesAWriteThatIsThere(t *testing.T) {
	forEach(t, func(t *testing.T, ctx context.Context, s *Server) {
		p := StartProxy(t, s.Endpoint)
		p.SetFault(func(Request) Fault { return Fault{DropReply: true} })
		bucket := s.Bucket(t)
		_, err := s.At(p.Endpoint).create(ctx, bucket, "key", "body")
		require.ErrorIs(t, err, io.EOF)
		require.Len(t, p.Requests(), 1, "the clients of these tests try once")
		body, err := s.read(ctx, bucket, "key")
		require.NoError(t, err)
		require.Equal(t, "body", body)
	})
}

// create makes a key in one request that is refused when the key is there, and
// returns the status of the answer.
func (s *Server) create(ctx context.Context, bucket, key, body string) (status int, err error) {
	client := oneShotClient()
	switch s.Kind {
	case Azurite:
		azure, err := s.azureClient(client)
		if err != nil {
			return 0, err
		}
		blobs := azure.ServiceClient().NewContainerClient(bucket).NewBlockBlobClient(key)
		_, err = blobs.Upload(ctx, readSeekNopCloser{bytes.NewReader([]byte(body))}, &blockblob.UploadOptions{
			AccessConditions: &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfNoneMatch: to.Ptr(azcore.ETagAny)}},
		})
		if refused := (*azcore.ResponseError)(nil); errors.As(err, &refused) {
			return refused.StatusCode, nil
		}
		return 201, err
	case FakeGCS:
		return s.createGCS(ctx, client, bucket, key, body)
	default:
		_, err := s.s3Client(client).PutObject(ctx, &s3.PutObjectInput{
			Bucket: aws.String(bucket), Key: aws.String(key), Body: bytes.NewReader([]byte(body)), IfNoneMatch: aws.String("*"),
		}, func(o *s3.Options) { o.RetryMaxAttempts = 1 })
		if refused := (*smithyhttp.ResponseError)(nil); errors.As(err, &refused) && refused.HTTPStatusCode() != 0 {
			return refused.HTTPStatusCode(), nil
		}
		return 200, err
	}
}

func (s *Server) createGCS(ctx context.Context, client *http.Client, bucket, key, body string) (status int, err error) {
	var content bytes.Buffer
	parts := multipart.NewWriter(&content)
	for _, part := range []struct{ mediaType, body string }{
		{"application/json", fmt.Sprintf(`{"name":%q}`, key)}, {"application/octet-stream", body},
	} {
		w, err := parts.CreatePart(textproto.MIMEHeader{"Content-Type": {part.mediaType}})
		if err != nil {
			return 0, err
		}
		io.WriteString(w, part.body)
	}
	parts.Close()
	address := s.Endpoint + "/upload/storage/v1/b/" + bucket + "/o?uploadType=multipart&ifGenerationMatch=0"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, &content)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "multipart/related; boundary="+parts.Boundary())
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}

func (s *Server) read(ctx context.Context, bucket, key string) (body string, err error) {
	client := oneShotClient()
	var content io.ReadCloser
	switch s.Kind {
	case Azurite:
		azure, err := s.azureClient(client)
		if err != nil {
			return "", err
		}
		answer, err := azure.DownloadStream(ctx, bucket, key, nil)
		if err != nil {
			return "", err
		}
		content = answer.Body
	case FakeGCS:
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.ServiceURL()+"b/"+bucket+"/o/"+url.PathEscape(key)+"?alt=media", nil)
		if err != nil {
			return "", err
		}
		answer, err := client.Do(request)
		if err != nil {
			return "", err
		}
		content = answer.Body
	default:
		answer, err := s.s3Client(client).GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String(key)})
		if err != nil {
			return "", err
		}
		content = answer.Body
	}
	defer content.Close()
	read, err := io.ReadAll(content)
	return string(read), err
}

type readSeekNopCloser struct{ io.ReadSeeker }

func (readSeekNopCloser) Close() error { return nil }
