package azure_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/azure"
)

// none says that an error must prove nothing.
var none error

func TestACreateIsOnePutBlobWithItsCondition(t *testing.T) {
	a := newAccount(t, "", nil)
	attrs, err := a.store(t).PutIfAbsent(t.Context(), "t/1.manifest", []byte("content"), backends.PutOptions{Metadata: "note"})
	require.NoError(t, err)
	require.Equal(t, backends.Attrs{
		Size: 7, ETag: etag(stored{body: "content"}), VersionID: "v1",
		Modified: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC),
	}, attrs)

	require.Equal(t, 1, a.total())
	sent := a.requests[0]
	require.Equal(t, "PUT", sent.method)
	require.Equal(t, "content", sent.body)
	require.Equal(t, "7", sent.header.Get("Content-Length"))
	require.Equal(t, "*", sent.header.Get("If-None-Match"))
	require.Equal(t, "BlockBlob", sent.header.Get("x-ms-blob-type"))
	require.Equal(t, "note", sent.header.Get("x-ms-meta-lancecommit"))
	require.Empty(t, sent.header.Get("Expect"))
	require.Empty(t, sent.header.Get("x-ms-encryption-scope"))
}

func TestACreateHasItsOwnMetadataOrNone(t *testing.T) {
	a := newAccount(t, "", nil)
	store := a.store(t)
	for i, metadata := range []string{"first", "", "second", "third", "fourth"} {
		_, err := store.PutIfAbsent(t.Context(), strconv.Itoa(i), []byte("content"), backends.PutOptions{Metadata: metadata})
		require.NoError(t, err)
		require.Equal(t, metadata, a.of(http.MethodPut)[i].header.Get("x-ms-meta-lancecommit"))
	}
}

func TestACreateNamesTheEncryptionScope(t *testing.T) {
	a := newAccount(t, "", nil)
	client, err := container.NewClientWithNoCredential(a.URL+root, nil)
	require.NoError(t, err)
	store, err := azure.New(client, azure.Options{EncryptionScope: "tenant-7"})
	require.NoError(t, err)
	_, err = store.PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
	require.NoError(t, err)
	require.Equal(t, "tenant-7", a.requests[0].header.Get("x-ms-encryption-scope"))
}

func TestACreateIsSentOnceWhateverTheClientRetries(t *testing.T) {
	for name, script := range map[string]func(int, http.ResponseWriter, *http.Request) bool{
		"500":                  answer(500, "InternalError"),
		"503":                  answer(503, "ServerBusy"),
		"429":                  answer(429, ""),
		"408":                  answer(408, ""),
		"a dropped connection": drop,
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t, "PUT", script)
			// The zero value is what a client has that nobody set up.
			_, err := a.storeWith(t, policy.RetryOptions{}).PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
			require.Error(t, err)
			require.Equal(t, 1, a.count("PUT"))
		})
	}
}

func TestAContextKeepsItsValuesButNotItsRetriesInACreate(t *testing.T) {
	a := newAccount(t, "PUT", answer(503, "ServerBusy"))
	ctx := policy.WithRetryOptions(t.Context(), policy.RetryOptions{MaxRetries: 2, RetryDelay: time.Millisecond})
	ctx = policy.WithHTTPHeader(ctx, http.Header{"X-Trace": {"7"}})
	_, err := a.store(t).PutIfAbsent(ctx, "t/1", []byte("content"), backends.PutOptions{})
	require.Error(t, err)
	require.Equal(t, 1, a.count("PUT"))
	require.Equal(t, "7", a.requests[0].header.Get("X-Trace"))
}

