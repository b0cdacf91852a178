package azure_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
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
				err := read.call(t.Context(), a.store(t))
				require.Error(t, err)
				requireOnly(t, none, err)
				require.ErrorContains(t, err, "something between here and the store may have answered")
			})
		}
	}
}
