package gcs

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"

	"cloud.google.com/go/storage"
	"google.golang.org/api/option"

	"github.com/lancecommit/lancecommit/backends"
)

// A Config says how to reach a bucket. The zero value means Google's own
// endpoint with the application default credentials: those that
// GOOGLE_APPLICATION_CREDENTIALS names, that gcloud left, or that the machine
// has. At most one of Anonymous, ServiceAccountKey, ServiceAccountPath and
// CredentialsFile may be set.
type Config struct {
	Options

	// Endpoint is the address of the API without a path, such as
	// "http://127.0.0.1:4443" for an emulator or
	// "https://storage-xyz.p.googleapis.com". Credentials are never sent to an
	// http address, which is for emulators. Empty means Google's own, or what
	// STORAGE_EMULATOR_HOST names.
	Endpoint string
	// Anonymous sends no credentials.
	Anonymous bool
	// ServiceAccountKey is the key of a service account, the JSON itself.
	ServiceAccountKey string
	// ServiceAccountPath is a file with such a key.
	ServiceAccountPath string
	// CredentialsFile is a file of any type that application default
	// credentials may have. One that names other services to ask, as external
	// accounts do, must come from somebody you trust.
	CredentialsFile string
}

// Open returns the store of a bucket with a client of its own, which makes no
// OpenTelemetry spans; one that does is for [New]. Close it after use. It makes
// no request to the bucket; finding the machine's credentials may make one to
// its metadata service.
//
// A malformed name, option or key is [backends.ErrInvalid], a file that cannot
// be read or credentials that are not to be found [backends.ErrUnauthenticated].
func Open(ctx context.Context, bucket string, cfg Config) (*Store, error) {
	s, err := open(ctx, bucket, cfg)
	if err != nil {
		var failed *backends.Error
		if errors.As(err, &failed) {
			return nil, failed
		}
		return nil, &backends.Error{Op: "open", Key: bucket, Err: err}
	}
	return s, nil
}

func open(ctx context.Context, bucket string, cfg Config) (*Store, error) {
	if err := check(bucket, cfg.Options); err != nil {
		return nil, err
	}
	opts, err := cfg.clientOptions()
	if err != nil {
		return nil, err
	}
	client, err := storage.NewClient(ctx, opts...)
	if err != nil {
		// Credentials are all that a client needs; that they are found says
		// nothing of whether they work.
		return nil, fmt.Errorf("%w: no credentials could be made ready (%w); log in with gcloud, name a file, or be anonymous",
			backends.ErrUnauthenticated, err)
	}
	s, err := New(client, bucket, cfg.Options)
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	s.owned = client
	return s, nil
}

func (cfg Config) clientOptions() ([]option.ClientOption, error) {
	credentials, err := cfg.credentials()
	if err != nil {
		return nil, err
	}
	// The XML API tells metadata and time with the content.
	reads := storage.WithXMLReads()
	// Spans of the SDK's own cost what they cost also where nobody collects them.
	opts := []option.ClientOption{option.WithTelemetryDisabled()}
	if endpoint := cfg.endpoint(); endpoint != "" {
		u, err := url.Parse(endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" ||
			u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
			// Not repeated: it could hold a credential.
			return nil, fmt.Errorf("%w: the endpoint is not http:// or https:// with a host and nothing else", backends.ErrInvalid)
		}
		if port, err := strconv.ParseUint(cmp.Or(u.Port(), "443"), 10, 16); err != nil || port == 0 {
			return nil, fmt.Errorf("%w: the endpoint has a port that is none; ports are 1 to 65535", backends.ErrInvalid)
		}
		if u.Scheme == "http" {
			if credentials != nil && !cfg.Anonymous {
				return nil, fmt.Errorf("%w: credentials are not sent to the http endpoint %s", backends.ErrInvalid, u.Host)
			}
			credentials = option.WithoutAuthentication()
			// Emulators route the XML API by the name of their host.
			reads = storage.WithJSONReads()
		}
		opts = append(opts, option.WithEndpoint(u.Scheme+"://"+u.Host+"/storage/v1/"))
	}
	if credentials != nil {
		return append(opts, credentials, reads), nil
	}
	// The SDK would find out at the first request. What else is wrong with the
	// file, it says when the client is made.
	const byDefault = "GOOGLE_APPLICATION_CREDENTIALS"
	if isJSON(os.Getenv(byDefault)) {
		return nil, errKeyForPath(byDefault)
	}
	if text, err := os.ReadFile(os.Getenv(byDefault)); err == nil {
		if err := checkKey(text); err != nil {
			return nil, err
		}
	}
	return append(opts, reads), nil
}