func TestWhatAnAnswerToACreateProves(t *testing.T) {
	for _, tc := range []struct {
		status int
		code   string
		want   error
	}{
		{200, "", none},
		{200, "BlobAlreadyExists", none},
		{202, "", none},
		{400, "", none},
		{400, "InvalidBlockList", none}, // can be a lost race
		{400, "SomethingNew", none},
		{400, "InvalidHeaderValue", backends.ErrInvalid},
		{400, "InvalidResourceName", backends.ErrInvalid},
		{400, "OutOfRangeInput", backends.ErrInvalid},
		{400, "MetadataTooLarge", backends.ErrInvalid},
		{400, "Md5Mismatch", backends.ErrNotStored},
		{400, "ConditionHeadersNotSupported", backends.ErrUnsupported},
		{400, "InvalidAuthenticationInfo", backends.ErrUnauthenticated},
		{401, "", none},
		{401, "NoAuthenticationInformation", backends.ErrUnauthenticated},
		{403, "", none},
		{403, "AuthenticationFailed", backends.ErrUnauthenticated},
		{403, "AuthorizationFailure", backends.ErrPermission},
		{403, "AuthorizationPermissionMismatch", backends.ErrPermission},
		{403, "AccountIsDisabled", backends.ErrPermission},
		{403, "UnauthorizedBlobOverwrite", none}, // can be a lost race
		{404, "", none},
		{404, "BlobNotFound", none},
		{404, "ContainerNotFound", backends.ErrNoBucket},
		{404, "ResourceNotFound", backends.ErrPermission},
		{405, "UnsupportedHttpVerb", backends.ErrUnsupported},
		{408, "", none},
		{409, "", none},
		{409, "BlobAlreadyExists", backends.ErrExists},
		{409, "SomethingNew", none},
		{409, "BlobImmutableDueToPolicy", none},
		{409, "LeaseIdMissing", none},
		{409, "InvalidBlobType", none},
		{409, "ContainerBeingDeleted", backends.ErrNoBucket},
		{409, "AccountBeingCreated", backends.ErrNotStored},
		{409, "ResourceTypeMismatch", backends.ErrNotStored},
		{409, "PublicAccessNotPermitted", backends.ErrUnauthenticated},
		{412, "", none},
		{412, "ConditionNotMet", backends.ErrExists},
		{412, "LeaseIdMissing", none},
		{413, "RequestBodyTooLarge", backends.ErrInvalid},
		{429, "", none},
		{429, "TooManyRequests", backends.ErrThrottled},
		{500, "", none},
		{500, "InternalError", none},
		{500, "OperationTimedOut", none},
		{500, "BlobAlreadyExists", none}, // the code has another status
		{501, "", none},
		{501, "NotImplemented", backends.ErrUnsupported},
		{502, "", none},
		{503, "", none},
		{503, "ServerBusy", none},
		{504, "", none},
	} {
		t.Run(fmt.Sprintf("%d %s", tc.status, tc.code), func(t *testing.T) {
			a := newAccount(t, "PUT", answer(tc.status, tc.code))
			_, err := a.store(t).PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
			require.Error(t, err)
			requireOnly(t, tc.want, err)
			require.Equal(t, tc.want != none, backends.IsDefinite(err), "%v", err)
			require.Equal(t, 1, a.total())

			var typed *backends.Error
			require.ErrorAs(t, err, &typed)
			require.Equal(t, [...]any{"put", "t/1", tc.status, tc.code, "request-7"},
				[...]any{typed.Op, typed.Key, typed.Status, typed.Code, typed.RequestID})
		})
	}
}

// requireOnly requires that an error is the sentinel and no other.
func requireOnly(t *testing.T, want, err error) {
	t.Helper()
	for _, sentinel := range []error{
		backends.ErrExists, backends.ErrContended, backends.ErrThrottled, backends.ErrPermission,
		backends.ErrUnauthenticated, backends.ErrNoBucket, backends.ErrInvalid, backends.ErrUnsupported,
		backends.ErrNotStored, backends.ErrNotExist, backends.ErrNotDurable,
	} {
		require.Equalf(t, sentinel == want, errors.Is(err, sentinel), "whether %q is %q", err, sentinel)
	}
}

func TestACreateSaysHowLongToWait(t *testing.T) {
	for header, want := range map[[2]string]time.Duration{
		{"Retry-After", "3"}:            3 * time.Second,
		{"x-ms-retry-after-ms", "1500"}: 1500 * time.Millisecond,
		{"Retry-After", "soon"}:         0,
		{"Retry-After", "-1"}:           0,
	} {
		a := newAccount(t, "PUT", func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set(header[0], header[1])
			fails(w, 503, "ServerBusy")
			return true
		})
		_, err := a.store(t).PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
		var typed *backends.Error
		require.ErrorAs(t, err, &typed)
		require.Equal(t, want, typed.RetryAfter, "%v", header)
	}
}

