package servers

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// behind starts a server that a proxy stands before. It echoes what it was sent
// and counts.
func behind(t *testing.T) (p *Proxy, served *atomic.Int32) {
	t.Helper()
	served = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.Method+" "+r.RequestURI)
		w.Header().Set("X-Host", r.Host)
		w.Header().Set("X-Agent", r.Header.Get("User-Agent")+r.Header.Get("X-Forwarded-For"))
		w.WriteHeader(http.StatusCreated)
		w.Write(body)
	}))
	t.Cleanup(server.Close)
	return StartProxy(t, server.URL), served
}

func send(t *testing.T, ctx context.Context, method, address, body string) (*http.Response, string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("User-Agent", "") // none
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	return answer, string(content), err
}

func TestProxyHandsOnWhatASignatureCovers(t *testing.T) {
	p, _ := behind(t)
	for _, path := range []string{"/b/k?x=1&y=a%2Fb&z", "/b/exp%2Fone%25?q=a+b%20c", "/b//k", "/b/a:b@c,d;e", "/b/%C3%A9?a=1;b=2"} {
		answer, body, err := send(t, t.Context(), "PUT", p.Endpoint+path, "body")
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, answer.StatusCode)
		require.Equal(t, "PUT "+path, answer.Header.Get("X-Seen"))
		require.Equal(t, strings.TrimPrefix(p.Endpoint, "http://"), answer.Header.Get("X-Host"), "the address that the client signed for")
		require.Empty(t, answer.Header.Get("X-Agent"), "the proxy adds no header")
		require.Equal(t, "body", body)
	}
}

func TestProxyRecordsEveryRequestAndItsAnswer(t *testing.T) {
	p, _ := behind(t)
	_, _, err := send(t, t.Context(), "PUT", p.Endpoint+"/b/exp%2Fone?x=1", "body")
	require.NoError(t, err)
	_, _, err = send(t, t.Context(), "HEAD", p.Endpoint+"/b/k", "")
	require.NoError(t, err)

	require.Equal(t, map[string]int{"PUT": 1, "HEAD": 1}, p.Operations())
	seen := p.Take()
	require.Len(t, seen, 2)
	require.Equal(t, "PUT /b/exp%2Fone", seen[0].Method+" "+seen[0].Path)
	require.Equal(t, url.Values{"x": {"1"}}, seen[0].Query)
	require.Equal(t, "body", string(seen[0].Body))
	require.Equal(t, http.StatusCreated, seen[0].Status)
	require.Equal(t, "HEAD", seen[1].Method)
	require.Empty(t, p.Requests(), "Take forgets")
}

func TestProxyDropsAReplyAfterTheServerDidItsWork(t *testing.T) {
	p, served := behind(t)
	p.SetFault(func(r Request) Fault { return Fault{DropReply: r.Method == "PUT"} })
	_, _, err := send(t, t.Context(), "PUT", p.Endpoint+"/b/k", "body")
	require.ErrorIs(t, err, io.EOF)
	require.EqualValues(t, 1, served.Load())
	require.Equal(t, http.StatusCreated, p.Requests()[0].Status)

	_, _, err = send(t, t.Context(), "GET", p.Endpoint+"/b/k", "")
	require.NoError(t, err, "the fault is for PUT alone")
}

func TestProxyAnswersInPlaceOfTheServer(t *testing.T) {
	p, served := behind(t)
	p.SetFault(func(Request) Fault {
		return Fault{Answer: &Answer{Status: 503, Header: http.Header{"Retry-After": {"1"}}, Body: "<Error/>"}}
	})
	answer, body, err := send(t, t.Context(), "PUT", p.Endpoint+"/b/k", "body")
	require.NoError(t, err)
	require.Equal(t, 503, answer.StatusCode)
	require.Equal(t, "1", answer.Header.Get("Retry-After"))
	require.Equal(t, "<Error/>", body)
	require.Zero(t, served.Load())
	require.Equal(t, 503, p.Requests()[0].Status)
}

