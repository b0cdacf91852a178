package gcs_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"github.com/googleapis/gax-go/v2"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/option"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/gcs"
)

const key = "t/_versions/1.manifest"

// put creates the object that the tests of creates are about.
func put(ctx context.Context, store backends.Store) (backends.Attrs, error) {
	return store.PutIfAbsent(ctx, key, []byte("body"), backends.PutOptions{Metadata: "who=me"})
}

func TestACreateIsOneConditionalUploadOfTheWholeBody(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, r request) { describe(w, key, 4, 1764417600000001, "who=me") })
	attrs, err := put(t.Context(), wi.store(t))
	require.NoError(t, err)
	require.Equal(t, backends.Attrs{
		Size: 4, ETag: "1764417600000001", VersionID: "1764417600000001",
		Modified: time.Date(2026, 11, 29, 12, 0, 0, 500_000_000, time.UTC),
	}, attrs)

	asked := wi.take()
	require.Len(t, asked, 1)
	require.Equal(t, http.MethodPost, asked[0].Method)
	require.Equal(t, "/upload/storage/v1/b/bucket/o", asked[0].URL.Path)
	query := asked[0].URL.Query()
	require.Equal(t, "multipart", query.Get("uploadType"))
	require.Equal(t, key, query.Get("name"))
	require.Equal(t, []string{"0"}, query["ifGenerationMatch"])
	require.NotContains(t, query, "kmsKeyName")
	require.NotContains(t, query, "userProject")
	object, content := asked[0].parts(t)
	require.Equal(t, "body", string(content))
	require.Equal(t, map[string]any{"lancecommit": "who=me"}, object["metadata"])
	sum := binary.BigEndian.AppendUint32(nil, crc32.Checksum([]byte("body"), crc32.MakeTable(crc32.Castagnoli)))
	require.Equal(t, base64.StdEncoding.EncodeToString(sum), object["crc32c"], "the checksum that makes a body that was cut short fail")
}

func TestACreateHasItsOwnMetadataOrNone(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, _ request) { describe(w, key, 4, 1, "") })
	store := wi.store(t)
	for _, metadata := range []string{"first", "", "second", "third", "fourth"} {
		_, err := store.PutIfAbsent(t.Context(), key, []byte("body"), backends.PutOptions{Metadata: metadata})
		require.NoError(t, err)
		object, _ := wi.take()[0].parts(t)
		if metadata == "" {
			require.NotContains(t, object, "metadata")
			continue
		}
		require.Equal(t, map[string]any{"lancecommit": metadata}, object["metadata"])
	}
}

func TestACreateSendsWhatTheBucketDemands(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, r request) { describe(w, key, 4, 1, "") })
	kms := "projects/p/locations/eu/keyRings/r/cryptoKeys/k"
	store, err := gcs.New(wi.client(t), "bucket", gcs.Options{KMSKeyName: kms, UserProject: "payer"})
	require.NoError(t, err)
	_, err = put(t.Context(), store)
	require.NoError(t, err)
	query := wi.take()[0].URL.Query()
	require.Equal(t, kms, query.Get("kmsKeyName"))
	require.Equal(t, "payer", query.Get("userProject"))
	require.Equal(t, "0", query.Get("ifGenerationMatch"))
}

