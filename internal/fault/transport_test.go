package fault_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/internal/fault"
)

// A recorder is a server that remembers the requests.
type recorder struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

func record(t *testing.T) *recorder {
	r := &recorder{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.seen = append(r.seen, req.Method+" "+req.URL.RequestURI()+" "+string(body))
		w.Header().Set("X-Count", string(rune('0'+len(r.seen))))
		_, _ = io.WriteString(w, req.URL.RawQuery)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *recorder) requests() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.seen...)
}

func TestFaultsOfTheTransport(t *testing.T) {
	const put = "PUT /b/k body"
	for _, tc := range []struct {
		script string
		// status is 0 where there is no answer.
		status      int
		code, after string
		now, later  []string
	}{
		{script: "", status: http.StatusOK, now: []string{put}, later: []string{put}},
		{script: "PUT=before", status: http.StatusInternalServerError, code: "InternalError"},
		{script: "PUT=after", now: []string{put}, later: []string{put}},
		{script: "PUT=late:50ms", later: []string{put}},
		{script: "PUT=duplicate", status: http.StatusOK, now: []string{put, put}, later: []string{put, put}},
		{script: "PUT=contended", status: http.StatusConflict, code: "ConditionalRequestConflict"},
		{script: "PUT=throttled:1500ms", status: http.StatusTooManyRequests, code: "SlowDown", after: "2"},
		{script: "PUT=denied", status: http.StatusForbidden, code: "AccessDenied"},
		{script: "PUT=stall"},
	} {
		t.Run(tc.script, func(t *testing.T) {
			server := record(t)
			injector := fault.New(parse(t, tc.script))
			client := &http.Client{Transport: injector.Transport(server.Client().Transport)}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tc.script == "PUT=stall" {
				time.AfterFunc(10*time.Millisecond, cancel)
			}
			request, err := http.NewRequestWithContext(ctx, http.MethodPut, server.URL+"/b/k", strings.NewReader("body"))
			require.NoError(t, err)
			request.Header.Set("If-None-Match", "*")
			response, err := client.Do(request)
			if tc.now != nil || tc.later == nil {
				require.ElementsMatch(t, tc.now, server.requests())
			}
			if tc.status == 0 {
				require.Error(t, err)
			} else {
				require.NoError(t, err)
				body, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
				require.Equal(t, tc.status, response.StatusCode)
				require.Equal(t, tc.after, response.Header.Get("Retry-After"))
				require.Contains(t, string(body), tc.code)
				require.Equal(t, tc.code, response.Header.Get("X-Ms-Error-Code"))
			}
			injector.Wait()
			require.ElementsMatch(t, tc.later, server.requests())
		})
	}
}

func TestTheTransportTellsRequestsApart(t *testing.T) {
	for _, tc := range []struct{ method, target, condition, want string }{
		{"PUT", "/b/k", "*", "PUT"},
		{"PUT", "/b/k", "", "OVERWRITE"},
		{"GET", "/b/k", "", "GET"},
		{"HEAD", "/b/k", "", "HEAD"},
		{"DELETE", "/b/k", "", "DELETE"},
		{"GET", "/b?list-type=2&prefix=a", "", "LIST"},
		{"GET", "/acc/c?restype=container&comp=list", "", "LIST"},
		{"GET", "/storage/v1/b/bucket/o?prefix=a", "", "LIST"},
		{"GET", "/storage/v1/b/bucket/o/k?alt=json", "", "HEAD"},
		{"GET", "/storage/v1/b/bucket/o/k?alt=media", "", "GET"},
		{"POST", "/upload/storage/v1/b/bucket/o?uploadType=multipart", "", "PUT"},
		{"PUT", "/acc/c?restype=container", "", ""},
		{"POST", "/token", "", ""},
	} {
		server := record(t)
		// Each method that can be denied is, and so tells its name.
		script := fault.FromSeed(1, fault.Rates{fault.Denied: 1}, 0)
		client := &http.Client{Transport: fault.New(script).Transport(server.Client().Transport)}
		request, err := http.NewRequestWithContext(t.Context(), tc.method, server.URL+tc.target, nil)
		require.NoError(t, err)
		if tc.condition != "" {
			request.Header.Set("If-None-Match", tc.condition)
		}
		response, err := client.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		want := ""
		if tc.want != "" {
			want = tc.want + "=denied"
		}
		require.Equal(t, want, script.String(), "%s %s", tc.method, tc.target)
		require.Len(t, server.requests(), map[bool]int{true: 1, false: 0}[tc.want == ""])
	}
}

func TestListingsOfTheTransport(t *testing.T) {
	for _, tc := range []struct{ target, short string }{
		{"/b?list-type=2&max-keys=1000", "list-type=2&max-keys=2"},
		{"/acc/c?comp=list", "comp=list&maxresults=2"},
		{"/storage/v1/b/bucket/o?prefix=a", "maxResults=2&prefix=a"},
	} {
		server := record(t)
		injector := fault.New(parse(t, "LIST=stale,stale,short:2"))
		client := &http.Client{Transport: injector.Transport(server.Client().Transport)}
		get := func() (count, body string) {
			response, err := client.Get(server.URL + tc.target)
			require.NoError(t, err)
			content, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			return response.Header.Get("X-Count"), string(content)
		}
		count, _ := get()
		require.Equal(t, "1", count, "there is nothing old yet")
		count, _ = get()
		require.Equal(t, "1", count, "the answer from before")
		count, body := get()
		require.Equal(t, "2", count)
		require.Equal(t, tc.short, body)
	}
}
