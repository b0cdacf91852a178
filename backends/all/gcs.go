package all

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/gcs"
)

func gcsOptions(c *gcs.Config) []option {
	var allowHTTP bool
	return []option{
		truth(&c.Anonymous, "google_skip_signature", "skip_signature", "anonymous").as("nobody"),
		custom(setAccessID(c), "access_id").as("nobody of gocloud"),
		text(&c.ServiceAccountKey, "google_service_account_key", "service_account_key").as("key"),
		text(&c.ServiceAccountPath,
			"google_service_account", "service_account", "google_service_account_path", "service_account_path").as("file of a key"),
		text(&c.CredentialsFile, "google_application_credentials", "application_credentials").as("file").bySDK(),
		text(&c.Endpoint, "google_base_url", "base_url", "google_endpoint", "endpoint"),
		text(&c.KMSKeyName, "google_kms_key_name", "kms_key_name"),
		text(&c.UserProject, "google_user_project", "user_project"),
		// An http endpoint is an emulator, which gets no credentials.
		truth(&allowHTTP, "allow_http"),
	}
}

// setAccessID takes gocloud's word for nobody. Other ids are of no use.
func setAccessID(c *gcs.Config) func(string) error {
	return func(value string) error {
		if value != "-" {
			return errors.New("is for signing URLs, which nothing here does; leave it out, and name credentials in google_service_account")
		}
		c.Anonymous = true
		return nil
	}
}

func openGCS(ctx context.Context, at *place) (Store, error) {
	c, err := at.gcs()
	if err != nil {
		return nil, &backends.Error{Op: "open", Key: at.bucket, Err: err}
	}
	s, err := gcs.Open(ctx, at.bucket, *c)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// gcs reads the options and the environment.
func (at *place) gcs() (*gcs.Config, error) {
	c := new(gcs.Config)
	options := gcsOptions(c)
	if err := at.apply(options); err != nil {
		return nil, err
	}
	if err := at.readEnvironment(options); err != nil {
		return nil, err
	}
	isEmulator := strings.HasPrefix(strings.ToLower(c.Endpoint), "http://") ||
		c.Endpoint == "" && os.Getenv("STORAGE_EMULATOR_HOST") != ""
	if isEmulator && !at.hasCredentials {
		// What the environment has is not for it.
		c.ServiceAccountKey, c.ServiceAccountPath = "", ""
	}
	return c, nil
}
