package azure_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/azure"
)

// shouted is an answer of something that is not the store, or of the store.
type shouted struct {
	name, header, body string
}

func (s shouted) as(status int) func(int, http.ResponseWriter, *http.Request) bool {
	return func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		if s.header != "" {
			w.Header().Set("x-ms-error-code", s.header)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, s.body)
		return true
	}
}

// A proxy, a gateway or a firewall can refuse the answer as well as the request,
// when the object is there already.
func TestWhatIsNotTheStoresOwnAnswerProvesNothingOfACreate(t *testing.T) {
	for _, from := range []shouted{
		{"no body", "", ""},
		{"a page", "", "<html><body>Blocked</body></html>"},
		{"a page with a code", "", "<html><body><code>BlobAlreadyExists</code></body></html>"},
		{"a page with the code of a condition", "", "<html><body><Code>ConditionNotMet</Code></body></html>"},
		{"JSON of a gateway", "", `{"error":{"code":"AuthorizationFailure","message":"no"}}`},
		{"XML of a gateway", "", "<response><code>AccountIsDisabled</code></response>"},
		{"an error in XML without a code", "", "<Error><Message>No.</Message></Error>"},
	} {
		t.Run(from.name, func(t *testing.T) {
			status := 0
			a := newAccount(t, "PUT", func(n int, w http.ResponseWriter, r *http.Request) bool { return from.as(status)(n, w, r) })
			store := a.store(t)
			for status = 400; status <= 504; status++ {
				_, err := store.PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
				require.Error(t, err)
				requireOnly(t, none, err)
				require.ErrorContains(t, err, "something between here and the store may have answered")
				var typed *backends.Error
				require.ErrorAs(t, err, &typed)
				require.Equal(t, status, typed.Status)
				require.Empty(t, typed.Code, "the name is not the store's")
			}
			require.Equal(t, 105, a.total())
		})
	}
}

func TestWhatIsTheStoresOwnAnswerRefusesACreate(t *testing.T) {
	want := map[int]error{
		401: backends.ErrUnauthenticated, 403: backends.ErrPermission, 429: backends.ErrThrottled, 501: backends.ErrUnsupported,
	}
	for _, from := range []shouted{
		{"the code in the header", "SomethingNew", ""},
		{"the code in the body", "", "\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>SomethingNew</Code></Error>"},
		{"a page that the header belies", "SomethingNew", "<html></html>"},
	} {
		t.Run(from.name, func(t *testing.T) {
			status := 0
			a := newAccount(t, "PUT", func(n int, w http.ResponseWriter, r *http.Request) bool { return from.as(status)(n, w, r) })
			store := a.store(t)
			for status = 400; status <= 504; status++ {
				_, err := store.PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
				require.Error(t, err)
				requireOnly(t, want[status], err)
				require.NotContains(t, err.Error(), "something between")
				var typed *backends.Error
				require.ErrorAs(t, err, &typed)
				require.Equal(t, "SomethingNew", typed.Code)
			}
		})
	}
}

func TestAnObjectIsAbsentOnlyByTheStoresOwnWord(t *testing.T) {
	for _, read := range reads {
		for _, body := range []string{"", "<html><code>BlobNotFound</code></html>", `{"error":{"code":"BlobNotFound"}}`} {
			t.Run(fmt.Sprintf("%s %q", read.op, body), func(t *testing.T) {
				a := newAccount(t, read.method, shouted{body: body}.as(404))
				err := read.run(t.Context(), a.store(t))
				require.Error(t, err)
				requireOnly(t, none, err)
				require.ErrorContains(t, err, "something between here and the store may have answered")
			})
		}
	}
}

// page is a script that answers every request with the page of a web server.
func page(status int) func(int, http.ResponseWriter, *http.Request) bool {
	return func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		const text = "<html>please log in</html>"
		w.Header().Set("ETag", `"5f3c-1a2b"`)
		w.Header().Set("Last-Modified", written)
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
		return true
	}
}

// portal answers as one does to a client that has not logged in.
var portal = page(200)

// calls are all methods that make a request.
var calls = append([]call{{"put", "PUT", func(ctx context.Context, s *azure.Store) error {
	_, err := s.PutIfAbsent(ctx, "t/new", []byte("content"), backends.PutOptions{})
	return err
}}}, reads...)

// without answers as the service does, but for some headers of the answer.
func (a *account) without(headers ...string) func(int, http.ResponseWriter, *http.Request) bool {
	return func(_ int, w http.ResponseWriter, r *http.Request) bool {
		own := httptest.NewRecorder()
		a.serve(own, r)
		for name, values := range own.Header() {
			if !slices.ContainsFunc(headers, func(h string) bool { return strings.EqualFold(h, name) }) {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(own.Code)
		if r.Method != http.MethodHead {
			_, _ = w.Write(own.Body.Bytes())
		}
		return true
	}
}

func TestASuccessCountsWithTheMarksOfTheStoreOnly(t *testing.T) {
	const version, kind, id = "x-ms-version", "x-ms-blob-type", "x-ms-request-id"
	all := []string{"put", "get", "head", "list", "delete", "bulkdelete"}
	for _, tc := range []struct {
		dropped []string
		// missed is the header without which the operations fail.
		missed string
		by     []string
	}{
		{nil, "", nil},
		{[]string{id}, "", nil},
		{[]string{version, kind, id}, version, all},
		{[]string{version}, version, all}, // the login page of Microsoft Entra ID has a request ID
		{[]string{kind}, kind, []string{"get", "head"}},
		{[]string{"ETag"}, "ETag", []string{"put", "get", "head"}},
		{[]string{"Content-Length"}, "Content-Length", []string{"head"}},
	} {
		for _, call := range calls {
			t.Run(fmt.Sprint(call.op, " without ", tc.dropped), func(t *testing.T) {
				var a *account
				a = newAccount(t, call.method, func(n int, w http.ResponseWriter, r *http.Request) bool {
					return a.without(tc.dropped...)(n, w, r)
				})
				a.lay("t/1", []byte("content"))
				err := call.run(t.Context(), a.store(t))
				require.Equal(t, 1, a.total())
				if !slices.Contains(tc.by, call.op) {
					require.NoError(t, err)
					return
				}
				require.Error(t, err)
				requireOnly(t, none, err)
				require.ErrorContains(t, err, "has no "+tc.missed+": something between here and the store may have answered")
				var typed *backends.Error
				require.ErrorAs(t, err, &typed)
				require.Equal(t, call.op, typed.Op)
			})
		}
	}
}

func TestAPageOfAWebServerProvesNothing(t *testing.T) {
	for _, status := range []int{200, 201, 202, 206} {
		for _, call := range calls {
			t.Run(fmt.Sprint(status, " to ", call.op), func(t *testing.T) {
				a := newAccount(t, call.method, page(status))
				err := call.run(t.Context(), a.store(t))
				require.Error(t, err)
				requireOnly(t, none, err)
				require.Equal(t, 1, a.total())
			})
		}
	}
}