// failures are what can go wrong with a request, and what it proves about a
// create. Nil means nothing.
var failures = []struct {
	name   string
	script func(w http.ResponseWriter)
	want   error
	status int
	code   string
}{
	{"400", jsonError(400, "invalid", "Invalid argument."), backends.ErrInvalid, 400, "invalid"},
	{"401", jsonError(401, "authError", "Invalid Credentials"), backends.ErrUnauthenticated, 401, "authError"},
	{"403", jsonError(403, "forbidden", "x@y does not have storage.objects.create access"), backends.ErrPermission, 403, "forbidden"},
	{"403 for the rate", jsonError(403, "rateLimitExceeded", "slow down"), backends.ErrThrottled, 403, "rateLimitExceeded"},
	{"404", jsonError(404, "notFound", "The specified bucket does not exist."), backends.ErrNoBucket, 404, "notFound"},
	{"412", jsonError(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold."), backends.ErrExists, 412, "conditionNotMet"},
	{"429", jsonError(429, "rateLimitExceeded", "The object exceeded the rate limit"), backends.ErrThrottled, 429, "rateLimitExceeded"},
	{"501 for the condition", jsonError(501, "notImplemented", "not implemented"), backends.ErrUnsupported, 501, "notImplemented"},
	{"412 in plain words", plain(412, "Precondition Failed", true), backends.ErrExists, 412, ""},
	{"404 in plain words", plain(404, "Not Found", true), backends.ErrNoBucket, 404, ""},

	{"408", jsonError(408, "requestTimeout", "timeout"), nil, 408, "requestTimeout"},
	{"409", jsonError(409, "conflict", "conflict"), nil, 409, "conflict"},
	{"412 for a policy", jsonError(412, "orgPolicyConstraintFailed", "constraint"), nil, 412, "orgPolicyConstraintFailed"},
	{"500", jsonError(500, "backendError", "Backend Error"), nil, 500, "backendError"},
	{"500 without a body", plain(500, "", false), nil, 500, ""},
	{"501", plain(501, "", false), nil, 501, ""},
	{"502", plain(502, "<html>Bad Gateway</html>", false), nil, 502, ""},
	{"503", jsonError(503, "backendError", "try again"), nil, 503, "backendError"},
	{"504", plain(504, "", false), nil, 504, ""},
	{"307 to elsewhere", func(w http.ResponseWriter) {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(307)
	}, nil, 307, ""},
	{"200 with an error as its body", func(w http.ResponseWriter) {
		_, _ = io.WriteString(w, `{"error":{"code":503,"message":"Backend Error"}}`)
	}, nil, 0, ""},
	{"200 about another object", func(w http.ResponseWriter) { describe(w, "other", 4, 7, "") }, nil, 0, ""},
	{"200 with another size", func(w http.ResponseWriter) { describe(w, key, 3, 7, "") }, nil, 0, ""},
	{"200 without a generation", func(w http.ResponseWriter) { describe(w, key, 4, 0, "") }, nil, 0, ""},
	{"200 without a body", plain(200, "", false), nil, 0, ""},
	{"200 with a page", plain(200, "<html>Log in to the wireless network</html>", false), nil, 0, ""},
	{"200 cut short", func(w http.ResponseWriter) {
		cut(w, "HTTP/1.1 200 OK\r\nContent-Length: 500", `{"name":"t/_vers`)
	}, nil, 0, ""},
	{"412 cut short", func(w http.ResponseWriter) {
		cut(w, "HTTP/1.1 412 Precondition Failed\r\nContent-Length: 500", `{"err`)
	}, nil, 412, ""},
	{"the connection breaks", drop, nil, 0, ""},
}

func jsonError(status int, reason, message string) func(w http.ResponseWriter) {
	return func(w http.ResponseWriter) { answer(w, status, reason, message) }
}

// plain answers without JSON, as Google Cloud Storage itself or as something on
// the way to it.
func plain(status int, body string, google bool) func(w http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		if google {
			w.Header().Set("X-GUploader-UploadID", "upload-7")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestWhatAnAnswerProvesAboutACreate(t *testing.T) {
	var script func(w http.ResponseWriter)
	wi := newWire(t, func(w http.ResponseWriter, _ request) { script(w) })
	store := wi.store(t)
	for _, tc := range failures {
		t.Run(tc.name, func(t *testing.T) {
			script = tc.script
			_, err := put(t.Context(), store)
			require.Error(t, err)
			require.Len(t, lines(wi.take()), 1, "requests")
			require.Equal(t, tc.want != nil, backends.IsDefinite(err), "definite: %v", err)
			if tc.want != nil {
				require.ErrorIs(t, err, tc.want)
			}
			var failed *backends.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, "put", failed.Op)
			require.Equal(t, key, failed.Key)
			require.Equal(t, tc.status, failed.Status)
			require.Equal(t, tc.code, failed.Code)
			if tc.code != "" {
				require.Equal(t, "upload-7", failed.RequestID)
			}
		})
	}
}

func TestWhatSomethingOnTheWayAnswersProvesNothing(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 409, 412, 429} {
		wi := newWire(t, func(w http.ResponseWriter, _ request) { plain(status, "<html>proxy</html>", false)(w) })
		_, err := put(t.Context(), wi.store(t))
		require.Error(t, err)
		require.False(t, backends.IsDefinite(err), "%v", err)
		require.NotContains(t, err.Error(), "html")
	}
}

func TestACreateIsSentOnceThoughTheClientRetries(t *testing.T) {
	for name, script := range map[string]func(w http.ResponseWriter){
		"500": jsonError(500, "backendError", "Backend Error"), "503": jsonError(503, "backendError", "Backend Error"),
		"429": jsonError(429, "rateLimitExceeded", "slow"), "408": jsonError(408, "requestTimeout", "timeout"),
		"dropped": drop,
	} {
		t.Run(name, func(t *testing.T) {
			// The first request makes a connection that the second one uses again:
			// transports have retries of their own for those.
			wi := newWire(t, func(w http.ResponseWriter, r request) {
				if r.count == 1 {
					describe(w, key, 4, 1, "")
					return
				}
				script(w)
			})
			client, err := storage.NewClient(t.Context(), option.WithEndpoint(wi.URL+"/storage/v1/"), option.WithoutAuthentication())
			require.NoError(t, err)
			defer client.Close()
			client.SetRetry(storage.WithPolicy(storage.RetryAlways))
			store, err := gcs.New(client, "bucket", gcs.Options{})
			require.NoError(t, err)
			_, err = put(t.Context(), store)
			require.NoError(t, err)

			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, err = put(ctx, store)
			require.Error(t, err)
			require.Len(t, lines(wi.take()), 2, "two creates are two requests")
		})
	}
}

// Such a client keeps the body to send it again, also when it is told not to cut
// it into chunks.
func TestACreateIsSentOnceByAClientThatSpeaksGRPC(t *testing.T) {
	for name, status := range map[string]string{
		"unavailable": "14", "for its rate": "8", "internal": "13", "too late": "4",
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				w.Header().Set("Content-Type", "application/grpc")
				w.Header().Set("Grpc-Status", status)
			}))
			server.Config.Protocols = new(http.Protocols)
			server.Config.Protocols.SetUnencryptedHTTP2(true)
			server.Start()
			defer server.Close()
			t.Setenv("STORAGE_EMULATOR_HOST_GRPC", server.Listener.Addr().String())
			client, err := storage.NewGRPCClient(t.Context(), storage.WithDisabledClientMetrics())
			require.NoError(t, err)
			defer client.Close()
			client.SetRetry(storage.WithBackoff(gax.Backoff{Initial: time.Millisecond, Max: 2 * time.Millisecond}))
			store, err := gcs.New(client, "bucket", gcs.Options{})
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			_, err = put(ctx, store)
			require.Error(t, err)
			require.False(t, backends.IsDefinite(err), "%v", err)
			require.EqualValues(t, 1, asked.Load(), "requests")
		})
	}
}

