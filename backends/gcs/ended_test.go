package gcs_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"cloud.google.com/go/storage"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"
	"google.golang.org/api/option"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/gcs"
)

func TestAnEndedContextSendsNothing(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, _ request) { describe(w, key, 4, 1, "") })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := put(ctx, wi.store(t))
	require.ErrorIs(t, err, backends.ErrNotStored)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, lines(wi.take()))
}

func TestAContextThatEndsDuringACreateLeavesTheOutcomeUnknown(t *testing.T) {
	release := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	wi := newWire(t, func(http.ResponseWriter, request) {
		cancel()
		<-release
	})
	_, err := put(ctx, wi.store(t))
	close(release)
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, backends.IsDefinite(err), "%v", err)
	require.Len(t, lines(wi.take()), 1)
}

// A server that took a part of a body for the whole would publish it.
func TestAContextThatEndsWhileTheBodyIsSentPublishesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	whole := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadFull(r.Body, make([]byte, 1<<20))
		if err == nil {
			cancel()
			_, err = io.Copy(io.Discard, r.Body)
		}
		whole <- err
	}))
	defer server.Close()
	client, err := storage.NewClient(t.Context(), option.WithEndpoint(server.URL+"/storage/v1/"), option.WithoutAuthentication())
	require.NoError(t, err)
	defer client.Close()
	store, err := gcs.New(client, "bucket", gcs.Options{})
	require.NoError(t, err)
	_, err = store.PutIfAbsent(ctx, key, make([]byte, 64<<20), backends.PutOptions{})
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, backends.IsDefinite(err), "%v", err)
	require.Error(t, <-whole, "the server must see that the body is not whole")
}

func TestManyCancelledCreatesLeaveNothingRunning(t *testing.T) {
	var ended context.CancelFunc
	wi := newWire(t, func(w http.ResponseWriter, _ request) {
		ended()
		drop(w)
	})
	store := wi.store(t)
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		wi.mu.Lock()
		ended = cancel
		wi.mu.Unlock()
		_, err := put(ctx, store)
		require.Error(t, err)
		cancel()
	}
	require.Len(t, lines(wi.take()), 100)
}

func TestWithoutAConnectionNothingWasStored(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := listener.Addr().String()
	require.NoError(t, listener.Close())
	client, err := storage.NewClient(t.Context(), option.WithEndpoint("http://"+nobody+"/storage/v1/"), option.WithoutAuthentication())
	require.NoError(t, err)
	defer client.Close()
	store, err := gcs.New(client, "bucket", gcs.Options{})
	require.NoError(t, err)
	_, err = put(t.Context(), store)
	require.ErrorIs(t, err, backends.ErrNotStored)
}

// A transport of the caller's that tries again can meet a refused connection
// after a request that arrived.
func TestARefusedConnectionAfterAnotherAttemptProvesNothing(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, _ request) { drop(w) })
	client := wi.client(t, option.WithHTTPClient(&http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		_, err := http.DefaultTransport.RoundTrip(r)
		return nil, errors.Join(&net.OpError{Op: "dial", Err: errors.New("refused")}, err)
	})}))
	store, err := gcs.New(client, "bucket", gcs.Options{})
	require.NoError(t, err)
	_, err = put(t.Context(), store)
	require.Error(t, err)
	require.False(t, backends.IsDefinite(err), "%v", err)
	require.Len(t, lines(wi.take()), 1)
}

type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestCredentialsThatGiveNoTokenStoreNothing(t *testing.T) {
	for _, tc := range []struct {
		status int
		body   string
		want   error
	}{
		{400, `{"error":"invalid_grant","error_description":"Invalid JWT: check your iat and exp values"}`, backends.ErrUnauthenticated},
		{401, `{"error":"invalid_client"}`, backends.ErrUnauthenticated},
		{503, `SECRET`, backends.ErrNotStored},
	} {
		wi := newWire(t, func(w http.ResponseWriter, _ request) { describe(w, key, 4, 1, "") })
		tokens := newWire(t, func(w http.ResponseWriter, _ request) {
			w.Header().Set("Content-Type", "application/json")
			plain(tc.status, tc.body, false)(w)
		})
		client, err := storage.NewClient(t.Context(), option.WithEndpoint(wi.URL+"/storage/v1/"), option.WithTokenSource((&oauth2.Config{
			ClientID: "id", ClientSecret: "SECRET", Endpoint: oauth2.Endpoint{TokenURL: tokens.URL, AuthStyle: oauth2.AuthStyleInParams},
		}).TokenSource(t.Context(), &oauth2.Token{RefreshToken: "SECRET"})))
		require.NoError(t, err)
		defer client.Close()
		store, err := gcs.New(client, "bucket", gcs.Options{})
		require.NoError(t, err)
		_, err = put(t.Context(), store)
		require.ErrorIs(t, err, tc.want)
		require.True(t, backends.IsDefinite(err))
		require.NotContains(t, err.Error(), "SECRET")
		require.Empty(t, lines(wi.take()))
	}
}
