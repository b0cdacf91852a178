package gcs_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/gcs"
)

func TestAnEmulatorNeedsNoCredentials(t *testing.T) {
	// Whatever the machine has is not sent to it either.
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "absent.json"))
	for _, cfg := range []gcs.Config{{}, {Anonymous: true}, {Endpoint: "from the environment"}} {
		wi := newWire(t, func(w http.ResponseWriter, r request) {
			require.Empty(t, r.Header.Get("Authorization"))
			describe(w, key, 4, 77, "")
		})
		if cfg.Endpoint == "" {
			cfg.Endpoint = wi.URL
		} else {
			cfg.Endpoint = ""
			t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(wi.URL, "http://"))
		}
		store, err := gcs.Open(t.Context(), "bucket", cfg)
		require.NoError(t, err)
		require.Empty(t, lines(wi.take()), "opening makes no request")
		_, err = put(t.Context(), store)
		require.NoError(t, err)
		_, err = store.Head(t.Context(), key)
		require.NoError(t, err)
		require.NoError(t, store.Close())
		require.Len(t, lines(wi.take()), 2)
	}
}

func TestCloseLeavesTheCallersClient(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, _ request) { describe(w, key, 4, 77, "") })
	client := wi.client(t)
	first, err := gcs.New(client, "bucket", gcs.Options{})
	require.NoError(t, err)
	second, err := gcs.New(client, "bucket", gcs.Options{})
	require.NoError(t, err)
	require.NoError(t, first.Close())
	_, err = second.Head(t.Context(), key)
	require.NoError(t, err)
}

func TestWhatCannotBeOpened(t *testing.T) {
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "absent.json"))
	user := filepath.Join(t.TempDir(), "user.json")
	require.NoError(t, os.WriteFile(user, []byte(`{"type":"authorized_user","refresh_token":"SECRET"}`), 0o600))
	signer, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	whole := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(signer)})
	account := func(key string) string {
		text, err := json.Marshal(map[string]string{"type": "service_account", "client_email": "a@b", "private_key": key})
		require.NoError(t, err)
		return string(text)
	}
	damaged := account(string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("SECRET")})))
	broken := filepath.Join(t.TempDir(), "broken.json")
	require.NoError(t, os.WriteFile(broken, []byte(damaged), 0o600))
	garbage := filepath.Join(t.TempDir(), "garbage.json")
	require.NoError(t, os.WriteFile(garbage, []byte("SECRET"), 0o600))
	for name, tc := range map[string]struct {
		bucket string
		cfg    gcs.Config
		want   error
	}{
		"no bucket":              {"", gcs.Config{Anonymous: true}, backends.ErrInvalid},
		"a URL as the bucket":    {"gs://bucket", gcs.Config{Anonymous: true}, backends.ErrInvalid},
		"a path in the bucket":   {"bucket/table", gcs.Config{Anonymous: true}, backends.ErrInvalid},
		"a KMS key with version": {"bucket", gcs.Config{Options: gcs.Options{KMSKeyName: "projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1"}}, backends.ErrInvalid},
		"two kinds of credentials": {"bucket", gcs.Config{
			Anonymous: true, ServiceAccountKey: `{"type":"service_account","private_key":"SECRET"}`,
		}, backends.ErrInvalid},
		"a key that is no JSON":       {"bucket", gcs.Config{ServiceAccountKey: "SECRET"}, backends.ErrInvalid},
		"a key of another type":       {"bucket", gcs.Config{ServiceAccountKey: `{"type":"external_account","x":"SECRET"}`}, backends.ErrInvalid},
		"a key that is no PEM":        {"bucket", gcs.Config{ServiceAccountKey: account("SECRET")}, backends.ErrInvalid},
		"a key with damaged lines":    {"bucket", gcs.Config{ServiceAccountKey: account(strings.ReplaceAll(string(whole), "\n", "SECRET"))}, backends.ErrInvalid},
		"a key without any":           {"bucket", gcs.Config{ServiceAccountKey: account("")}, backends.ErrInvalid},
		"a key that is damaged":       {"bucket", gcs.Config{ServiceAccountKey: damaged}, backends.ErrInvalid},
		"a file of a damaged key":     {"bucket", gcs.Config{ServiceAccountPath: broken}, backends.ErrInvalid},
		"a file of any type with one": {"bucket", gcs.Config{CredentialsFile: broken}, backends.ErrInvalid},
		"a port that is none":         {"bucket", gcs.Config{Endpoint: "http://host:99999"}, backends.ErrInvalid},
		"a file that is not there":    {"bucket", gcs.Config{CredentialsFile: user + "x"}, backends.ErrUnauthenticated},
		"a key for its file":          {"bucket", gcs.Config{ServiceAccountPath: account("SECRET")}, backends.ErrInvalid},
		"a key for any file":          {"bucket", gcs.Config{CredentialsFile: " " + account("SECRET")}, backends.ErrInvalid},
		"a file of another type":      {"bucket", gcs.Config{ServiceAccountPath: user}, backends.ErrInvalid},
		"a file of no credentials":    {"bucket", gcs.Config{CredentialsFile: garbage}, backends.ErrInvalid},
		"credentials that are absent": {"bucket", gcs.Config{}, backends.ErrUnauthenticated},
		"an endpoint with a path":     {"bucket", gcs.Config{Endpoint: "https://host/SECRET"}, backends.ErrInvalid},
		"an endpoint with a user":     {"bucket", gcs.Config{Endpoint: "https://SECRET@host"}, backends.ErrInvalid},
		"an endpoint with a query":    {"bucket", gcs.Config{Endpoint: "https://host?key=SECRET"}, backends.ErrInvalid},
		"an endpoint without scheme":  {"bucket", gcs.Config{Endpoint: "127.0.0.1:4443"}, backends.ErrInvalid},
		"credentials over http":       {"bucket", gcs.Config{Endpoint: "http://host", CredentialsFile: user}, backends.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := gcs.Open(t.Context(), tc.bucket, tc.cfg)
			require.ErrorIs(t, err, tc.want)
			require.NotContains(t, err.Error(), "SECRET")
			require.Less(t, len(err.Error()), 400)
			var failed *backends.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, "open", failed.Op)
		})
	}
	_, err = gcs.New(nil, "bucket", gcs.Options{})
	require.ErrorIs(t, err, backends.ErrInvalid)

	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", broken)
	_, err = gcs.Open(t.Context(), "bucket", gcs.Config{})
	require.ErrorIs(t, err, backends.ErrInvalid)
	require.NotContains(t, err.Error(), "SECRET")
	store, err := gcs.Open(t.Context(), "bucket", gcs.Config{ServiceAccountKey: account(string(whole))})
	require.NoError(t, err)
	require.NoError(t, store.Close())
}