func TestNoErrorHasACredential(t *testing.T) {
	for _, script := range []func(w http.ResponseWriter){
		drop, jsonError(403, "forbidden", "no"), plain(403, "SECRET", false), plain(502, "<a>SECRET", true),
	} {
		wi := newWire(t, func(w http.ResponseWriter, _ request) { script(w) })
		address := strings.Replace(wi.URL, "http://", "http://SECRET:SECRET@", 1) + "/storage/v1/?key=SECRET"
		store := wi.store(t, option.WithEndpoint(address), option.WithHTTPClient(&http.Client{Transport: roundTrip(
			func(r *http.Request) (*http.Response, error) {
				r.Header.Set("Authorization", "Bearer SECRET")
				return http.DefaultTransport.RoundTrip(r)
			})}))
		_, err := put(t.Context(), store)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "SECRET")
		_, _, err = store.Get(t.Context(), key)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "SECRET")
		_, err = store.List(t.Context(), backends.ListInput{})
		require.Error(t, err)
		require.NotContains(t, err.Error(), "SECRET")
	}
}

func TestAServerThatRepeatsTheTokenDoesNotLeakIt(t *testing.T) {
	const sent = "Authorization: Bearer ya29.SECRET"
	wi := newWire(t, func(w http.ResponseWriter, _ request) {
		w.Header().Set("X-GUploader-UploadID", sent)
		answer(w, 403, "forbidden "+sent, "you sent "+sent)
	})
	_, err := put(t.Context(), wi.store(t))
	var failed *backends.Error
	require.ErrorAs(t, err, &failed)
	require.ErrorIs(t, err, backends.ErrPermission)
	require.NotContains(t, err.Error()+failed.Code+failed.RequestID, "SECRET")
}

func TestTheStoreSaysHowLongToWait(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, _ request) {
		w.Header().Set("Retry-After", "7")
		answer(w, 429, "rateLimitExceeded", "slow")
	})
	_, err := put(t.Context(), wi.store(t))
	var failed *backends.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, 7*time.Second, failed.RetryAfter)
}
