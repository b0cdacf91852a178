package s3_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/s3"
)

// secrets must be in no error. Nor must the queries of URLs, which can carry some.
var secrets = []string{"AKIDSECRET", "TOPSECRET", "SESSIONSECRET", "Signature=", "Credential=", "x-id="}

// A reply is what a server answers to one request.
type reply struct {
	status int
	body   string
	header map[string]string
	// act replaces the answer.
	act func(w http.ResponseWriter, r *http.Request)
}

func (p reply) with(name, value string) reply {
	p.header = maps.Clone(p.header)
	if p.header == nil {
		p.header = make(map[string]string)
	}
	p.header[name] = value
	return p
}

// s3Error is an error as S3 answers it.
func s3Error(status int, code, message string) reply {
	return reply{status: status, body: fmt.Sprintf(
		`<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>%s</Message><RequestId>REQ</RequestId></Error>`,
		code, message)}
}

// A server answers from a script, the last reply for ever, and keeps what it got.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	replies  []reply
	requests []*http.Request
	bodies   []string
}

func serve(t testing.TB, replies ...reply) *server {
	s := &server{replies: replies}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.requests, s.bodies = append(s.requests, r), append(s.bodies, string(body))
	p := s.replies[min(len(s.requests), len(s.replies))-1]
	s.mu.Unlock()
	for name, value := range p.header {
		w.Header().Set(name, value)
	}
	if p.act != nil {
		p.act(w, r)
		return
	}
	w.WriteHeader(p.status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, p.body)
	}
}

// got returns the requests that came.
func (s *server) got() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// body returns the content of the first request.
func (s *server) body() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies[0]
}

// only returns the one request that came.
func (s *server) only(t testing.TB) *http.Request {
	t.Helper()
	requests := s.got()
	require.Len(t, requests, 1)
	return requests[0]
}

// clientOf has the SDK's defaults, retries included, but for their pauses.
func clientOf(endpoint string, more ...func(*awss3.Options)) *awss3.Client {
	return awss3.New(awss3.Options{
		Region:       "us-east-1",
		BaseEndpoint: aws.String(endpoint),
		UsePathStyle: true,
		Credentials:  credentials.NewStaticCredentialsProvider("AKIDSECRET", "TOPSECRET", "SESSIONSECRET"),
		HTTPClient:   &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	}, more...)
}

func storeOf(t testing.TB, s *server, opts ...s3.Option) *s3.Store {
	store, err := s3.New(clientOf(s.URL), "bucket", opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// failure requires a *backends.Error that names the call and gives away nothing.
func failure(t testing.TB, err error, op, key string) *backends.Error {
	t.Helper()
	var failed *backends.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, op, failed.Op)
	require.Equal(t, key, failed.Key)
	for _, secret := range secrets {
		require.NotContains(t, err.Error(), secret)
	}
	return failed
}

func put(ctx context.Context, store backends.Store) (backends.Attrs, error) {
	return store.PutIfAbsent(ctx, "t/1", []byte("body"), backends.PutOptions{Metadata: "50%25-done"})
}

// wire calls each method once.
var wire = map[string]func(ctx context.Context, store *s3.Store) error{
	"get":  func(ctx context.Context, store *s3.Store) error { _, _, err := store.Get(ctx, "t/1"); return err },
	"head": func(ctx context.Context, store *s3.Store) error { _, err := store.Head(ctx, "t/1"); return err },
	"list": func(ctx context.Context, store *s3.Store) error {
		_, err := store.List(ctx, backends.ListInput{Prefix: "t/1"})
		return err
	},
	"delete":     func(ctx context.Context, store *s3.Store) error { return store.Delete(ctx, "t/1") },
	"overwrite":  func(ctx context.Context, store *s3.Store) error { return store.Overwrite(ctx, "t/1", []byte("body")) },
	"bulkdelete": func(ctx context.Context, store *s3.Store) error { return store.BulkDelete(ctx, []string{"t/1"}) },
	"put":        func(ctx context.Context, store *s3.Store) error { _, err := put(ctx, store); return err },
}

// created is the answer to a create that did it.
var created = reply{status: 200, header: map[string]string{
	"ETag": `"841a2d689ad86bd1611447453c22c6fc"`, "x-amz-version-id": "v1", "Date": "Sun, 29 Nov 2026 17:00:00 GMT",
}}
