package s3_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/s3"
)

var object = reply{status: 200, body: "body", header: map[string]string{
	"ETag": `"e"`, "x-amz-version-id": "v1", "x-amz-meta-lancecommit": "50%25-done", "Content-Length": "4",
	"Last-Modified": "Sun, 29 Nov 2026 17:00:00 GMT",
}}

var attrs = backends.Attrs{
	Size: 4, ETag: `"e"`, VersionID: "v1", Metadata: "50%25-done", Modified: time.Date(2026, 11, 29, 17, 0, 0, 0, time.UTC),
}

func TestReadsTellWhatTheStoreKnows(t *testing.T) {
	server := serve(t, object)
	store := storeOf(t, server)
	body, got, err := store.Get(t.Context(), "t/1")
	require.NoError(t, err)
	require.Equal(t, "body", string(body))
	require.Equal(t, attrs, got)
	got, err = store.Head(t.Context(), "t/1")
	require.NoError(t, err)
	require.Equal(t, attrs, got)
	require.Len(t, server.got(), 2)
}

func TestAnObjectThatIsTooLargeIsNotRead(t *testing.T) {
	store := storeOf(t, serve(t, object))
	body, _, err := store.Get(backends.WithReadLimit(t.Context(), 4), "t/1")
	require.NoError(t, err)
	require.Equal(t, "body", string(body))
	_, _, err = store.Get(backends.WithReadLimit(t.Context(), 3), "t/1")
	failure(t, err, "get", "t/1")
	require.ErrorIs(t, err, backends.ErrTooLarge)
}

func TestAHeadOfWhatIsAbsentIsOneRequest(t *testing.T) {
	server := serve(t, reply{status: 404}.with("x-amz-request-id", "REQ"))
	_, err := storeOf(t, server).Head(t.Context(), "t/1")
	failure(t, err, "head", "t/1")
	require.EqualError(t, err, `head "t/1": status 404 NotFound (request REQ): the object does not exist`)
	require.Equal(t, http.MethodHead, server.only(t).Method)
}

func TestAKeyIsSentAsItIs(t *testing.T) {
	for _, key := range []string{"..a/b", "a..b/c", "a b+c%20", "ä?#&=;:@'\""} {
		server := serve(t, answerAll)
		store := storeOf(t, server)
		_, err := store.Head(t.Context(), key)
		require.NoError(t, err)
		_, _, err = store.Get(t.Context(), key)
		require.NoError(t, err)
		require.NoError(t, store.Delete(t.Context(), key))
		_, err = store.PutIfAbsent(t.Context(), key, []byte("body"), backends.PutOptions{})
		require.NoError(t, err)
		require.Len(t, server.got(), 4)
		for _, r := range server.got() {
			require.Equal(t, "/bucket/"+key, r.URL.Path, r.Method)
		}
	}
}

const page = `<ListBucketResult><Name>bucket</Name><Prefix>t/</Prefix><IsTruncated>true</IsTruncated>` +
	`<NextContinuationToken>next</NextContinuationToken>` +
	`<Contents><Key>t/1</Key><LastModified>2026-11-29T17:00:00.000Z</LastModified><ETag>&quot;e&quot;</ETag><Size>4</Size></Contents>` +
	`<CommonPrefixes><Prefix>t/sub/</Prefix></CommonPrefixes></ListBucketResult>`

func TestAListingIsOneRequest(t *testing.T) {
	for name, tc := range map[string]struct {
		in    backends.ListInput
		query map[string]string
	}{
		"first page":    {backends.ListInput{Prefix: "t/"}, map[string]string{"prefix": "t/", "delimiter": "/", "max-keys": "1000"}},
		"few keys":      {backends.ListInput{Prefix: "t/", Limit: 8}, map[string]string{"max-keys": "8"}},
		"more than all": {backends.ListInput{Prefix: "t/", Limit: 5000}, map[string]string{"max-keys": "1000"}},
		"behind a key":  {backends.ListInput{Prefix: "t/", StartAfter: "t/0 +ä"}, map[string]string{"start-after": "t/0 +ä"}},
		"next page": {
			backends.ListInput{Prefix: "t/", Token: "tok/en+", StartAfter: "t/0"},
			map[string]string{"continuation-token": "tok/en+", "start-after": ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, reply{status: 200, body: page}.with("Date", "Sun, 29 Nov 2026 18:00:00 GMT"))
			got, err := storeOf(t, server).List(t.Context(), tc.in)
			require.NoError(t, err)
			require.Equal(t, backends.Page{
				Objects: []backends.Object{{Key: "t/1", Attrs: backends.Attrs{
					Size: 4, ETag: `"e"`, Modified: time.Date(2026, 11, 29, 17, 0, 0, 0, time.UTC),
				}}},
				Prefixes: []string{"t/sub/"}, Token: "next", Now: time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC),
			}, got)
			query := server.only(t).URL.Query()
			for name, want := range tc.query {
				require.Equal(t, want, query.Get(name), name)
			}
		})
	}
}