func TestProxyLosesARequestThatTheServerNeverSees(t *testing.T) {
	p, served := behind(t)
	p.SetFault(func(Request) Fault { return Fault{Answer: &Answer{Status: 500}, DropReply: true} })
	_, _, err := send(t, t.Context(), "PUT", p.Endpoint+"/b/k", "body")
	require.ErrorIs(t, err, io.EOF)
	require.Zero(t, served.Load())
}

func TestProxyDelaysARequestThatLandsAfterItsClientHasGone(t *testing.T) {
	p, served := behind(t)
	ctx, cancel := context.WithCancel(t.Context())
	p.SetFault(func(Request) Fault {
		cancel()
		return Fault{Delay: 200 * time.Millisecond}
	})
	_, _, err := send(t, ctx, "PUT", p.Endpoint+"/b/k", "body")
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, served.Load())
	require.Eventually(t, func() bool { return served.Load() == 1 }, time.Minute, 10*time.Millisecond)
}

func TestProxyEndsWithItsTestWhateverItDelays(t *testing.T) {
	var served *atomic.Int32
	asked := make(chan struct{})
	var client sync.WaitGroup
	t.Run("a test", func(t *testing.T) {
		var p *Proxy
		p, served = behind(t)
		p.SetFault(func(Request) Fault {
			close(asked)
			return Fault{Delay: time.Hour}
		})
		client.Go(func() { http.Get(p.Endpoint) })
		<-asked
	})
	client.Wait()
	require.Zero(t, served.Load())
}

func TestProxyBreaksTheConnectionWhenTheServerIsGone(t *testing.T) {
	at, err := freeAddress()
	require.NoError(t, err)
	p := StartProxy(t, "http://"+at.String())
	_, _, err = send(t, t.Context(), "PUT", p.Endpoint+"/b/k", "body")
	require.ErrorIs(t, err, io.EOF)
	require.Zero(t, p.Requests()[0].Status)
}

func TestOperationIsTheSameInEachProtocol(t *testing.T) {
	for _, c := range []struct{ method, address, want string }{
		{"PUT", "/b/t.lance/_versions/1.manifest?x-id=PutObject", "PUT"},
		{"GET", "/b/k?x-id=GetObject", "GET"},
		{"HEAD", "/b/k", "HEAD"},
		{"DELETE", "/b/k?x-id=DeleteObject", "DELETE"},
		{"GET", "/b?list-type=2&prefix=p", "LIST"},
		{"GET", "/b/?list-type=2&prefix=p", "LIST"},
		{"PUT", "/b/k?partNumber=1&uploadId=1", "PUT /b/k?partNumber&uploadId"},
		{"PUT", "/b", "PUT /b"},
		{"PUT", "/b/", "PUT /b/"},
		{"POST", "/b?delete", "POST /b?delete"},

		{"PUT", "/devstoreaccount1/c/k", "PUT"},
		{"HEAD", "/devstoreaccount1/c/k", "HEAD"},
		{"GET", "/devstoreaccount1/c?restype=container&comp=list", "LIST"},
		{"PUT", "/devstoreaccount1/c?restype=container", "PUT /devstoreaccount1/c?restype"},
		{"PUT", "/devstoreaccount1/c/k?comp=block&blockid=1", "PUT /devstoreaccount1/c/k?blockid&comp"},

		{"POST", "/upload/storage/v1/b/b/o?uploadType=multipart&name=k", "PUT"},
		{"GET", "/storage/v1/b/b/o/t.lance%2Fk?alt=media", "GET"},
		{"GET", "/storage/v1/b/b/o/t.lance%2Fk?alt=json", "HEAD"},
		{"DELETE", "/storage/v1/b/b/o/k", "DELETE"},
		{"GET", "/storage/v1/b/b/o?prefix=p", "LIST"},
		{"POST", "/storage/v1/b/b/o/k/rewriteTo/b/b/o/l", "POST /storage/v1/b/b/o/k/rewriteTo/b/b/o/l"},
		{"GET", "/storage/v1/b/b", "GET /storage/v1/b/b"},
	} {
		t.Run(c.method+" "+c.address, func(t *testing.T) {
			at, err := url.Parse(c.address)
			require.NoError(t, err)
			require.Equal(t, c.want, Request{Method: c.method, Path: at.EscapedPath(), Query: at.Query()}.Operation())
		})
	}
}
