package s3_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/s3"
)

func TestOpenReachesTheBucketAsToldTo(t *testing.T) {
	for _, tc := range []struct {
		name   string
		env    map[string]string
		cfg    s3.Config
		signed string // what the signature has, "" for none
		token  string
	}{
		{"by key", nil, s3.Config{AccessKeyID: "AKIDSECRET", SecretAccessKey: "TOPSECRET"}, "AKIDSECRET/DATE/us-east-1/s3", ""},
		{
			"by temporary key in a region", nil,
			s3.Config{AccessKeyID: "AKIDSECRET", SecretAccessKey: "TOPSECRET", SessionToken: "SESSIONSECRET", Region: "eu-west-1"},
			"AKIDSECRET/DATE/eu-west-1/s3", "SESSIONSECRET",
		},
		{
			"by the environment",
			map[string]string{"AWS_ACCESS_KEY_ID": "AKIDENV", "AWS_SECRET_ACCESS_KEY": "x", "AWS_REGION": "eu-north-1"},
			s3.Config{}, "AKIDENV/DATE/eu-north-1/s3", "",
		},
		{
			"anonymously, whatever the environment has",
			map[string]string{"AWS_ACCESS_KEY_ID": "AKIDENV", "AWS_SECRET_ACCESS_KEY": "x"},
			s3.Config{Anonymous: true}, "", "",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for name, value := range tc.env {
				t.Setenv(name, value)
			}
			server := serve(t, created)
			tc.cfg.Endpoint, tc.cfg.AllowHTTP = server.URL, true
			store, err := s3.Open(t.Context(), "bucket", tc.cfg)
			require.NoError(t, err)
			_, err = put(t.Context(), store)
			require.NoError(t, err)
			require.NoError(t, store.Close())
			r := server.only(t)
			require.Equal(t, "/bucket/t/1", r.URL.Path, "an IP address has path style")
			require.Equal(t, tc.token, r.Header.Get("x-amz-security-token"))
			_, signed, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
			day := strings.Split(signed, "/")
			if tc.signed == "" {
				require.Empty(t, signed)
				return
			}
			require.Contains(t, signed, strings.Replace(tc.signed, "DATE", day[1], 1))
		})
	}
}

func TestOpenRefusesWhatCannotBeMeant(t *testing.T) {
	for _, tc := range []struct {
		name string
		cfg  s3.Config
		want error
		text string
	}{
		{"HTTP without permission", s3.Config{Endpoint: "HTTP://minio:9000"}, backends.ErrInvalid, "allow HTTP"},
		{"no region", s3.Config{}, backends.ErrInvalid, "AWS_REGION"},
		{"half a key", s3.Config{AccessKeyID: "AKIDSECRET"}, backends.ErrInvalid, "id and a secret"},
		{"a token alone", s3.Config{SessionToken: "SESSIONSECRET"}, backends.ErrInvalid, "id and a secret"},
		{
			"a key and anonymous", s3.Config{AccessKeyID: "AKIDSECRET", SecretAccessKey: "TOPSECRET", Anonymous: true},
			backends.ErrInvalid, "anonymous",
		},
		{"Google", s3.Config{Endpoint: "https://storage.googleapis.com"}, backends.ErrUnsupported, "Google"},
		{"a profile that is not there", s3.Config{Profile: "nobody"}, backends.ErrInvalid, "nobody"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := s3.Open(t.Context(), "bucket", tc.cfg)
			failure(t, err, "open", "bucket")
			require.ErrorIs(t, err, tc.want)
			require.ErrorContains(t, err, tc.text)
		})
	}
}

func TestOpenRefusesAnHTTPEndpointOfTheEnvironmentToo(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL_S3", "http://minio:9000")
	_, err := s3.Open(t.Context(), "bucket", s3.Config{})
	require.ErrorIs(t, err, backends.ErrInvalid)
	require.ErrorContains(t, err, "allow HTTP")
}

func TestWithoutCredentialsNothingIsSent(t *testing.T) {
	server := serve(t, created)
	store, err := s3.Open(t.Context(), "bucket", s3.Config{Endpoint: server.URL, AllowHTTP: true})
	require.NoError(t, err)
	for op, call := range wire {
		err := call(t.Context(), store)
		failure(t, err, op, "t/1")
		require.ErrorIs(t, err, backends.ErrUnauthenticated)
	}
	require.Empty(t, server.got())
	require.NoError(t, store.Close())
}

func TestCloseClosesTheConnectionsOfOpen(t *testing.T) {
	closed := make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answerAll.act(w, r) }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	server.Start()
	defer server.Close()
	store, err := s3.Open(t.Context(), "bucket", s3.Config{Endpoint: server.URL, AllowHTTP: true, Anonymous: true})
	require.NoError(t, err)
	_, err = put(t.Context(), store)
	require.NoError(t, err)
	require.NoError(t, store.Close())
	<-closed
}

func TestOpenNeverFollowsARedirectOfACreate(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		moved := func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/bucket/there", status) }
		server := serve(t, reply{act: moved}, answerAll)
		store, err := s3.Open(t.Context(), "bucket", s3.Config{Endpoint: server.URL, AllowHTTP: true, Anonymous: true})
		require.NoError(t, err)
		_, err = put(t.Context(), store)
		requireOnly(t, err, unknown)
		server.only(t)
		require.NoError(t, store.Close())
	}
}

func TestOpenFollowsTheRedirectsOfReadsThatTheSDKDoes(t *testing.T) {
	for status, requests := range map[int]int{301: 1, 302: 1, 307: 2, 308: 2} {
		moved := func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/bucket/there", status) }
		server := serve(t, reply{act: moved}, object)
		store, err := s3.Open(t.Context(), "bucket", s3.Config{Endpoint: server.URL, AllowHTTP: true, Anonymous: true})
		require.NoError(t, err)
		_, _, err = store.Get(t.Context(), "t/1")
		require.Equal(t, requests == 2, err == nil, "%d: %v", status, err)
		require.Len(t, server.got(), requests)
		require.NoError(t, store.Close())
	}
}
