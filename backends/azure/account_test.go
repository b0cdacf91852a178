package azure_test

import (
	"crypto/md5"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/azure"
)

const root = "/tables"

// An account is a server that answers as the blob service does, with one
// container, unless a script answers in its place. It keeps each request.
type account struct {
	*httptest.Server
	// script answers a request, or returns false to let the account do so. It
	// sees the requests of one method only, numbered from 1.
	method string
	script func(n int, w http.ResponseWriter, r *http.Request) bool

	mu       sync.Mutex
	requests []request
	blobs    map[string]stored
}

type request struct {
	method, uri string
	header      http.Header
	body        string
}

type stored struct {
	body, metadata string
}

// newAccount starts a server whose requests of one method are answered by a
// script.
func newAccount(t testing.TB, method string, script func(n int, w http.ResponseWriter, r *http.Request) bool) *account {
	t.Helper()
	a := &account{method: method, script: script, blobs: map[string]stored{}}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

// store opens the container with the client that a program would have, with
// retries that come fast.
func (a *account) store(t testing.TB) *azure.Store {
	t.Helper()
	return a.storeWith(t, policy.RetryOptions{RetryDelay: time.Millisecond})
}

func (a *account) storeWith(t testing.TB, retry policy.RetryOptions) *azure.Store {
	t.Helper()
	opts := &container.ClientOptions{}
	opts.Retry = retry
	opts.Transport = a.Client()
	client, err := container.NewClientWithNoCredential(a.URL+root+"?sig=topsecret%3D&se=2030", opts)
	require.NoError(t, err)
	store, err := azure.New(client, azure.Options{})
	require.NoError(t, err)
	return store
}

// of returns the requests of a method.
func (a *account) of(method string) []request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(a.requests), func(r request) bool { return r.method != method })
}

// count is how many requests of a method came.
func (a *account) count(method string) int { return len(a.of(method)) }

// total is how many requests came.
func (a *account) total() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.requests)
}

func (a *account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.Method
	switch r.URL.Query().Get("comp") {
	case "list":
		method = "LIST"
	case "batch":
		method = "BATCH"
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	a.mu.Lock()
	a.requests = append(a.requests, request{method, r.RequestURI, r.Header.Clone(), string(body)})
	scripted, script := a.method, a.script
	a.mu.Unlock()
	if method == scripted && script != nil && script(a.count(method), w, r) {
		return
	}
	a.serve(w, r)
}

// serve is the blob service itself.
func (a *account) serve(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	mark(w)
	key, _ := strings.CutPrefix(r.URL.Path, root+"/")
	blob, there := a.blobs[key]
	switch {
	case r.URL.Query().Get("comp") == "list":
		a.list(w, r.URL.Query().Get("prefix"))
	case r.URL.Query().Get("comp") == "batch":
		batch(w, r, func(part *http.Request) (int, string) {
			key, _ := strings.CutPrefix(part.URL.Path, root+"/")
			if _, there := a.blobs[key]; !there {
				return 404, "BlobNotFound"
			}
			delete(a.blobs, key)
			return 202, ""
		})
	case r.Method == http.MethodPut:
		if there && r.Header.Get("If-None-Match") == "*" {
			fails(w, 409, "BlobAlreadyExists")
			return
		}
		body, _ := io.ReadAll(r.Body)
		a.blobs[key] = stored{string(body), r.Header.Get("x-ms-meta-lancecommit")}
		describe(w, a.blobs[key])
		w.WriteHeader(201)
	case !there:
		fails(w, 404, "BlobNotFound")
	case r.Method == http.MethodDelete:
		delete(a.blobs, key)
		w.WriteHeader(202)
	default:
		describe(w, blob)
		w.Header().Set("x-ms-blob-type", "BlockBlob")
		w.Header().Set("Content-Length", fmt.Sprint(len(blob.body)))
		_, _ = io.WriteString(w, blob.body)
	}
}

func (a *account) list(w http.ResponseWriter, prefix string) {
	keys := make([]string, 0, len(a.blobs))
	for key := range a.blobs {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var b strings.Builder
	b.WriteString("<EnumerationResults><Blobs>")
	for _, key := range keys {
		if rest, ok := strings.CutPrefix(key, prefix); ok && !strings.Contains(rest, "/") {
			b.WriteString("<Blob><Name>")
			_ = xml.EscapeText(&b, []byte(key))
			fmt.Fprintf(&b, "</Name><Properties><Etag>%s</Etag><Content-Length>%d</Content-Length>"+
				"<Last-Modified>%s</Last-Modified></Properties></Blob>",
				etag(a.blobs[key]), len(a.blobs[key].body), written)
		}
	}
	b.WriteString("</Blobs><NextMarker/></EnumerationResults>")
	_, _ = io.WriteString(w, b.String())
}

// written is when all objects were.
const written = "Sun, 29 Nov 2026 12:00:00 GMT"

func etag(blob stored) string { return fmt.Sprintf("0x%X", md5.Sum([]byte(blob.body))) }

// mark writes the headers that every answer of the service has.
func mark(w http.ResponseWriter) {
	w.Header().Set("x-ms-request-id", "request-7")
	w.Header().Set("x-ms-version", "2026-12-06")
}

// describe writes the headers that tell of an object, their names in the case
// that Azure has them in.
func describe(w http.ResponseWriter, blob stored) {
	w.Header().Set("ETag", `"`+etag(blob)+`"`)
	w.Header().Set("Last-Modified", written)
	w.Header().Set("x-ms-version-id", "v1")
	if blob.metadata != "" {
		w.Header().Set("X-Ms-Meta-LanceCommit", blob.metadata)
	}
}

// fails answers with an error as Azure does: the code in a header and in the
// body.
func fails(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	mark(w)
	if code != "" {
		w.Header().Set("x-ms-error-code", code)
	}
	w.WriteHeader(status)
	if code != "" {
		fmt.Fprintf(w, "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>No.</Message></Error>", code)
	}
}

// answer is a script that answers every request with an error.
func answer(status int, code string) func(int, http.ResponseWriter, *http.Request) bool {
	return func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		fails(w, status, code)
		return true
	}
}

// drop is a script that hangs up on every request, having read it.
func drop(_ int, w http.ResponseWriter, _ *http.Request) bool {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
	return true
}
