package all

import (
	"context"
	"fmt"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/azure"
)

// azurePlace is how to reach a container, as options say it.
type azurePlace struct {
	azure.Config
	token                          string
	clientID, clientSecret, tenant string
	useCLI                         bool
	// domain and protocol make the endpoint as gocloud's parameters do.
	domain, protocol string
}

func (p *azurePlace) options() []option {
	return []option{
		text(&p.Account, "azure_storage_account_name", "account_name", "storage_account").or("AZURE_STORAGE_ACCOUNT"),
		truth(&p.Anonymous, "azure_skip_signature", "skip_signature", "anonymous").as("nobody"),
		text(&p.token, "azure_storage_token", "bearer_token", "token").as("token"),
		text(&p.AccountKey, "azure_storage_account_key", "azure_storage_access_key", "azure_storage_master_key",
			"account_key", "access_key", "master_key").or("AZURE_STORAGE_KEY").as(accountKey),
		text(&p.clientID, "azure_storage_client_id", "azure_client_id", "client_id").as("client"),
		text(&p.clientSecret, "azure_storage_client_secret", "azure_client_secret", "client_secret").as("client"),
		text(&p.tenant, "azure_storage_tenant_id", "azure_storage_authority_id", "azure_tenant_id", "azure_authority_id",
			"tenant_id", "authority_id").as("client"),
		text(&p.SASToken, "azure_storage_sas_token", "azure_storage_sas_key", "sas_token", "sas_key").as(sasToken),
		truth(&p.useCLI, "azure_use_azure_cli", "use_azure_cli").as("Azure CLI"),
		text(&p.Endpoint, "azure_storage_endpoint", "azure_endpoint", "endpoint"),
		truth(&p.UseEmulator, "azure_storage_use_emulator", "use_emulator", "localemu"),
		truth(&p.AllowHTTP, "allow_http", "azure_allow_http"),
		text(&p.EncryptionScope, "azure_encryption_scope", "encryption_scope"),
		text(&p.domain, "domain"),
		custom(oneOf(&p.protocol, "https", "http"), "protocol"),
	}
}

// Kinds of credentials that belong to one account.
const (
	accountKey = "account key"
	sasToken   = "SAS token"
)

// identity makes the credential that the options name, if they name one.
func (p *azurePlace) identity() (err error) {
	switch named := p.clientID != "" || p.clientSecret != "" || p.tenant != ""; {
	case named && (p.clientID == "" || p.clientSecret == "" || p.tenant == ""):
		return fmt.Errorf("%w: an identity is azure_client_id, azure_client_secret and azure_tenant_id together", backends.ErrInvalid)
	case named && p.useCLI, p.token != "" && (named || p.useCLI):
		return fmt.Errorf("%w: give one of a token, a client's secret and azure_use_azure_cli", backends.ErrInvalid)
	case p.token != "":
		p.Credential = bearer(p.token)
	case named:
		p.Credential, err = azidentity.NewClientSecretCredential(p.tenant, p.clientID, p.clientSecret, nil)
	case p.useCLI:
		p.Credential, err = azidentity.NewAzureCLICredential(nil)
	}
	if err != nil {
		// Not wrapped: it could quote what it was given.
		return fmt.Errorf("%w: the SDK refuses the identity", backends.ErrInvalid)
	}
	return nil
}

func openAzure(ctx context.Context, at *place) (Store, error) {
	p, err := at.azure()
	if err != nil {
		return nil, &backends.Error{Op: "open", Key: at.bucket, Err: err}
	}
	s, err := azure.Open(ctx, at.bucket, p.Config)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// azure reads the options, what the location says of the account, and the
// environment.
func (at *place) azure() (*azurePlace, error) {
	p := new(azurePlace)
	options := p.options()
	if err := at.apply(options); err != nil {
		return nil, err
	}
	if at.account != "" {
		if p.Account != "" && p.Account != at.account {
			return nil, fmt.Errorf("%w: the location and the options name different accounts", backends.ErrInvalid)
		}
		p.Account = at.account
	}
	if err := at.readEnvironment(p.ofAccount(at, options)); err != nil {
		return nil, err
	}
	if err := p.locate(at); err != nil {
		return nil, err
	}
	if err := p.readConnectionString(at); err != nil {
		return nil, err
	}
	if err := p.identity(); err != nil {
		return nil, err
	}
	if p.Account == "" && p.Endpoint == "" && !p.UseEmulator {
		return nil, fmt.Errorf("%w: no storage account is given; set azure_storage_account_name, or AZURE_STORAGE_ACCOUNT_NAME "+
			"in the environment", backends.ErrInvalid)
	}
	if isHTTP(p.Endpoint) && !p.AllowHTTP && !p.UseEmulator {
		return nil, errHTTP("AZURE_ALLOW_HTTP")
	}
	return p, nil
}

// ofAccount leaves out what the environment has for another account than the one
// that the location or the options name.
func (p *azurePlace) ofAccount(at *place, options []option) []option {
	account := options[0]
	_, theirs, err := account.fromEnvironment()
	if err != nil {
		return options
	}
	isOther := p.Account != "" && theirs != "" && theirs != p.Account
	return slices.DeleteFunc(slices.Clone(options), func(o option) bool {
		switch {
		case o.credentials == accountKey, o.credentials == sasToken:
			return isOther
		case o.names[0] == "azure_storage_endpoint":
			return isOther || at.endpoint != "" || at.given["domain"] || at.given["protocol"]
		}
		return p.Account != "" && o.names[0] == account.names[0]
	})
}
