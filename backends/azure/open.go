package azure

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/lancecommit/lancecommit/backends"
)

// A Config says where a container is and with which credentials to use it. It
// takes at most one kind of credentials. Without any, the identity of the
// environment is used, as azidentity.NewDefaultAzureCredential finds it.
type Config struct {
	// Account is the storage account. It may be left out where Endpoint is set
	// and AccountKey is not.
	Account string
	// AccountKey is one of the two keys of the account, in base64.
	AccountKey string
	// SASToken is a shared access signature, with or without a "?" in front. It
	// needs the rights to read, write and list, and to delete for clean-up. With
	// the right to create in place of write, Azurite reports a lost race as
	// backends.ErrPermission.
	SASToken string
	// Credential gives tokens of Microsoft Entra ID.
	Credential azcore.TokenCredential
	// Anonymous sends no credentials, for reading containers that are public.
	Anonymous bool

	// Endpoint is the URL of the blob service. Empty means
	// https://ACCOUNT.blob.core.windows.net. Other clouds, private endpoints and
	// emulators have others.
	Endpoint string
	// UseEmulator is for Azurite: account, key and endpoint have the values that
	// it has out of the box, unless they are set.
	UseEmulator bool
	// AllowHTTP allows an endpoint without TLS. UseEmulator allows it, too.
	// Tokens of an identity are never sent so.
	AllowHTTP bool

	Options
}

// What Azurite has out of the box. The key is published and no secret.
const (
	emulatorAccount  = "devstoreaccount1"
	emulatorKey      = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
	emulatorEndpoint = "http://127.0.0.1:10000"
)

var (
	containerNames = regexp.MustCompile(`^[a-z0-9](-?[a-z0-9]){2,62}$`)
	accountNames   = regexp.MustCompile(`^[a-z0-9]{3,24}$`)
)

