package s3_test

import (
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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
		{"an endpoint of another protocol", s3.Config{Endpoint: "ftp://TOPSECRET@host"}, backends.ErrInvalid, "https://"},
		{"an endpoint without a host", s3.Config{Endpoint: "https://:9000"}, backends.ErrInvalid, "https://"},
		{"an endpoint with a query", s3.Config{Endpoint: "https://host?x-id=TOPSECRET"}, backends.ErrInvalid, "no user, query"},
		{"an endpoint with a user", s3.Config{Endpoint: "https://AKIDSECRET:TOPSECRET@host"}, backends.ErrInvalid, "no user, query"},
		{"an endpoint with a fragment", s3.Config{Endpoint: "https://host#TOPSECRET"}, backends.ErrInvalid, "no user, query"},
		{"port 99999", s3.Config{Endpoint: "https://host:99999"}, backends.ErrInvalid, "1 to 65535"},
		{"port 0", s3.Config{Endpoint: "https://host:0"}, backends.ErrInvalid, "1 to 65535"},
		{"an endpoint and dual stack", s3.Config{Endpoint: "https://host", DualStack: true}, backends.ErrInvalid, "dual-stack"},
		{"an endpoint and FIPS", s3.Config{Endpoint: "https://host", FIPS: true}, backends.ErrInvalid, "FIPS"},
		{"an endpoint and acceleration", s3.Config{Endpoint: "https://host", Accelerate: true}, backends.ErrInvalid, "Accelerate"},
		{"acceleration and FIPS", s3.Config{Region: "us-east-1", Accelerate: true, FIPS: true}, backends.ErrInvalid, "Accelerate"},
		{"acceleration and path style", s3.Config{Region: "us-east-1", Accelerate: true, PathStyle: true}, backends.ErrInvalid, "Accelerate"},
		{"a region that is none", s3.Config{Region: "us east 1"}, backends.ErrInvalid, "region"},
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

func TestOpenTakesEveryEndpointThatCanBeReached(t *testing.T) {
	for _, cfg := range []s3.Config{
		{Endpoint: "https://host:65535/storage/v1/s3"}, {Endpoint: "http://[::1]:9000", AllowHTTP: true, PathStyle: true},
		{Region: "us-east-1", DualStack: true, FIPS: true}, {Region: "eu-west-1", Accelerate: true},
	} {
		store, err := s3.Open(t.Context(), "bucket", cfg)
		require.NoError(t, err, "%+v", cfg)
		require.NoError(t, store.Close())
	}
}

// stderr runs a func and returns what it wrote there, the standard library's log
// included.
func stderr(t *testing.T, run func()) string {
	path := filepath.Join(t.TempDir(), "stderr")
	file, err := os.Create(path)
	require.NoError(t, err)
	before := os.Stderr
	os.Stderr = file
	log.SetOutput(file)
	defer func() {
		os.Stderr = before
		log.SetOutput(before)
	}()
	run()
	require.NoError(t, file.Close())
	wrote, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(wrote)
}

func TestOpenMakesAClientThatLogsNothing(t *testing.T) {
	// The SDK complains of a metadata service that is old.
	metadata := serve(t, reply{status: 403})
	t.Setenv("AWS_EC2_METADATA_DISABLED", "false")
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", metadata.URL)
	server := serve(t, reply{status: 412, body: html})
	wrote := stderr(t, func() {
		store, err := s3.Open(t.Context(), "bucket", s3.Config{Endpoint: server.URL, AllowHTTP: true})
		require.NoError(t, err)
		_, err = put(t.Context(), store)
		require.ErrorIs(t, err, backends.ErrUnauthenticated)
		require.ErrorContains(t, err, "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
		require.NoError(t, store.Close())
	})
	require.NotEmpty(t, metadata.got(), "it was asked")
	require.Empty(t, wrote)
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