func (cfg Config) endpoint() string {
	emulator := os.Getenv("STORAGE_EMULATOR_HOST")
	switch {
	case cfg.Endpoint != "" || emulator == "":
		return cfg.Endpoint
	case strings.Contains(emulator, "://"):
		return emulator
	}
	return "http://" + emulator
}

// credentials returns nil for the application default credentials.
func (cfg Config) credentials() (option.ClientOption, error) {
	var set []string
	var chosen option.ClientOption
	if cfg.Anonymous {
		set, chosen = append(set, "Anonymous"), option.WithoutAuthentication()
	}
	if cfg.ServiceAccountKey != "" {
		key := []byte(cfg.ServiceAccountKey)
		if typeOf(key) != option.ServiceAccount {
			return nil, fmt.Errorf("%w: the service account key is not JSON with the type %q",
				backends.ErrInvalid, option.ServiceAccount)
		}
		if err := checkKey(key); err != nil {
			return nil, err
		}
		set, chosen = append(set, "ServiceAccountKey"), option.WithAuthCredentialsJSON(option.ServiceAccount, key)
	}
	for _, file := range []struct{ name, path string }{
		{"ServiceAccountPath", cfg.ServiceAccountPath}, {"CredentialsFile", cfg.CredentialsFile},
	} {
		if file.path == "" {
			continue
		}
		if isJSON(file.path) {
			return nil, errKeyForPath(file.name)
		}
		text, err := os.ReadFile(file.path)
		if err != nil {
			return nil, fmt.Errorf("%w: the file of %s: %w", backends.ErrUnauthenticated, file.name, err)
		}
		kind := typeOf(text)
		if kind == "" || file.name == "ServiceAccountPath" && kind != option.ServiceAccount {
			return nil, fmt.Errorf("%w: %s holds no such credentials", backends.ErrInvalid, file.path)
		}
		if err := checkKey(text); err != nil {
			return nil, err
		}
		set, chosen = append(set, file.name), option.WithAuthCredentialsJSON(kind, text)
	}
	if len(set) > 1 {
		return nil, fmt.Errorf("%w: %s are set; choose one", backends.ErrInvalid, strings.Join(set, " and "))
	}
	return chosen, nil
}

// isJSON reports whether the name of a file is what was to be in the file, which
// must not be repeated.
func isJSON(path string) bool { return strings.HasPrefix(strings.TrimSpace(path), "{") }

func errKeyForPath(name string) error {
	return fmt.Errorf("%w: %s is the JSON of a key, and is to be the name of its file; a service account's JSON is given as ServiceAccountKey",
		backends.ErrInvalid, name)
}

// typeOf returns the type that credentials say they have.
func typeOf(text []byte) option.CredentialsType {
	var credentials struct{ Type option.CredentialsType }
	_ = json.Unmarshal(text, &credentials)
	return credentials.Type
}

// checkKey refuses a service account whose private key cannot be read. It quotes
// nothing of it.
func checkKey(text []byte) error {
	var account struct {
		Type       option.CredentialsType
		PrivateKey string `json:"private_key"`
	}
	_ = json.Unmarshal(text, &account)
	if account.Type != option.ServiceAccount {
		return nil
	}
	block, _ := pem.Decode([]byte(account.PrivateKey))
	if block == nil {
		return fmt.Errorf("%w: the private_key of the service account is not in PEM: it starts with -----BEGIN PRIVATE KEY----- "+
			"and has its line ends as \\n", backends.ErrInvalid)
	}
	_, pkcs8 := x509.ParsePKCS8PrivateKey(block.Bytes)
	_, pkcs1 := x509.ParsePKCS1PrivateKey(block.Bytes)
	_, ec := x509.ParseECPrivateKey(block.Bytes)
	if pkcs8 != nil && pkcs1 != nil && ec != nil {
		return fmt.Errorf("%w: the private_key of the service account is damaged; download the key again", backends.ErrInvalid)
	}
	return nil
}
