package s3_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	transport "github.com/aws/smithy-go/endpoints"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/s3"
)

const directory = "x--use1-az4--x-s3"

// session is the answer to a CreateSession.
func session(token string, valid time.Duration) reply {
	return reply{status: 200, body: fmt.Sprintf(`<CreateSessionResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Credentials>`+
		`<SessionToken>%s</SessionToken><SecretAccessKey>TOPSECRET</SecretAccessKey><AccessKeyId>AKIDSECRET</AccessKeyId>`+
		`<Expiration>%s</Expiration></Credentials></CreateSessionResult>`, token, time.Now().Add(valid).UTC().Format(time.RFC3339))}
}

// directoryOf returns the store of a directory bucket, with sessions. The client
// retries as the SDK does, and pauses shortly.
func directoryOf(t testing.TB, endpoint string, more ...func(*awss3.Options)) *s3.Store {
	shortly := func(o *awss3.Options) {
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Millisecond })
	}
	store, err := s3.New(clientOf(endpoint, append(more, shortly)...), directory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// shown says what the requests were: "session", or the method and the session
// that it was signed with.
func (s *server) shown() (shown []string) {
	for _, r := range s.got() {
		if r.URL.Query().Has("session") {
			shown = append(shown, "session")
			continue
		}
		shown = append(shown, r.Method+" "+r.Header.Get("x-amz-s3session-token"))
	}
	return shown
}

func TestACreateInADirectoryBucketIsSignedWithASession(t *testing.T) {
	head := func(ctx context.Context, store *s3.Store) error { return wire["head"](ctx, store) }
	create := func(ctx context.Context, store *s3.Store) error { return wire["put"](ctx, store) }
	marked := object.with("x-amz-request-id", "REQ")
	for _, tc := range []struct {
		name    string
		replies []reply
		calls   []func(context.Context, *s3.Store) error
		want    []string
	}{
		{"which is asked for", []reply{session("one", time.Hour), created},
			[]func(context.Context, *s3.Store) error{create}, []string{"session", "PUT one"}},
		{"which is kept", []reply{session("one", time.Hour), created, created},
			[]func(context.Context, *s3.Store) error{create, create}, []string{"session", "PUT one", "PUT one"}},
		{"which a read may have asked for", []reply{session("one", time.Hour), marked, created},
			[]func(context.Context, *s3.Store) error{head, create}, []string{"session", "HEAD one", "PUT one"}},
		{"which a read may use", []reply{session("one", time.Hour), created, marked},
			[]func(context.Context, *s3.Store) error{create, head}, []string{"session", "PUT one", "HEAD one"}},
		{"which is asked for again when it has expired",
			[]reply{session("one", -time.Second), created, session("two", time.Hour), created},
			[]func(context.Context, *s3.Store) error{create, create}, []string{"session", "PUT one", "session", "PUT two"}},
		{"which is a read, and retried",
			[]reply{s3Error(503, "SlowDown", "slowly"), {act: hangUp}, session("one", time.Hour), created},
			[]func(context.Context, *s3.Store) error{create}, []string{"session", "session", "session", "PUT one"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := serve(t, tc.replies...)
			store := directoryOf(t, server.URL)
			for _, call := range tc.calls {
				require.NoError(t, call(t.Context(), store))
			}
			require.Equal(t, tc.want, server.shown())
			for _, r := range server.got() {
				require.Equal(t, r.Method == http.MethodPut, r.Header.Get("If-None-Match") == "*", r.Method)
			}
		})
	}
}

func TestWithoutASessionNothingIsSent(t *testing.T) {
	for _, tc := range []struct {
		name  string
		reply reply
		// create is what a create says, which is always definite. Other calls
		// say the same where it has a name.
		create error
	}{
		{"400", s3Error(400, "InvalidRequest", "no"), backends.ErrInvalid},
		{"403", s3Error(403, "AccessDenied", "no"), backends.ErrPermission},
		{"403 of a firewall", reply{status: 403, body: html}, backends.ErrPermission},
		{"403 wrong key id", s3Error(403, "InvalidAccessKeyId", "AKIDSECRET is unknown"), backends.ErrUnauthenticated},
		{"400 expired token", s3Error(400, "ExpiredToken", "expired"), backends.ErrUnauthenticated},
		{"404 bucket", s3Error(404, "NoSuchBucket", "no bucket"), backends.ErrNoBucket},
		{"404 key", s3Error(404, "NoSuchKey", "no key"), backends.ErrNotStored},
		{"404 without a code", reply{status: 404}.with("x-amz-request-id", "REQ"), backends.ErrNotStored},
		{"412", s3Error(412, "PreconditionFailed", "no"), backends.ErrNotStored},
		{"429", s3Error(429, "TooManyRequests", "slowly"), backends.ErrThrottled},
		{"500", s3Error(500, "InternalError", "sorry"), backends.ErrNotStored},
		{"501", s3Error(501, "NotImplemented", "no sessions"), backends.ErrUnsupported},
		{"503", s3Error(503, "SlowDown", "slowly"), backends.ErrNotStored},
		{"503 without a body", reply{status: 503}, backends.ErrNotStored},
		{"301", s3Error(301, "PermanentRedirect", "there"), backends.ErrInvalid},
		{"200 with a listing", reply{status: 200, body: emptyPage}, backends.ErrNotStored},
		{"200 of a proxy", reply{status: 200, body: html}, backends.ErrNotStored},
		{"an answer that is cut", raw("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n<CreateSessionResult>"), backends.ErrNotStored},
		{"no answer", reply{act: hangUp}, backends.ErrNotStored},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for op, call := range wire {
				server := serve(t, tc.reply)
				err := call(t.Context(), directoryOf(t, server.URL))
				failed := failure(t, err, op, "t/1")
				require.NotContains(t, err.Error(), "cannot create conditionally")
				for _, request := range server.shown() {
					require.Equal(t, "session", request, op)
				}
				if tc.reply.status >= 400 {
					require.Equal(t, tc.reply.status, failed.Status, op)
				}
				want := tc.create
				if op != "put" && want == backends.ErrNotStored {
					want = unknown
				}
				requireOnly(t, err, want)
			}
		})
	}
}

