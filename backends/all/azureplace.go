package all

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/lancecommit/lancecommit/backends"
)

// locate makes the endpoint out of what the location or gocloud's parameters say
// of it, as far as no option names it whole.
func (p *azurePlace) locate(at *place) error {
	if p.domain == "" && p.protocol == "" {
		if at.account != "" && p.Endpoint == "" && !p.UseEmulator {
			p.Endpoint = at.endpoint
		}
		return nil
	}
	host := cmp.Or(p.domain, "blob.core.windows.net")
	switch {
	case p.Endpoint != "":
		return fmt.Errorf("%w: the options domain and protocol make an endpoint, and azure_storage_endpoint is one; leave one out", backends.ErrInvalid)
	case at.endpoint != "":
		return fmt.Errorf("%w: the options domain and protocol make an endpoint, and the location names one; leave them out", backends.ErrInvalid)
	case strings.ContainsAny(host, "/\\?#@ "):
		return fmt.Errorf("%w: the option domain is no host; write it as blob.core.usgovcloudapi.net, or 127.0.0.1:10000 for an emulator", backends.ErrInvalid)
	case p.UseEmulator:
		// The account is in the path.
		p.Endpoint = cmp.Or(p.protocol, "http") + "://" + cmp.Or(p.domain, "127.0.0.1:10000")
		return nil
	case p.Account == "":
		return fmt.Errorf("%w: the options domain and protocol need the account, which stands in front of the domain; "+
			"set azure_storage_account_name", backends.ErrInvalid)
	}
	p.Endpoint = cmp.Or(p.protocol, "https") + "://" + p.Account + "." + host
	return nil
}

// bearer is a token that somebody else got, and that is not renewed.
type bearer string

// GetToken implements azcore.TokenCredential. When the token ends is not known;
// the store says so when it has.
func (b bearer) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: string(b), ExpiresOn: time.Now().Add(time.Hour)}, nil
}
