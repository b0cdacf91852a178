package gcs_test

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"github.com/googleapis/gax-go/v2"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/option"

	"github.com/lancecommit/lancecommit/backends/gcs"
)

// A wire is a server that answers by a script and remembers what it was asked.
type wire struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []request
	script func(w http.ResponseWriter, r request)
}

// A request is one that arrived whole.
type request struct {
	*http.Request
	// count is how many came before and this one.
	count int
	body  []byte
}

// newWire starts a server. The script is called for one request after another.
func newWire(t testing.TB, script func(w http.ResponseWriter, r request)) *wire {
	wi := &wire{script: script}
	wi.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		wi.mu.Lock()
		defer wi.mu.Unlock()
		got := request{r, len(wi.asked) + 1, body}
		wi.asked = append(wi.asked, got)
		wi.script(w, got)
	}))
	t.Cleanup(wi.Close)
	return wi
}

// take returns the requests since the last take.
func (wi *wire) take() []request {
	wi.mu.Lock()
	defer wi.mu.Unlock()
	asked := wi.asked
	wi.asked = nil
	return asked
}

// client returns a client with the SDK's own retries, which pause shortly.
func (wi *wire) client(t testing.TB, opts ...option.ClientOption) *storage.Client {
	client, err := storage.NewClient(t.Context(), append([]option.ClientOption{
		option.WithEndpoint(wi.URL + "/storage/v1/"), option.WithoutAuthentication(),
	}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	client.SetRetry(storage.WithBackoff(gax.Backoff{Initial: time.Millisecond, Max: 2 * time.Millisecond}))
	return client
}

// store returns the store of a bucket "bucket" on the server.
func (wi *wire) store(t testing.TB, opts ...option.ClientOption) *gcs.Store {
	store, err := gcs.New(wi.client(t, opts...), "bucket", gcs.Options{})
	require.NoError(t, err)
	return store
}

// answer gives a JSON error as Google Cloud Storage has it.
func answer(w http.ResponseWriter, status int, reason, message string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.Header().Set("X-GUploader-UploadID", "upload-7")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"code": status, "message": message,
		"errors": []any{map[string]any{"domain": "global", "reason": reason, "message": message}},
	}})
}

// answerXML gives an error as the XML API has it.
func answerXML(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/xml; charset=UTF-8")
	w.Header().Set("X-GUploader-UploadID", "upload-7")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<?xml version='1.0' encoding='UTF-8'?><Error><Code>%s</Code><Message>%s</Message></Error>", code, message)
}

// describe gives the resource of an object.
func describe(w http.ResponseWriter, key string, size int, generation int64, metadata string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_ = json.NewEncoder(w).Encode(resource(key, size, generation, metadata))
}

func resource(key string, size int, generation int64, metadata string) map[string]any {
	o := map[string]any{
		"kind": "storage#object", "name": key, "bucket": "bucket", "size": fmt.Sprint(size),
		"generation": fmt.Sprint(generation), "updated": "2026-11-29T12:00:00.5Z", "etag": "CAE=",
	}
	if metadata != "" {
		o["metadata"] = map[string]string{"lancecommit": metadata}
	}
	return o
}

// drop breaks the connection.
func drop(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// cut sends a part of an answer and breaks the connection.
func cut(w http.ResponseWriter, head, part string) {
	conn, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_, _ = buffered.WriteString(head + "\r\n\r\n" + part)
	_ = buffered.Flush()
	_ = conn.Close()
}

// parts returns the two parts of an upload: the resource and the content.
func (r request) parts(t testing.TB) (object map[string]any, content []byte) {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	require.NoError(t, err)
	reader := multipart.NewReader(strings.NewReader(string(r.body)), params["boundary"])
	part, err := reader.NextPart()
	require.NoError(t, err)
	require.NoError(t, json.NewDecoder(part).Decode(&object))
	part, err = reader.NextPart()
	require.NoError(t, err)
	content, err = io.ReadAll(part)
	require.NoError(t, err)
	return object, content
}