func TestEveryCallRefusesMalformedKeysBeforeAnythingIsSent(t *testing.T) {
	wi := newWire(t, func(http.ResponseWriter, request) {})
	store := wi.store(t)
	for _, bad := range []string{"", "a//b", "../a", "nul\x00", strings.Repeat("k", 1025)} {
		_, err := store.PutIfAbsent(t.Context(), bad, nil, backends.PutOptions{})
		require.ErrorIs(t, err, backends.ErrInvalid)
		require.ErrorIs(t, store.Delete(t.Context(), bad), backends.ErrInvalid)
	}
	_, err := store.PutIfAbsent(t.Context(), "a", nil, backends.PutOptions{Metadata: "a b"})
	require.ErrorIs(t, err, backends.ErrInvalid)
	require.Empty(t, lines(wi.take()))
}

func TestTheClientOfOpenMakesNoSpans(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, _ request) { describe(w, key, 4, 77, "who=me") })
	store, err := gcs.Open(t.Context(), "bucket", gcs.Config{Endpoint: wi.URL})
	require.NoError(t, err)
	defer store.Close()
	var calls string
	_, err = store.Head(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		GetConn: func(string) { calls = string(debug.Stack()) },
	}), key)
	require.NoError(t, err)
	require.Contains(t, calls, "net/http.(*Transport).RoundTrip")
	require.NotContains(t, calls, "otelhttp")
}

func TestAKeyInPlaceOfTheDefaultFileIsNotRepeated(t *testing.T) {
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", `{"type":"service_account","private_key":"SECRET"}`)
	_, err := gcs.Open(t.Context(), "bucket", gcs.Config{})
	require.ErrorIs(t, err, backends.ErrInvalid)
	require.ErrorContains(t, err, "GOOGLE_APPLICATION_CREDENTIALS is the JSON of a key")
	require.NotContains(t, err.Error(), "SECRET")
}
