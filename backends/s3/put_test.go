package s3_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/s3"
)

func TestACreateIsOneConditionalPut(t *testing.T) {
	server := serve(t, created)
	attrs, err := put(t.Context(), storeOf(t, server))
	require.NoError(t, err)
	require.Equal(t, backends.Attrs{
		Size: 4, ETag: `"841a2d689ad86bd1611447453c22c6fc"`, VersionID: "v1",
		Modified: time.Date(2026, 11, 29, 17, 0, 0, 0, time.UTC),
	}, attrs)

	r := server.only(t)
	require.Equal(t, "PUT", r.Method)
	require.Equal(t, "/bucket/t/1", r.URL.Path)
	require.Equal(t, "*", r.Header.Get("If-None-Match"))
	require.Equal(t, "50%25-done", r.Header.Get("x-amz-meta-lancecommit"))
	require.EqualValues(t, 4, r.ContentLength)
	require.Equal(t, "body", server.body())
}

// hangUp drops the connection when the request was read.
func hangUp(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// raw answers with these bytes and hangs up.
func raw(answer string) reply {
	return reply{act: func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(conn, answer)
			_ = conn.Close()
		}
	}}
}

const html = `<html><head><title>Sorry</title></head><body>Blocked</body></html>`

// unknown stands for no sentinel at all.
var unknown error