func TestADeleteIsOneRequest(t *testing.T) {
	for name, p := range map[string]reply{"there": reply{status: 204}.with("x-amz-request-id", "REQ"), "absent": s3Error(404, "NoSuchKey", "no key")} {
		server := serve(t, p)
		require.NoError(t, storeOf(t, server).Delete(t.Context(), "t/1"), name)
		require.Equal(t, "DELETE", server.only(t).Method)
	}
}

func TestARefusedReadIsNeverAnAbsentObject(t *testing.T) {
	all := []string{"get", "head", "list", "delete", "overwrite", "bulkdelete"}
	withBody := []string{"get", "list", "delete", "overwrite", "bulkdelete"}
	for _, tc := range []struct {
		name string
		ops  []string
		p    reply
		want error
	}{
		{"403", all, s3Error(403, "AccessDenied", "Access Denied"), backends.ErrPermission},
		{"403 of a proxy", all, reply{status: 403, body: html}, backends.ErrPermission},
		{"401", all, reply{status: 401}, backends.ErrUnauthenticated},
		{"missing bucket", withBody, s3Error(404, "NoSuchBucket", "no bucket"), backends.ErrNoBucket},
		{"missing key", []string{"get", "head"}, s3Error(404, "NoSuchKey", "no key"), backends.ErrNotExist},
		{"404 of a proxy", all, reply{status: 404, body: html}, unknown},
		{"expired token", withBody, s3Error(400, "ExpiredToken", "TOPSECRET"), backends.ErrUnauthenticated},
		{"unknown key id", withBody, s3Error(403, "InvalidAccessKeyId", "AKIDSECRET"), backends.ErrUnauthenticated},
		{"wrong secret", withBody, s3Error(403, "SignatureDoesNotMatch", "Signature=1"), backends.ErrUnauthenticated},
		{"unknown key id to versitygw", withBody, s3Error(404, "XAdminUserNotFound", "AKIDSECRET"), backends.ErrUnauthenticated},
		{"clock", withBody, s3Error(403, "RequestTimeTooSkewed", "skewed"), backends.ErrUnauthenticated},
		{"expired token to a HEAD", []string{"head"}, reply{status: 400}, backends.ErrInvalid},
		{"throttled", all, s3Error(429, "TooManyRequests", "slowly"), backends.ErrThrottled},
		{"slow down", all, s3Error(503, "SlowDown", "slowly"), unknown},
		{"500", all, s3Error(500, "InternalError", "sorry"), unknown},
		{"a feature it lacks", withBody, s3Error(501, "NotImplemented", "no"), backends.ErrUnsupported},
		{"501 of a gateway", withBody, reply{status: 501, body: "<Response><Message>no</Message></Response>"}, unknown},
		{"501 of a proxy", withBody, reply{status: 501, body: html}, unknown},
		{
			"another region", all,
			s3Error(301, "PermanentRedirect", "there").with("x-amz-bucket-region", "eu-west-1"), backends.ErrInvalid,
		},
		{"200 with an error in the body", []string{"list"}, s3Error(200, "InternalError", "sorry"), unknown},
		{"500 with a page in the body", []string{"list"}, reply{status: 500, body: page}, unknown},
		{"200 without a body", []string{"list"}, reply{status: 200}, unknown},
		{"200 of a proxy", []string{"get", "head", "list"}, reply{status: 200, body: html}, unknown},
		{"a listing that ends early", []string{"list"}, reply{status: 200, body: page[:200]}, unknown},
		{"a listing that is cut", []string{"list"}, raw("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n" + page[:300]), unknown},
		{"a listing without its token", []string{"list"}, reply{status: 200, body: strings.ReplaceAll(page, "NextContinuation", "Other")}, unknown},
		{"content that is cut", []string{"get"}, raw("HTTP/1.1 200 OK\r\nETag: \"e\"\r\nContent-Length: 9\r\n\r\nbody"), unknown},
		{
			"content of a false length", []string{"get"},
			raw("HTTP/1.1 200 OK\r\nETag: \"e\"\r\nContent-Length: 9000000000000000000\r\n\r\nbody"), unknown,
		},
		{"no answer", all, reply{act: hangUp}, unknown},
	} {
		for _, op := range tc.ops {
			t.Run(tc.name+", "+op, func(t *testing.T) {
				server := serve(t, tc.p)
				store, err := s3.New(clientOf(server.URL, once), "bucket")
				require.NoError(t, err)
				err = wire[op](t.Context(), store)
				key := "t/1"
				failed := failure(t, err, op, key)
				for _, sentinel := range sentinels {
					require.Equal(t, sentinel == tc.want, errors.Is(err, sentinel), "is %q: %v", sentinel, err)
				}
				if tc.p.status >= 400 {
					require.Equal(t, tc.p.status, failed.Status)
				}
			})
		}
	}
}

