package gcs_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/gcs"
)

// content gives the content of an object as the XML API does.
func content(w http.ResponseWriter, body string) {
	w.Header().Set("X-Goog-Generation", "77")
	w.Header().Set("X-Goog-Meta-Lancecommit", "who=me")
	w.Header().Set("Last-Modified", "Sun, 29 Nov 2026 12:00:00 GMT")
	_, _ = io.WriteString(w, body)
}

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func TestGetIsOneRequest(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, _ request) { content(w, "body") })
	body, attrs, err := wi.store(t).Get(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, "body", string(body))
	require.Equal(t, backends.Attrs{Size: 4, ETag: "77", VersionID: "77", Modified: noon, Metadata: "who=me"}, attrs)
	require.Equal(t, []string{"GET /bucket/" + key}, lines(wi.take()))
}

// The JSON API gives the content without its time and metadata.
func TestGetThroughTheJSONAPIAsksForTheAttributesOfWhatItRead(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, r request) {
		if r.URL.Query().Get("alt") == "media" {
			w.Header().Set("X-Goog-Generation", "77")
			_, _ = io.WriteString(w, "body")
			return
		}
		require.Equal(t, "77", r.URL.Query().Get("generation"))
		describe(w, key, 4, 77, "who=me")
	})
	body, attrs, err := wi.store(t, storage.WithJSONReads()).Get(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, "body", string(body))
	require.Equal(t, backends.Attrs{
		Size: 4, ETag: "77", VersionID: "77", Modified: noon.Add(time.Second / 2), Metadata: "who=me",
	}, attrs)
	require.Len(t, lines(wi.take()), 2)
}

func TestHeadIsOneRequest(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, _ request) { describe(w, key, 4, 77, "who=me") })
	attrs, err := wi.store(t).Head(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, backends.Attrs{
		Size: 4, ETag: "77", VersionID: "77", Modified: noon.Add(time.Second / 2), Metadata: "who=me",
	}, attrs)
	require.Equal(t, []string{"GET /storage/v1/b/bucket/o/" + key}, lines(wi.take()))
}

// reads are all methods that write nothing, and Delete.
var reads = map[string]func(ctx context.Context, store backends.Store) error{
	"get": func(ctx context.Context, store backends.Store) error {
		_, _, err := store.Get(ctx, key)
		return err
	},
	"head": func(ctx context.Context, store backends.Store) error {
		_, err := store.Head(ctx, key)
		return err
	},
	"list": func(ctx context.Context, store backends.Store) error {
		_, err := store.List(ctx, backends.ListInput{Prefix: "t/"})
		return err
	},
	"delete": func(ctx context.Context, store backends.Store) error { return store.Delete(ctx, key) },
}

func TestWhatAnAnswerMeansToARead(t *testing.T) {
	for _, tc := range []struct {
		name          string
		status        int
		reason        string
		text          string
		want          error
		notForListing bool
	}{
		{"a refusal, which could hide an absent key", 403, "forbidden", "Permission denied on resource (or it may not exist).", backends.ErrPermission, false},
		{"no credentials", 401, "required", "Anonymous caller does not have access", backends.ErrUnauthenticated, false},
		{"a missing bucket", 404, "notFound", "The specified bucket does not exist.", backends.ErrNoBucket, false},
		{"a missing key", 404, "notFound", "No such object: bucket/t/_versions/1.manifest", backends.ErrNotExist, true},
		{"a malformed request", 400, "invalid", "Invalid argument", backends.ErrInvalid, false},
		{"a rate", 429, "rateLimitExceeded", "slow", backends.ErrThrottled, false},
		{"an object under a key of the customer's own", 400, "resourceIsEncryptedWithCustomerEncryptionKey", "encrypted", backends.ErrUnsupported, true},
		{"an outage", 503, "backendError", "Backend Error", nil, false},
		{"an outage", 500, "internalError", "Internal Error", nil, false},
	} {
		for op, read := range reads {
			if op == "list" && tc.notForListing {
				continue
			}
			for api, opt := range map[string]func(t *testing.T, wi *wire) *gcs.Store{
				"XML":  func(t *testing.T, wi *wire) *gcs.Store { return wi.store(t, storage.WithXMLReads()) },
				"JSON": func(t *testing.T, wi *wire) *gcs.Store { return wi.store(t, storage.WithJSONReads()) },
			} {
				t.Run(op+" and "+tc.name+" through "+api, func(t *testing.T) {
					wi := newWire(t, func(w http.ResponseWriter, r request) {
						switch {
						case strings.HasPrefix(r.URL.Path, "/bucket/"):
							answerXML(w, tc.status, tc.reason, tc.text)
						case r.URL.Query().Get("alt") == "media":
							plain(tc.status, tc.text, true)(w)
						default:
							answer(w, tc.status, tc.reason, tc.text)
						}
					})
					err := read(t.Context(), opt(t, wi))
					if op == "delete" && tc.want == backends.ErrNotExist {
						require.NoError(t, err)
						return
					}
					require.Error(t, err)
					switch {
					case tc.want == nil:
						require.False(t, backends.IsDefinite(err), "%v", err)
						require.NotErrorIs(t, err, backends.ErrNotExist)
					case api == "JSON" && op == "get" && tc.want == backends.ErrUnsupported:
						// Content comes with a text and no code.
						require.ErrorIs(t, err, backends.ErrInvalid)
					default:
						require.ErrorIs(t, err, tc.want)
					}
					require.Contains(t, err.Error(), tc.text)
					require.LessOrEqual(t, len(wi.take()), 3, "requests")
				})
			}
		}
	}
}