func TestAnAnswerToACreateMeansWhatItProves(t *testing.T) {
	etag := "HTTP/1.1 200 OK\r\nETag: \"e\"\r\n"
	for _, tc := range []struct {
		name  string
		reply reply
		want  error
	}{
		{"400 of S3", s3Error(400, "InvalidArgument", "no"), backends.ErrInvalid},
		{"400 that names the condition", s3Error(400, "InvalidArgument", "If-None-Match is not supported"), backends.ErrUnsupported},
		{"400 of a request that was cut", s3Error(400, "IncompleteBody", "short"), backends.ErrInvalid},
		{"400 of a slow connection", s3Error(400, "RequestTimeout", "slow"), unknown},
		{"400 without a code", reply{status: 400, body: html}, unknown},
		{"400 expired token", s3Error(400, "ExpiredToken", "The provided token has expired"), backends.ErrUnauthenticated},
		{"400 wrong region", s3Error(400, "AuthorizationHeaderMalformed", "expecting 'eu-west-1'"), backends.ErrInvalid},
		{"401 of S3", s3Error(401, "Unauthorized", "who?"), backends.ErrUnauthenticated},
		{"401 without a code", reply{status: 401}, unknown},
		{"403 of S3", s3Error(403, "AccessDenied", "Access Denied"), backends.ErrPermission},
		{"403 of a firewall", reply{status: 403, body: html}, unknown},
		{"403 clock", s3Error(403, "RequestTimeTooSkewed", "skewed"), backends.ErrUnauthenticated},
		{"403 expired token", s3Error(403, "ExpiredToken", "expired"), backends.ErrUnauthenticated},
		{"403 wrong key id", s3Error(403, "InvalidAccessKeyId", "AKIDSECRET is unknown"), backends.ErrUnauthenticated},
		{"403 wrong secret", s3Error(403, "SignatureDoesNotMatch", "Credential=AKIDSECRET"), backends.ErrUnauthenticated},
		{"404 bucket", s3Error(404, "NoSuchBucket", "no bucket"), backends.ErrNoBucket},
		{"404 of versitygw for an access key", s3Error(404, "XAdminUserNotFound", "AKIDSECRET"), backends.ErrUnauthenticated},
		{"404 key", s3Error(404, "NoSuchKey", "no key"), unknown},
		{"404 without a code", reply{status: 404, body: html}, unknown},
		{"405", s3Error(405, "MethodNotAllowed", "no"), unknown},
		{"408", s3Error(408, "RequestTimeout", "slow"), unknown},
		{"409 conflict", s3Error(409, "ConditionalRequestConflict", "again"), backends.ErrContended},
		{"409 aborted", s3Error(409, "OperationAborted", "again"), backends.ErrContended},
		{"409 of a store that keeps files", s3Error(409, "ObjectParentIsFile", "a file is there"), backends.ErrNotStored},
		{"409 of another kind", s3Error(409, "InvalidBucketState", "locked"), unknown},
		{"409 without a code", reply{status: 409}, unknown},
		{"412 of S3", s3Error(412, "PreconditionFailed", "taken"), backends.ErrExists},
		{"412 of a version that somebody else means", s3Error(412, "LeaseHeld", "no"), unknown},
		{"412 without a body", reply{status: 412}, unknown},
		{"412 of a proxy", reply{status: 412, body: html}, unknown},
		{"429 of S3", s3Error(429, "TooManyRequests", "slowly"), backends.ErrThrottled},
		{"429 without a body", reply{status: 429}, unknown},
		{"500", s3Error(500, "InternalError", "sorry"), unknown},
		{"500 without a body", reply{status: 500}, unknown},
		{"500 that names a refusal", s3Error(500, "AccessDenied", "no"), unknown},
		{"501 of S3", s3Error(501, "NotImplemented", "A header you provided implies functionality"), backends.ErrUnsupported},
		{"501 without a body", reply{status: 501}, unknown},
		{"502", reply{status: 502, body: html}, unknown},
		{"503 slow down", s3Error(503, "SlowDown", "slowly"), unknown},
		{"503 too many requests", s3Error(503, "TooManyRequests", "slowly"), unknown},
		{"503 without a body", reply{status: 503}, unknown},
		{"504", reply{status: 504, body: html}, unknown},
		{"301 of S3", s3Error(301, "PermanentRedirect", "there").with("x-amz-bucket-region", "eu-west-1"), backends.ErrInvalid},
		{"301 without a body", reply{status: 301}, unknown},
		{"302 to a page", reply{act: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"e"`)
			if r.Method == http.MethodPut {
				http.Redirect(w, r, "/bucket/other", http.StatusFound)
			}
		}}, unknown},

		{"200 with an error in the body", s3Error(200, "InternalError", "sorry").with("ETag", `"e"`), unknown},
		{"200 of a proxy", reply{status: 200, body: html}, unknown},
		{"200 without an ETag", reply{status: 200}, unknown},
		{"200 whose body is cut", raw(etag + "Content-Length: 5\r\n\r\n"), unknown},
		{"200 whose headers are cut", raw(etag), unknown},
		{"403 whose body is cut", raw("HTTP/1.1 403 Forbidden\r\nContent-Length: 500\r\n\r\n<Error><Code>AccessDenied</Code>"), unknown},
		{"403 whose XML ends early", reply{status: 403, body: "<Error><Code>AccessDenied</Code>"}, unknown},
		{"412 whose body is cut", raw("HTTP/1.1 412 No\r\nContent-Length: 500\r\n\r\n<Error>"), unknown},
		{"no HTTP", raw("220 smtp.example.com\r\n"), unknown},
		{"no answer", reply{act: hangUp}, unknown},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := serve(t, tc.reply)
			_, err := put(t.Context(), storeOf(t, server))
			failed := failure(t, err, "put", "t/1")
			puts := 0
			for _, r := range server.got() {
				if r.Method == http.MethodPut {
					puts++
				}
			}
			require.Equal(t, 1, puts, "PUTs")
			requireOnly(t, err, tc.want)
			if tc.reply.status >= 400 {
				require.Equal(t, tc.reply.status, failed.Status)
			}
		})
	}
}

// sentinels are all that a caller decides on.
var sentinels = []error{
	backends.ErrExists, backends.ErrContended, backends.ErrThrottled, backends.ErrPermission, backends.ErrUnauthenticated,
	backends.ErrNoBucket, backends.ErrInvalid, backends.ErrUnsupported, backends.ErrNotStored, backends.ErrNotExist,
	backends.ErrNotDurable,
}

// requireOnly requires that an error is this sentinel and none of the others.
func requireOnly(t testing.TB, err, want error) {
	t.Helper()
	for _, sentinel := range sentinels {
		require.Equal(t, sentinel == want, errors.Is(err, sentinel), "is %q: %v", sentinel, err)
	}
	require.Equal(t, want != nil, backends.IsDefinite(err) || want == backends.ErrNotExist, "definite: %v", err)
}

func TestACreateIsNeverSentTwiceByTheClient(t *testing.T) {
	for name, p := range map[string]reply{
		"500": s3Error(500, "InternalError", "sorry"), "503": s3Error(503, "SlowDown", "slowly"), "429": {status: 429},
		"reset": {act: hangUp}, "clock": s3Error(403, "RequestTimeTooSkewed", "skewed"),
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, p, s3Error(412, "PreconditionFailed", "taken"))
			// The client is as a program has it: three attempts.
			client := clientOf(server.URL)
			require.NotZero(t, client.Options().Retryer.MaxAttempts())
			store, err := s3.New(client, "bucket")
			require.NoError(t, err)
			_, err = put(t.Context(), store)
			require.NotErrorIs(t, err, backends.ErrExists, "the refusal of a second try would be of our own object")
			require.Len(t, server.got(), 1, "PUTs")
		})
	}
}

func TestTheErrorOfACreateSaysWhatTheStoreSaid(t *testing.T) {
	server := serve(t, s3Error(503, "SlowDown", "Please reduce your rate").with("Retry-After", "7"))
	_, err := put(t.Context(), storeOf(t, server))
	failed := failure(t, err, "put", "t/1")
	require.Equal(t, "SlowDown", failed.Code)
	require.Equal(t, "REQ", failed.RequestID)
	require.Equal(t, 7*time.Second, failed.RetryAfter)
	require.Equal(t, `put "t/1": status 503 SlowDown (request REQ): Please reduce your rate`, err.Error())
}

func TestACreateThatEndsOnItsWayIsUnknown(t *testing.T) {
	arrived := make(chan struct{})
	server := serve(t, reply{act: func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	_, err := put(ctx, storeOf(t, server))
	failure(t, err, "put", "t/1")
	require.ErrorIs(t, err, context.Canceled)
	requireOnly(t, err, unknown)
}

func TestACreateThatCannotHaveArrivedWroteNothing(t *testing.T) {
	free := httptest.NewServer(nil)
	free.Close()
	done := make(chan struct{})
	defer close(done)
	// hanging is a client whose connections are never made.
	hanging := func(o *awss3.Options) {
		o.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			<-done
			return nil, net.ErrClosed
		}}}
	}
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = quiet
	secure.StartTLS()
	defer secure.Close()
	for _, tc := range []struct {
		name     string
		endpoint string
		client   func(*awss3.Options)
		want     error
	}{
		{"nobody listens", free.URL, nil, backends.ErrNotStored},
		{"no such host", "http://no-such-host.invalid", nil, backends.ErrNotStored},
		{"a certificate that nobody knows", secure.URL, nil, backends.ErrNotStored},
		{"the context ends before there is a connection", "http://127.0.0.1:1", hanging, backends.ErrNotStored},
		{"no credentials", free.URL, func(o *awss3.Options) {
			o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{}, errors.New("no role on this machine")
			})
		}, backends.ErrUnauthenticated},
		{"no region", free.URL, func(o *awss3.Options) { o.Region = "" }, backends.ErrNotStored},
	} {
		for _, bucket := range []string{"bucket", directory} {
			t.Run(tc.name+" for "+bucket, func(t *testing.T) {
				client := clientOf(tc.endpoint)
				if tc.client != nil {
					client = clientOf(tc.endpoint, tc.client)
				}
				store, err := s3.New(client, bucket)
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err = put(ctx, store)
				failure(t, err, "put", "t/1")
				requireOnly(t, err, tc.want)
			})
		}
	}
}

// A client of the program's own may do what it likes, and proves nothing.
func TestAnErrorOfAnHTTPClientThatTracesNothingIsUnknown(t *testing.T) {
	store, err := s3.New(clientOf("http://127.0.0.1:1", func(o *awss3.Options) {
		o.HTTPClient = clientFunc(func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("refused, the second time")}
		})
	}), "bucket")
	require.NoError(t, err)
	_, err = put(t.Context(), store)
	requireOnly(t, err, unknown)
}

type clientFunc func(*http.Request) (*http.Response, error)

func (f clientFunc) Do(r *http.Request) (*http.Response, error) { return f(r) }

func TestTheBodyOfACreateIsReadNoMoreWhenItReturned(t *testing.T) {
	body := make([]byte, 8<<20)
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		server := serve(t, created)
		server.Config.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel() })
		_, err := storeOf(t, server).PutIfAbsent(ctx, "t/1", body, backends.PutOptions{})
		require.Error(t, err)
		clear(body) // the race detector sees a reader
	}
}