func TestASuccessWithoutAnETagProvesNothing(t *testing.T) {
	a := newAccount(t, "PUT", func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		mark(w)
		w.WriteHeader(201)
		return true
	})
	_, err := a.store(t).PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
	require.ErrorContains(t, err, "has no ETag")
	requireOnly(t, none, err)
}

func TestABrokenAnswerProvesNothing(t *testing.T) {
	for name, raw := range map[string]string{
		"no answer":                "",
		"a cut status line":        "HTTP/1.1 2",
		"a success cut short":      "HTTP/1.1 201 Created\r\nx-ms-version: 2026-12-06\r\nETag: \"1\"\r\nContent-Length: 100\r\n\r\nhalf",
		"a conflict cut short":     "HTTP/1.1 409 Conflict\r\nContent-Length: 100\r\n\r\n<Error><Code>BlobAlreadyExists</Code>",
		"another protocol":         "SSH-2.0-OpenSSH_9.2\r\n",
		"an answer that goes away": "HTTP/1.1 100 Continue\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t, "PUT", func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				conn, _, err := w.(http.Hijacker).Hijack()
				if err == nil {
					_, _ = io.WriteString(conn, raw)
					_ = conn.Close()
				}
				return true
			})
			_, err := a.store(t).PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
			require.Error(t, err)
			requireOnly(t, none, err)
			require.Equal(t, 1, a.count("PUT"))
		})
	}
}

func TestADroppedConnectionIsToldByItsCauseAlone(t *testing.T) {
	a := newAccount(t, "PUT", drop)
	_, err := a.store(t).PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, `put "t/1": EOF`, err.Error(), "the URL is left out")
}

func TestAContextThatEndsDuringACreateProvesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	a := newAccount(t, "PUT", func(int, http.ResponseWriter, *http.Request) bool {
		cancel()
		<-release
		return true
	})
	_, err := a.store(t).PutIfAbsent(ctx, "t/1", []byte("content"), backends.PutOptions{})
	close(release)
	require.ErrorIs(t, err, context.Canceled)
	requireOnly(t, none, err)
}

func TestAContextThatEndsBeforeTheContentIsSentIsDefinite(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opts := &container.ClientOptions{}
	opts.Transport = &http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			cancel()
			return nil, ctx.Err()
		},
	}}
	client, err := container.NewClientWithNoCredential("http://localhost"+root, opts)
	require.NoError(t, err)
	store, err := azure.New(client, azure.Options{})
	require.NoError(t, err)
	_, err = store.PutIfAbsent(ctx, "t/1", []byte("content"), backends.PutOptions{})
	require.ErrorIs(t, err, context.Canceled)
	requireOnly(t, backends.ErrNotStored, err)
}

func TestAnAnswerThatComesBeforeTheContentIsReadProvesNothing(t *testing.T) {
	for _, status := range []int{200, 201, 307, 500} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			opts := &container.ClientOptions{}
			opts.Transport = sender(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: status, Request: r, Header: http.Header{}, Body: http.NoBody}, nil
			})
			client, err := container.NewClientWithNoCredential("http://localhost"+root, opts)
			require.NoError(t, err)
			store, err := azure.New(client, azure.Options{})
			require.NoError(t, err)
			_, err = store.PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
			require.Error(t, err)
			requireOnly(t, none, err)
		})
	}
}

func TestAServerThatCannotBeReachedStoresNothing(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	client, err := container.NewClientWithNoCredential(closed.URL+root+"?sig=topsecret", nil)
	require.NoError(t, err)
	store, err := azure.New(client, azure.Options{})
	require.NoError(t, err)

	_, err = store.PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
	requireOnly(t, backends.ErrNotStored, err)
	require.NotContains(t, err.Error(), "topsecret")

	_, err = store.PutIfAbsent(t.Context(), "t/1", nil, backends.PutOptions{})
	require.Error(t, err)
	requireOnly(t, none, err) // of an empty object nothing shows whether it was sent
}