// Open returns the store of a container. Close it after use. It makes no
// request, so a container that is not there shows at the first use. A configuration that is malformed or
// contradicts itself is backends.ErrInvalid. An environment without a usable
// identity is backends.ErrUnauthenticated, here or at the first use.
//
// The context is not used today.
func Open(_ context.Context, name string, cfg Config) (*Store, error) {
	if !containerNames.MatchString(name) || len(name) > 63 {
		return nil, openError(name, "a container has 3 to 63 lower case letters, digits and single dashes in its name")
	}
	endpoint, err := cfg.serviceURL(name)
	if err != nil {
		return nil, err
	}
	// A client of its own, so that Close ends its connections and no others.
	// The store sends no redirects; followed, one of a create is another request.
	sender := &http.Client{
		Transport:     newTransport(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	opts := &container.ClientOptions{}
	opts.Transport = sender
	client, err := cfg.client(name, endpoint.JoinPath(name), opts)
	if err != nil {
		return nil, err
	}
	store, err := New(client, cfg.Options)
	if err != nil {
		return nil, err
	}
	store.closeIdle = sender.CloseIdleConnections
	return store, nil
}

// newTransport returns one like the SDK's own, which keeps connections for as
// many writers as race for a table.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          100,
		MaxIdleConnsPerHost:   100,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// serviceURL returns where the blob service is. Errors do not quote an endpoint,
// which could hold credentials.
func (c *Config) serviceURL(name string) (*url.URL, error) {
	if c.UseEmulator {
		c.useEmulator()
	}
	if c.Endpoint == "" {
		if c.Account == "" {
			return nil, openError(name, "no storage account is given; give its name, or the endpoint of its blob service")
		}
		if !accountNames.MatchString(c.Account) {
			return nil, openError(name, "an account has 3 to 24 lower case letters and digits in its name; %q is none", c.Account)
		}
		return &url.URL{Scheme: "https", Host: c.Account + ".blob.core.windows.net"}, nil
	}
	u, err := url.Parse(c.Endpoint)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return nil, openError(name, "the endpoint must be the http or https URL of the blob service")
	case !isPort(u.Port()):
		return nil, openError(name, "the endpoint has a port that is none; ports are 1 to 65535")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, openError(name, "the endpoint takes no user, query or fragment; credentials have fields of their own")
	case u.Scheme == "http" && !c.AllowHTTP && !c.UseEmulator:
		return nil, openError(name, "the endpoint is without TLS; allow http if that is meant")
	}
	if c.UseEmulator && strings.Trim(u.Path, "/") == "" {
		// An emulator has the account in the path.
		u = u.JoinPath(c.Account)
	}
	return u, nil
}

// isPort reports whether a port can be one. Empty is that of the scheme.
func isPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

func (c *Config) useEmulator() {
	if c.Account == "" {
		c.Account = emulatorAccount
	}
	if c.Account == emulatorAccount && c.AccountKey == "" && c.SASToken == "" && c.Credential == nil && !c.Anonymous {
		c.AccountKey = emulatorKey
	}
	if c.Endpoint == "" {
		c.Endpoint = emulatorEndpoint
	}
}

// client makes the client of the SDK for the credentials there are. The SDK's
// errors are not wrapped where they could quote what they were given.
func (c *Config) client(name string, at *url.URL, opts *container.ClientOptions) (*container.Client, error) {
	kinds := 0
	for _, given := range []bool{c.AccountKey != "", c.SASToken != "", c.Credential != nil, c.Anonymous} {
		if given {
			kinds++
		}
	}
	if kinds > 1 {
		return nil, openError(name, "give one of account key, SAS token, token credential and anonymous")
	}
	var client *container.Client
	var err error
	switch {
	case c.AccountKey != "":
		key, keyErr := container.NewSharedKeyCredential(c.Account, c.AccountKey)
		if keyErr != nil {
			return nil, openError(name, "the account key is not base64")
		}
		if c.Account == "" {
			return nil, openError(name, "an account key needs the name of the account")
		}
		client, err = container.NewClientWithSharedKeyCredential(at.String(), key, opts)
	case c.SASToken != "":
		query, sasErr := url.ParseQuery(strings.TrimPrefix(c.SASToken, "?"))
		if sasErr != nil || query.Get("sig") == "" {
			return nil, openError(name, "the SAS token is malformed: it is a query with a sig")
		}
		// A token that was decoded on its way has "+" where it had "%2B".
		query.Set("sig", strings.ReplaceAll(query.Get("sig"), " ", "+"))
		at.RawQuery = query.Encode()
		client, err = container.NewClientWithNoCredential(at.String(), opts)
	case c.Anonymous:
		client, err = container.NewClientWithNoCredential(at.String(), opts)
	default:
		return c.tokenClient(name, at, opts)
	}
	if err != nil {
		return nil, openError(name, "the SDK refuses the configuration")
	}
	return client, nil
}

func (c *Config) tokenClient(name string, at *url.URL, opts *container.ClientOptions) (*container.Client, error) {
	if at.Scheme != "https" {
		return nil, openError(name, "tokens of an identity are not sent without TLS; give an account key or a SAS token")
	}
	credential := c.Credential
	if credential == nil {
		found, err := azidentity.NewDefaultAzureCredential(nil)
		if err != nil {
			return nil, &backends.Error{Op: "open", Key: name, Err: unauthenticatedBy(newTokenError(err))}
		}
		credential = found
	}
	client, err := container.NewClient(at.String(), tokens{credential}, opts)
	if err != nil {
		return nil, openError(name, "the SDK refuses the configuration")
	}
	return client, nil
}

// tokens marks the errors of a credential, which has errors of many types.
type tokens struct{ azcore.TokenCredential }

// GetToken implements azcore.TokenCredential.
func (t tokens) GetToken(ctx context.Context, opts policy.TokenRequestOptions) (azcore.AccessToken, error) {
	token, err := t.TokenCredential.GetToken(ctx, opts)
	if err != nil {
		return azcore.AccessToken{}, newTokenError(err)
	}
	return token, nil
}
