package azure_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/azure"
)

const accountKey = "c2VjcmV0IGtleQ=="

func TestOpenSendsTheCredentialsItWasGiven(t *testing.T) {
	for _, tc := range []struct {
		name          string
		cfg           azure.Config
		authorization string
		path, query   string
	}{
		{"an account key", azure.Config{Account: "acme", AccountKey: accountKey, AllowHTTP: true}, "SharedKey acme:", "/tables/t%2F1", ""},
		{"a SAS token", azure.Config{SASToken: "sv=1&sig=a%2Bb%3D", AllowHTTP: true}, "", "/tables/t%2F1", "sig=a%2Bb%3D&sv=1"},
		{"a SAS token with its mark", azure.Config{SASToken: "?sig=a%2Bb%3D", AllowHTTP: true}, "", "/tables/t%2F1", "sig=a%2Bb%3D"},
		{"a SAS token that was decoded", azure.Config{SASToken: "sig=a+b=", AllowHTTP: true}, "", "/tables/t%2F1", "sig=a%2Bb%3D"},
		{"nobody", azure.Config{Anonymous: true, AllowHTTP: true}, "", "/tables/t%2F1", ""},
		{"the emulator", azure.Config{UseEmulator: true}, "SharedKey devstoreaccount1:", "/devstoreaccount1/tables/t%2F1", ""},
		{
			"another account of the emulator", azure.Config{UseEmulator: true, Account: "acme", AccountKey: accountKey},
			"SharedKey acme:", "/acme/tables/t%2F1", "",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := newAccount(t, "PUT", func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				mark(w)
				describe(w, stored{})
				w.WriteHeader(201)
				return true
			})
			tc.cfg.Endpoint = a.URL
			store, err := azure.Open(t.Context(), "tables", tc.cfg)
			require.NoError(t, err)
			_, err = store.PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
			require.NoError(t, err)
			require.NoError(t, store.Close())

			sent := a.requests[0]
			path, query, _ := strings.Cut(sent.uri, "?")
			require.Equal(t, tc.path, path)
			require.Equal(t, tc.query, query)
			require.True(t, strings.HasPrefix(sent.header.Get("Authorization"), tc.authorization))
			require.Equal(t, tc.authorization == "", sent.header.Get("Authorization") == "")
		})
	}
}

func TestOpenRefusesWhatCannotWork(t *testing.T) {
	for _, tc := range []struct {
		name, container string
		cfg             azure.Config
	}{
		{"no container", "", azure.Config{Account: "acme", AccountKey: accountKey}},
		{"a container with capitals", "Tables", azure.Config{Account: "acme", AccountKey: accountKey}},
		{"a container with a slash", "a/b", azure.Config{Account: "acme", AccountKey: accountKey}},
		{"a container with two dashes", "a--b", azure.Config{Account: "acme", AccountKey: accountKey}},
		{"a container of 64 letters", strings.Repeat("c", 64), azure.Config{Account: "acme", AccountKey: accountKey}},
		{"the root container", "$root", azure.Config{Account: "acme", AccountKey: accountKey}},
		{"no account", "tables", azure.Config{AccountKey: accountKey}},
		{"an account that is another host", "tables", azure.Config{Account: "evil.example/", AccountKey: accountKey}},
		{"an account key without an account", "tables", azure.Config{Endpoint: "https://host", AccountKey: accountKey}},
		{"a key that is not base64", "tables", azure.Config{Account: "acme", AccountKey: "topsecret!"}},
		{"a SAS token without a signature", "tables", azure.Config{Account: "acme", SASToken: "topsecret"}},
		{"a SAS token that is no query", "tables", azure.Config{Account: "acme", SASToken: "sig=topsecret%zz"}},
		{"two kinds of credentials", "tables", azure.Config{Account: "acme", AccountKey: accountKey, SASToken: "sig=topsecret"}},
		{"a key and nobody", "tables", azure.Config{Account: "acme", AccountKey: accountKey, Anonymous: true}},
		{"an endpoint without TLS", "tables", azure.Config{Account: "acme", AccountKey: accountKey, Endpoint: "http://host"}},
		{"an endpoint with a password", "tables", azure.Config{Account: "acme", AccountKey: accountKey, Endpoint: "https://u:topsecret@host"}},
		{"an endpoint with a query", "tables", azure.Config{Account: "acme", Endpoint: "https://host/?sig=topsecret"}},
		{"an endpoint that is no URL", "tables", azure.Config{Account: "acme", Endpoint: "https://host/%zztopsecret"}},
		{"an endpoint with a port that is none", "tables", azure.Config{Account: "acme", AccountKey: accountKey, Endpoint: "https://host:99999"}},
		{"an endpoint of another protocol", "tables", azure.Config{Account: "acme", Endpoint: "ftp://topsecret@host"}},
		{"tokens without TLS", "tables", azure.Config{Endpoint: "http://host", AllowHTTP: true, Credential: credential{}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := azure.Open(t.Context(), tc.container, tc.cfg)
			requireOnly(t, backends.ErrInvalid, err)
			require.NotContains(t, texts(err), "topsecret")
			require.NotContains(t, texts(err), accountKey)
			var typed *backends.Error
			require.ErrorAs(t, err, &typed)
			require.Equal(t, "open", typed.Op)
		})
	}
}

func TestOpenSaysThatThereIsNoAccount(t *testing.T) {
	_, err := azure.Open(t.Context(), "tables", azure.Config{})
	requireOnly(t, backends.ErrInvalid, err)
	require.ErrorContains(t, err, "no storage account is given")
}

