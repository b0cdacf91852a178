package all

import (
	"context"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/azure"
)

// azurePlace is how to reach a container, as options say it.
type azurePlace struct {
	azure.Config
	clientID, clientSecret, tenant string
	useCLI                         bool
}

func (p *azurePlace) options() []option {
	return []option{
		{[]string{"azure_storage_account_name", "account_name", "storage_account"}, text(&p.Account)},
		{[]string{
			"azure_storage_account_key", "azure_storage_access_key", "azure_storage_master_key", "account_key", "access_key", "master_key",
		}, text(&p.AccountKey)},
		{[]string{"azure_storage_sas_token", "azure_storage_sas_key", "sas_token", "sas_key"}, text(&p.SASToken)},
		{[]string{"azure_storage_endpoint", "azure_endpoint", "endpoint"}, text(&p.Endpoint)},
		{[]string{"azure_storage_use_emulator", "use_emulator", "localemu"}, truth(&p.UseEmulator)},
		{[]string{"azure_skip_signature", "skip_signature", "anonymous"}, truth(&p.Anonymous)},
		{[]string{"allow_http", "azure_allow_http"}, truth(&p.AllowHTTP)},
		{[]string{"azure_storage_client_id", "azure_client_id", "client_id"}, text(&p.clientID)},
		{[]string{"azure_storage_client_secret", "azure_client_secret", "client_secret"}, text(&p.clientSecret)},
		{[]string{
			"azure_storage_tenant_id", "azure_storage_authority_id", "azure_tenant_id", "azure_authority_id", "tenant_id", "authority_id",
		}, text(&p.tenant)},
		{[]string{"azure_use_azure_cli", "use_azure_cli"}, truth(&p.useCLI)},
		{[]string{"azure_encryption_scope", "encryption_scope"}, text(&p.EncryptionScope)},
	}
}

// identity makes the credential that the options name, if they name one.
func (p *azurePlace) identity() (err error) {
	switch named := p.clientID != "" || p.clientSecret != "" || p.tenant != ""; {
	case named && (p.clientID == "" || p.clientSecret == "" || p.tenant == ""):
		return fmt.Errorf("%w: an identity is azure_client_id, azure_client_secret and azure_tenant_id together", backends.ErrInvalid)
	case named && p.useCLI:
		return fmt.Errorf("%w: give a client's secret or azure_use_azure_cli, not both", backends.ErrInvalid)
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
	p := azurePlace{Config: azure.Config{}}
	err := at.apply(p.options())
	if err == nil {
		err = p.identity()
	}
	if err == nil && at.account != "" {
		if p.Account != "" && p.Account != at.account {
			err = fmt.Errorf("%w: the location and the options name different accounts", backends.ErrInvalid)
		}
		p.Account = at.account
		if p.Endpoint == "" && !p.UseEmulator {
			p.Endpoint = at.endpoint
		}
	}
	if err != nil {
		return nil, &backends.Error{Op: "open", Key: at.bucket, Err: err}
	}
	s, err := azure.Open(ctx, at.bucket, p.Config)
	if err != nil {
		return nil, err
	}
	return s, nil
}
