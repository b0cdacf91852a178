package all

import (
	"context"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/gcs"
)

func gcsOptions(c *gcs.Config) []option {
	var allowHTTP bool
	return []option{
		{[]string{"google_service_account_key", "service_account_key"}, text(&c.ServiceAccountKey)},
		{[]string{
			"google_service_account", "service_account", "google_service_account_path", "service_account_path",
		}, text(&c.ServiceAccountPath)},
		{[]string{"google_application_credentials", "application_credentials"}, text(&c.CredentialsFile)},
		{[]string{"google_skip_signature", "skip_signature", "anonymous"}, truth(&c.Anonymous)},
		{[]string{"google_base_url", "base_url", "google_endpoint", "endpoint"}, text(&c.Endpoint)},
		{[]string{"google_kms_key_name", "kms_key_name"}, text(&c.KMSKeyName)},
		{[]string{"google_user_project", "user_project"}, text(&c.UserProject)},
		// An http endpoint is an emulator, which gets no credentials.
		{[]string{"allow_http"}, truth(&allowHTTP)},
	}
}

func openGCS(ctx context.Context, at *place) (Store, error) {
	var c gcs.Config
	if err := at.apply(gcsOptions(&c)); err != nil {
		return nil, &backends.Error{Op: "open", Key: at.bucket, Err: err}
	}
	s, err := gcs.Open(ctx, at.bucket, c)
	if err != nil {
		return nil, err
	}
	return s, nil
}