func TestNewRefusesAClientWithoutAContainer(t *testing.T) {
	_, err := azure.New(nil, azure.Options{})
	requireOnly(t, backends.ErrInvalid, err)
	client, err := container.NewClientWithNoCredential("https://host?sig=topsecret", nil)
	require.NoError(t, err)
	_, err = azure.New(client, azure.Options{})
	requireOnly(t, backends.ErrInvalid, err)
	require.NotContains(t, texts(err), "topsecret")
}

// A credential gives a token or an error.
type credential struct{ err error }

func (c credential) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: "topsecret", ExpiresOn: time.Now().Add(time.Hour)}, c.err
}

func TestACreateWithoutATokenIsRefusedBeforeAnythingIsSent(t *testing.T) {
	for name, failure := range map[string]error{
		"of the SDK":        azidentity.NewCredentialUnavailableError("no identity is set up"),
		"of a program":      errors.New("no identity is set up"),
		"that has a secret": errors.New(`no identity is set up: Post "https://host/?sig=topsecret"`),
	} {
		t.Run(name, func(t *testing.T) {
			store, err := azure.Open(t.Context(), "tables", azure.Config{
				Endpoint: "https://localhost:1", Credential: credential{failure},
			})
			require.NoError(t, err)
			_, err = store.PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
			requireOnly(t, backends.ErrUnauthenticated, err)
			require.ErrorContains(t, err, "no identity is set up")
			require.NotContains(t, texts(err), "topsecret")
			_, err = store.Head(t.Context(), "t/1")
			requireOnly(t, backends.ErrUnauthenticated, err)
		})
	}
}

func TestATokenThatTheStoreRefusesIsRenewedAndNothingIsWrittenTwice(t *testing.T) {
	a := newAccount(t, "PUT", func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n > 1 {
			return false
		}
		w.Header().Set("WWW-Authenticate",
			"Bearer authorization_uri=https://login.example/tenant/oauth2/authorize resource_id=https://storage.azure.com")
		fails(w, 401, "InvalidAuthenticationInfo")
		return true
	})
	opts := &container.ClientOptions{}
	opts.InsecureAllowCredentialWithHTTP = true
	opts.Transport = a.Client()
	client, err := container.NewClient(a.URL+root, credential{}, opts)
	require.NoError(t, err)
	store, err := azure.New(client, azure.Options{})
	require.NoError(t, err)
	_, err = store.PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
	require.NoError(t, err)
	require.Equal(t, 2, a.count("PUT"))
	require.Equal(t, "content", a.blobs["t/1"].body)
}

// tokens gives one token and then fails as told.
type tokens struct {
	given bool
	err   error
}

func (c *tokens) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	if c.given {
		return azcore.AccessToken{}, c.err
	}
	c.given = true
	return azcore.AccessToken{Token: "topsecret", ExpiresOn: time.Now().Add(time.Hour)}, nil
}

// Something on the way can refuse an answer of the store, as well as a request.
func TestACreateThatWasSentIsSettledByItsAnswerAndNotByTheNextToken(t *testing.T) {
	for code, want := range map[string]error{"InvalidAuthenticationInfo": backends.ErrUnauthenticated, "": nil} {
		a := newAccount(t, "PUT", func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("WWW-Authenticate",
				"Bearer authorization_uri=https://login.example/tenant/oauth2/authorize resource_id=https://storage.azure.com")
			fails(w, 401, code)
			return true
		})
		opts := &container.ClientOptions{}
		opts.InsecureAllowCredentialWithHTTP = true
		opts.Transport = a.Client()
		client, err := container.NewClient(a.URL+root, &tokens{err: new(azidentity.AuthenticationFailedError)}, opts)
		require.NoError(t, err)
		store, err := azure.New(client, azure.Options{})
		require.NoError(t, err)
		_, err = store.PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
		requireOnly(t, want, err)
		require.Equal(t, 1, a.count("PUT"))
	}
}

func TestATokenThatComesTooLateSaysNothingOfTheCredentials(t *testing.T) {
	busy := &azidentity.AuthenticationFailedError{RawResponse: &http.Response{
		StatusCode: 503, Body: http.NoBody, Request: &http.Request{URL: new(url.URL)},
	}}
	refused := &azidentity.AuthenticationFailedError{RawResponse: &http.Response{
		StatusCode: 401, Body: http.NoBody, Request: &http.Request{URL: new(url.URL)},
	}}
	for _, tc := range []struct {
		name      string
		err       error
		put, head error
	}{
		{"the call ended", fmt.Errorf("asking: %w", context.Canceled), backends.ErrNotStored, nil},
		{"the time is up", fmt.Errorf("asking: %w", context.DeadlineExceeded), backends.ErrNotStored, nil},
		{"the token service is busy", busy, backends.ErrNotStored, nil},
		{"the token service refuses", refused, backends.ErrUnauthenticated, backends.ErrUnauthenticated},
	} {
		for _, content := range []string{"content", ""} {
			t.Run(tc.name+" "+content, func(t *testing.T) {
				store, err := azure.Open(t.Context(), "tables", azure.Config{
					Endpoint: "https://localhost:1", Credential: credential{tc.err},
				})
				require.NoError(t, err)
				_, err = store.PutIfAbsent(t.Context(), "t/1", []byte(content), backends.PutOptions{})
				requireOnly(t, tc.put, err)
				_, err = store.Head(t.Context(), "t/1")
				requireOnly(t, tc.head, err)
			})
		}
	}
}
