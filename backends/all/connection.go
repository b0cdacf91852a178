package all

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
)

// connectionString is the variable of Azure's own tools that Lance does not know.
const connectionString = "AZURE_STORAGE_CONNECTION_STRING"

// readConnectionString takes account, credentials and endpoint out of it, all of
// them or none: where anything else names credentials, an endpoint or another
// account, it is left alone.
func (p *azurePlace) readConnectionString(at *place) error {
	value := os.Getenv(connectionString)
	named := p.AccountKey != "" || p.SASToken != "" || p.Anonymous || p.token != "" || p.useCLI || p.clientID != ""
	if value == "" || at.hasCredentials || named || p.UseEmulator || p.Endpoint != at.endpoint {
		return nil
	}
	parts, err := parseConnectionString(value)
	if err != nil {
		return err
	}
	account := parts["accountname"]
	if p.Account != "" && p.Account != account {
		return nil
	}
	p.Account, p.AccountKey = account, parts["accountkey"]
	if p.AccountKey == "" {
		p.SASToken = parts["sharedaccesssignature"]
	}
	// Azurite's account is nowhere else.
	p.UseEmulator = strings.EqualFold(parts["usedevelopmentstorage"], "true") || account == "devstoreaccount1"
	switch {
	case p.Endpoint != "" || p.UseEmulator && parts["blobendpoint"] == "":
	case parts["blobendpoint"] != "":
		p.Endpoint = parts["blobendpoint"]
	case account == "":
		return fmt.Errorf("%w: the environment variable %s has neither AccountName nor BlobEndpoint",
			backends.ErrInvalid, connectionString)
	default:
		p.Endpoint = fmt.Sprintf("%s://%s.blob.%s", cmp.Or(parts["defaultendpointsprotocol"], "https"), account,
			cmp.Or(parts["endpointsuffix"], "core.windows.net"))
	}
	return nil
}

// parseConnectionString returns the parts by their names in lower case.
func parseConnectionString(value string) (map[string]string, error) {
	parts := make(map[string]string)
	for part := range strings.SplitSeq(value, ";") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok && name != "" {
			return nil, fmt.Errorf("%w: the environment variable %s is malformed: it is Name=Value;Name=Value",
				backends.ErrInvalid, connectionString)
		}
		parts[strings.ToLower(name)] = value
	}
	return parts, nil
}