// A page of a proxy, or of a wrong address, does not make a table empty.
func TestWhatSomethingOnTheWayDoesNotFindIsNotAbsent(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, _ request) { plain(404, "<html>Not Found</html>", false)(w) })
	for op, read := range reads {
		err := read(t.Context(), wi.store(t))
		require.Error(t, err, op)
		require.NotErrorIs(t, err, backends.ErrNotExist, op)
		require.NotErrorIs(t, err, backends.ErrNoBucket, op)
	}
}

func TestAReadIsTriedThreeTimes(t *testing.T) {
	for op, read := range reads {
		if op == "delete" {
			continue
		}
		wi := newWire(t, func(w http.ResponseWriter, r request) {
			answer(w, 503, "backendError", "Backend Error")
		})
		err := read(t.Context(), wi.store(t))
		var failed *backends.Error
		require.ErrorAs(t, err, &failed)
		require.Equal(t, 503, failed.Status)
		require.Len(t, lines(wi.take()), 3, op)
	}
}

func TestContentThatIsCutShortIsReadOnFromThere(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, r request) {
		if r.count == 1 {
			cut(w, "HTTP/1.1 200 OK\r\nX-Goog-Generation: 77\r\nLast-Modified: Sun, 29 Nov 2026 12:00:00 GMT\r\nContent-Length: 4", "bo")
			return
		}
		require.Equal(t, "bytes=2-", r.Header.Get("Range"))
		require.Equal(t, "77", r.URL.Query().Get("generation"))
		w.Header().Set("Content-Range", "bytes 2-3/4")
		w.WriteHeader(206)
		_, _ = io.WriteString(w, "dy")
	})
	body, attrs, err := wi.store(t).Get(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, "body", string(body))
	require.EqualValues(t, 4, attrs.Size)
}

func TestAReadThatHangsEndsWithItsContext(t *testing.T) {
	for op, read := range reads {
		ctx, cancel := context.WithCancel(t.Context())
		release := make(chan struct{})
		wi := newWire(t, func(http.ResponseWriter, request) {
			cancel()
			<-release
		})
		err := read(ctx, wi.store(t))
		close(release)
		require.ErrorIs(t, err, context.Canceled, op)
		require.NotErrorIs(t, err, backends.ErrNotExist, op)
	}
}

func TestReadsPayForTheRequester(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, r request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/bucket/"):
			require.Equal(t, "payer", r.Header.Get("X-Goog-User-Project"))
			content(w, "body")
			return
		case r.Method == http.MethodDelete:
			w.WriteHeader(204)
		case strings.HasSuffix(r.URL.Path, "/o"):
			_, _ = io.WriteString(w, "{}")
		default:
			describe(w, key, 4, 77, "")
		}
		require.Equal(t, "payer", r.URL.Query().Get("userProject"))
	})
	store, err := gcs.New(wi.client(t), "bucket", gcs.Options{UserProject: "payer"})
	require.NoError(t, err)
	for op, read := range reads {
		require.NoError(t, read(t.Context(), store), op)
	}
	require.Len(t, lines(wi.take()), 4)
}

// lines writes requests as method and path.
func lines(asked []request) []string {
	var lines []string
	for _, r := range asked {
		lines = append(lines, r.Method+" "+r.URL.Path)
	}
	return lines
}
