package gcs_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"
	"google.golang.org/api/option"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/gcs"
)

// ownOf returns a store of Open's, whose credentials ask a service for a token. No
// bucket listens.
func ownOf(t *testing.T, tokens string) *gcs.Store {
	subject := filepath.Join(t.TempDir(), "subject")
	require.NoError(t, os.WriteFile(subject, []byte("SECRET"), 0o600))
	text, err := json.Marshal(map[string]any{
		"type": "external_account", "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/p",
		"subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": tokens,
		"credential_source": map[string]string{"file": subject},
	})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "credentials.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	store, err := gcs.Open(t.Context(), "bucket", gcs.Config{Endpoint: "https://127.0.0.1:1", CredentialsFile: file})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func TestACreateThatEndsBeforeItHasATokenWroteNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	arrived, release := make(chan struct{}), make(chan struct{})
	service := newWire(t, func(w http.ResponseWriter, r request) {
		if r.count == 1 {
			close(arrived)
		}
		<-release
		drop(w)
	})
	go func() { <-arrived; cancel() }()
	_, err := put(ctx, ownOf(t, service.URL))
	close(release)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, backends.ErrNotStored)
	require.NotContains(t, err.Error(), "SECRET")
}

func TestACreateWhoseTokenServiceHangsUpWroteNothing(t *testing.T) {
	service := newWire(t, func(w http.ResponseWriter, _ request) { drop(w) })
	_, err := put(t.Context(), ownOf(t, service.URL))
	require.ErrorIs(t, err, backends.ErrNotStored)
	require.NotEmpty(t, service.take())
}

// A transport of the caller's that tries again can ask for another token after a
// request that arrived.
func TestATokenThatIsRefusedAfterTheBodyWasSentProvesNothing(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, _ request) { drop(w) })
	client := wi.client(t, option.WithHTTPClient(&http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		_, err := http.DefaultTransport.RoundTrip(r)
		require.Error(t, err)
		return nil, &oauth2.RetrieveError{Response: &http.Response{StatusCode: 401}, Body: []byte(`{"error":"invalid_grant"}`)}
	})}))
	store, err := gcs.New(client, "bucket", gcs.Options{})
	require.NoError(t, err)
	_, err = put(t.Context(), store)
	require.ErrorContains(t, err, "invalid_grant")
	require.False(t, backends.IsDefinite(err), "%v", err)
	require.Len(t, lines(wi.take()), 1)
}
