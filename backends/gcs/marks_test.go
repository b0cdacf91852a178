package gcs_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"cloud.google.com/go/storage"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/gcs"
)

const between = "something between here and the store may have answered"

// sweep creates an object at a store that answers with each status in turn.
func sweep(t *testing.T, answer func(w http.ResponseWriter, status int), check func(status int, err error, failed *backends.Error)) {
	status := 0
	wi := newWire(t, func(w http.ResponseWriter, _ request) { answer(w, status) })
	store := wi.store(t)
	for status = 400; status <= 504; status++ {
		_, err := put(t.Context(), store)
		var failed *backends.Error
		require.ErrorAs(t, err, &failed)
		require.Equal(t, status, failed.Status)
		check(status, err, failed)
	}
	require.Len(t, lines(wi.take()), 105)
}

// A proxy, a gateway or a firewall can refuse the answer as well as the request,
// when the object is there already.
func TestWhatIsNotTheStoresOwnAnswerProvesNothingOfACreate(t *testing.T) {
	for name, body := range map[string]string{
		"no body":            "",
		"a page":             "<html><body>Blocked</body></html>",
		"a page with a code": "<html><Code>PreconditionFailed</Code></html>",
		"plain words":        "Precondition Failed",
		"JSON of a gateway":  `{"error":{"message":"conditionNotMet","status":"PERMISSION_DENIED"}}`,
		"JSON of another":    `{"fault":{"faultstring":"no","detail":{"errorcode":"conditionNotMet"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			sweep(t, func(w http.ResponseWriter, status int) { plain(status, body, false)(w) },
				func(_ int, err error, failed *backends.Error) {
					require.False(t, backends.IsDefinite(err), "%v", err)
					require.ErrorContains(t, err, between)
					require.Empty(t, failed.Code)
				})
		})
	}
}

func TestWhatIsTheStoresOwnAnswerRefusesACreate(t *testing.T) {
	want := map[int]error{
		400: backends.ErrInvalid, 401: backends.ErrUnauthenticated, 403: backends.ErrPermission, 404: backends.ErrNoBucket,
		429: backends.ErrThrottled,
	}
	is := func(want error, err error) {
		require.Equal(t, want != nil, backends.IsDefinite(err), "%v", err)
		if want != nil {
			require.ErrorIs(t, err, want)
		}
		require.NotContains(t, err.Error(), between)
	}
	sweep(t, func(w http.ResponseWriter, status int) { answer(w, status, "somethingNew", "no") },
		func(status int, err error, _ *backends.Error) { is(want[status], err) })
	want[412] = backends.ErrExists
	sweep(t, func(w http.ResponseWriter, status int) { plain(status, "", true)(w) },
		func(status int, err error, _ *backends.Error) { is(want[status], err) })
}

// What the SDK makes of such an answer is an object without a name.
func TestASuccessThatIsNotTheStoresIsNoObject(t *testing.T) {
	for name, body := range map[string]string{
		"nothing": "", "an empty object": "{}", "another object": `{"name":"other","generation":"7"}`,
		"no generation": `{"name":"` + key + `"}`, "a page": "<html>Log in</html>", "another kind": `[1]`,
	} {
		for op, read := range reads {
			if op == "delete" || op == "list" && strings.HasPrefix(body, "{") {
				continue
			}
			for api, opt := range map[string]func(wi *wire) *gcs.Store{
				"XML":  func(wi *wire) *gcs.Store { return wi.store(t, storage.WithXMLReads()) },
				"JSON": func(wi *wire) *gcs.Store { return wi.store(t, storage.WithJSONReads()) },
			} {
				t.Run(name+" to "+op+" by "+api, func(t *testing.T) {
					wi := newWire(t, func(w http.ResponseWriter, _ request) { _, _ = io.WriteString(w, body) })
					err := read(t.Context(), opt(wi))
					require.ErrorContains(t, err, between)
					require.NotErrorIs(t, err, backends.ErrNotExist)
				})
			}
		}
		t.Run(name+" to put", func(t *testing.T) {
			wi := newWire(t, func(w http.ResponseWriter, _ request) { _, _ = io.WriteString(w, body) })
			_, err := put(t.Context(), wi.store(t))
			require.ErrorContains(t, err, between)
			require.False(t, backends.IsDefinite(err))
		})
	}
}

// The content's answer is the store's, and that for its attributes is not.
func TestAttributesThatAreNotTheStoresAreNotThoseOfTheContent(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, r request) {
		if r.URL.Query().Get("alt") == "media" {
			w.Header().Set("X-Goog-Generation", "77")
		}
		_, _ = io.WriteString(w, "{}")
	})
	_, _, err := wi.store(t, storage.WithJSONReads()).Get(t.Context(), key)
	require.ErrorContains(t, err, between)
}

// A proxy's page has a date, and no generation.
func TestContentWithoutAGenerationIsNotTheStores(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, _ request) {
		w.Header().Set("Last-Modified", "Sun, 29 Nov 2026 12:00:00 GMT")
		_, _ = io.WriteString(w, "<html>Log in</html>")
	})
	_, _, err := wi.store(t, storage.WithXMLReads()).Get(t.Context(), key)
	require.ErrorContains(t, err, between)
}

func TestAnObjectThatComesToBeDuringAGetIsRead(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, r request) {
		switch r.count {
		case 1:
			plain(404, "Not Found", false)(w)
		case 2:
			describe(w, key, 4, 77, "")
		default:
			content(w, "body")
		}
	})
	body, attrs, err := wi.store(t, storage.WithXMLReads()).Get(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, "body", string(body))
	require.Equal(t, "77", attrs.ETag)
	require.Len(t, wi.take(), 3)
}

func TestAnswersThatContradictOneAnotherProveNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		second   func(w http.ResponseWriter)
		requests int
	}{
		"the object": {func(w http.ResponseWriter) { describe(w, key, 4, 77, "") }, 3},
		"no object":  {plain(200, "{}", false), 2},
	} {
		wi := newWire(t, func(w http.ResponseWriter, r request) {
			if r.count == 2 {
				tc.second(w)
				return
			}
			plain(404, "<html>Not Found</html>", false)(w)
		})
		_, _, err := wi.store(t, storage.WithXMLReads()).Get(t.Context(), key)
		require.ErrorContains(t, err, between, name)
		require.NotErrorIs(t, err, backends.ErrNotExist, name)
		require.Len(t, wi.take(), tc.requests)
	}
}