func TestACreateThatEndsBeforeItHasASessionWroteNothing(t *testing.T) {
	arrived := make(chan struct{}, 1)
	server := serve(t, reply{act: func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	_, err := put(ctx, directoryOf(t, server.URL))
	failure(t, err, "put", "t/1")
	require.ErrorIs(t, err, context.Canceled)
	requireOnly(t, err, backends.ErrNotStored)
	require.Equal(t, []string{"session"}, server.shown())
}

func TestASessionProvesNothingOfACreate(t *testing.T) {
	for name, lost := range map[string]reply{
		"no answer":           {act: hangUp},
		"503":                 s3Error(503, "SlowDown", "slowly"),
		"403 of a firewall":   {status: 403, body: html},
		"200 of a proxy":      {status: 200, body: html},
		"302 to another page": {status: 302, header: map[string]string{"Location": "/" + directory + "/other"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, session("one", time.Hour), lost, created)
			_, err := put(t.Context(), directoryOf(t, server.URL))
			failure(t, err, "put", "t/1")
			requireOnly(t, err, unknown)
			require.Equal(t, []string{"session", "PUT one"}, server.shown()[:2])
		})
	}
}

// provider gives sessions. It counts how often it is asked.
type provider struct {
	asked atomic.Int32
	give  func(asked int32) error
}

func (p *provider) Retrieve(context.Context, string) (aws.Credentials, error) {
	if err := p.give(p.asked.Add(1)); err != nil {
		return aws.Credentials{}, err
	}
	return aws.Credentials{AccessKeyID: "AKIDSECRET", SecretAccessKey: "TOPSECRET", SessionToken: "own"}, nil
}

// The SDK asks for one session on behalf of all calls that wait for it.
func TestACallThatEndsDoesNotEndThoseThatWaitForTheSameSession(t *testing.T) {
	ended := &smithy.OperationError{Err: &smithy.CanceledError{Err: context.Canceled}}
	for _, tc := range []struct {
		name  string
		give  func(asked int32) error
		asked int32
		want  []string
	}{
		{"the next has it", func(asked int32) error {
			if asked == 1 {
				return ended
			}
			return nil
		}, 2, []string{"PUT own"}},
		{"all others end, too", func(int32) error { return ended }, 3, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := serve(t, created)
			own := &provider{give: tc.give}
			_, err := put(t.Context(), directoryOf(t, server.URL, func(o *awss3.Options) { o.ExpressCredentials = own }))
			require.Equal(t, tc.asked, own.asked.Load())
			require.Equal(t, tc.want, server.shown())
			if tc.want == nil {
				requireOnly(t, err, backends.ErrNotStored)
				return
			}
			require.NoError(t, err)
		})
	}
}

func TestADirectoryBucketTakesNoAnonymousRequests(t *testing.T) {
	server := serve(t, created)
	store := directoryOf(t, server.URL, func(o *awss3.Options) { o.Credentials = aws.AnonymousCredentials{} })
	for op, call := range wire {
		err := call(t.Context(), store)
		failure(t, err, op, "t/1")
		requireOnly(t, err, backends.ErrInvalid)
	}
	require.Empty(t, server.got())
}

// renamed is a resolver that a program may have, after which the SDK wants a
// session for a bucket whose name does not say so.
type renamed struct{ awss3.EndpointResolverV2 }

func (r renamed) ResolveEndpoint(ctx context.Context, p awss3.EndpointParameters) (transport.Endpoint, error) {
	p.Bucket = aws.String(directory)
	return r.EndpointResolverV2.ResolveEndpoint(ctx, p)
}

func TestOnlyTheCreateIsWatchedWhateverTheSDKSendsForIt(t *testing.T) {
	server := serve(t, session("one", time.Hour), created)
	store, err := s3.New(clientOf(server.URL, func(o *awss3.Options) {
		o.EndpointResolverV2 = renamed{o.EndpointResolverV2}
	}), "bucket")
	require.NoError(t, err)
	_, err = put(t.Context(), store)
	require.NoError(t, err)
	require.Equal(t, []string{"session", "PUT one"}, server.shown())
}