// once spares the tests the pauses of the SDK.
func once(o *awss3.Options) { o.Retryer = aws.NopRetryer{} }

func TestErrorsSayWhatToDo(t *testing.T) {
	for name, tc := range map[string]struct {
		p    reply
		want string
	}{
		"region by header": {
			s3Error(301, "PermanentRedirect", "x").with("x-amz-bucket-region", "eu-west-1"), `in the region "eu-west-1"; set that`,
		},
		"region by message": {
			s3Error(400, "AuthorizationHeaderMalformed", "the region 'us-east-1' is wrong; expecting 'eu-west-1'"),
			`in the region "eu-west-1"; set that`,
		},
		"region by message of versitygw": {
			s3Error(400, "AuthorizationHeaderMalformed", `the region 'x' is wrong; expecting "us-east-1"`),
			`in the region "us-east-1"; set that`,
		},
		"token of MinIO": {s3Error(403, "InvalidTokenId", "x"), "the session token is not valid; get new credentials"},
		"encryption": {
			s3Error(501, "NotImplemented", "Server side encryption specified but KMS is not configured"),
			"the store cannot do what the options ask for: Server side encryption",
		},
		"clock": {
			s3Error(403, "RequestTimeTooSkewed", "x").with("Date", "Sun, 29 Nov 2026 17:00:00 GMT"),
			"the clocks of this machine and of the store differ; set the one that is wrong: the store has Sun, 29 Nov 2026 17:00:00 GMT",
		},
		"token":     {s3Error(400, "ExpiredToken", "x"), "the session token has expired; get new credentials"},
		"condition": {s3Error(501, "NotImplemented", "not implemented"), "cannot create conditionally"},
		"proxy":     {reply{status: 502, body: html}, "no error code of S3: something between here and the store may have answered"},
		"login":     {reply{status: 200, body: html}, "something between here and the store may have answered"},
	} {
		_, err := put(t.Context(), storeOf(t, serve(t, tc.p)))
		require.ErrorContains(t, err, tc.want, name)
	}
}

func TestReadsAreRetriedAsTheClientDoes(t *testing.T) {
	for op, answer := range map[string]reply{"get": object, "head": object, "list": {status: 200, body: page}} {
		server := serve(t, s3Error(500, "InternalError", "sorry"), answer)
		require.NoError(t, wire[op](t.Context(), storeOf(t, server)), op)
		require.Len(t, server.got(), 2, op)
	}
}

func TestACallWhoseContextEndsReturns(t *testing.T) {
	for _, op := range []string{"get", "head", "list", "delete", "overwrite", "bulkdelete"} {
		arrived := make(chan struct{}, 9)
		server := serve(t, reply{act: func(_ http.ResponseWriter, r *http.Request) {
			arrived <- struct{}{}
			<-r.Context().Done()
		}})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-arrived; cancel() }()
		err := wire[op](ctx, storeOf(t, server))
		failure(t, err, op, "t/1")
		require.ErrorIs(t, err, context.Canceled)
	}
}

func TestAListingThatFindsNoKeySaysWhatIsWrongWithTheEndpoint(t *testing.T) {
	_, err := storeOf(t, serve(t, s3Error(404, "NoSuchKey", "no key"))).List(t.Context(), backends.ListInput{Prefix: "t/"})
	failure(t, err, "list", "t/")
	requireOnly(t, err, backends.ErrInvalid)
	require.ErrorContains(t, err, "leave the bucket out of it")
}

func TestAServerOfPlainHTTPIsNamed(t *testing.T) {
	server := serve(t, object)
	store, err := s3.New(clientOf("https"+strings.TrimPrefix(server.URL, "http"), once), "bucket")
	require.NoError(t, err)
	_, err = store.Head(t.Context(), "t/1")
	require.ErrorContains(t, err, "the server speaks HTTP, not HTTPS; give the endpoint as http://")
}
