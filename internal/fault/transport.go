package fault

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Transport returns a round tripper whose requests meet the injector's faults, in
// the protocols of S3, GCS and Azure. Bodies are held in memory. Shuffled has no
// effect: none of the three lists without an order.
func (i *Injector) Transport(base http.RoundTripper) http.RoundTripper {
	return &transport{injector: i, base: base, seen: make(map[string]*reply)}
}

type transport struct {
	injector *Injector
	base     http.RoundTripper

	mu   sync.Mutex
	seen map[string]*reply
}

// A reply is an answer with its whole body.
type reply struct {
	head http.Response
	body []byte
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	var body []byte
	if request.Body != nil {
		var err error
		body, err = io.ReadAll(request.Body)
		request.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	method := methodOf(request)
	if method == "" {
		return t.base.RoundTrip(with(request.Context(), request, body))
	}
	f := t.injector.script.Next(method)
	answered, err := t.meet(request, body, method, f)
	if err != nil {
		return nil, err
	}
	return answered.response(request), nil
}

func (t *transport) meet(request *http.Request, body []byte, method string, f Fault) (*reply, error) {
	ctx := request.Context()
	switch f.Kind {
	case Before:
		return refusal(http.StatusInternalServerError, codeInternal), nil
	case After:
		if _, err := t.send(ctx, request, body); err != nil {
			return nil, err
		}
		return nil, errReset
	case Late:
		t.injector.later(ctx, f.Delay, func(ctx context.Context) { _, _ = t.send(ctx, request, body) })
		return nil, errReset
	case Duplicate:
		if _, err := t.send(ctx, request, body); err != nil {
			return nil, err
		}
	case Contended:
		return refusal(http.StatusConflict, codeContended), nil
	case Throttled:
		r := refusal(http.StatusTooManyRequests, codeThrottled)
		// The header has whole seconds.
		r.head.Header.Set("Retry-After", strconv.Itoa(int((f.Delay+time.Second-1)/time.Second)))
		return r, nil
	case Stall:
		<-ctx.Done()
		return nil, ctx.Err()
	case Denied:
		return refusal(http.StatusForbidden, codeDenied), nil
	case Stale:
		if r := t.remembered(request); r != nil {
			return r, nil
		}
	case Short:
		request = request.Clone(ctx)
		request.URL.RawQuery = shorter(request.URL, max(f.Limit, 1))
	}
	r, err := t.send(ctx, request, body)
	if err == nil && method == "LIST" && r.head.StatusCode == http.StatusOK && f.Kind != Short {
		t.remember(request, r)
	}
	return r, err
}

// send makes the request and reads the whole answer.
func (t *transport) send(ctx context.Context, request *http.Request, body []byte) (*reply, error) {
	response, err := t.base.RoundTrip(with(ctx, request, body))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return &reply{head: *response, body: content}, nil
}

// with returns the request with a context and a body of its own.
func with(ctx context.Context, request *http.Request, body []byte) *http.Request {
	request = request.Clone(ctx)
	if body != nil {
		request.Body = io.NopCloser(bytes.NewReader(body))
	}
	return request
}

// response makes an answer that can be read once.
func (r *reply) response(request *http.Request) *http.Response {
	response := r.head
	response.Header = r.head.Header.Clone()
	response.Request = request
	response.Body = io.NopCloser(bytes.NewReader(r.body))
	return &response
}

// refusal is an error in S3's form. GCS and Azure read the status; Azure reads
// its code from a header.
func refusal(status int, code string) *reply {
	body := fmt.Appendf(nil, "<Error><Code>%s</Code><Message>injected</Message></Error>", code)
	header := http.Header{"Content-Type": {"application/xml"}, "X-Ms-Error-Code": {code}}
	return &reply{body: body, head: http.Response{
		StatusCode: status, Status: strconv.Itoa(status) + " " + http.StatusText(status),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header, ContentLength: int64(len(body)),
	}}
}

func (t *transport) remember(request *http.Request, r *reply) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen[request.URL.String()] = r
}

func (t *transport) remembered(request *http.Request) *reply {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seen[request.URL.String()]
}

// methodOf tells what a request asks of a store, in the words of intercept.Call;
// "" is something else, such as a token or a new bucket.
func methodOf(request *http.Request) string {
	query, path := request.URL.Query(), request.URL.Path
	switch {
	case query.Get("list-type") == "2", query.Get("comp") == "list",
		strings.HasSuffix(path, "/o") && strings.Contains(path, "/storage/v1/b/") && request.Method == http.MethodGet:
		return "LIST"
	case query.Has("uploads"), query.Has("uploadId"), query.Has("restype"), query.Has("comp"):
		return ""
	case strings.Contains(path, "/upload/storage/v1/b/") && request.Method == http.MethodPost:
		return "PUT"
	case strings.Contains(path, "/storage/v1/b/") && request.Method == http.MethodGet && query.Get("alt") != "media":
		return "HEAD"
	}
	switch request.Method {
	case http.MethodPut:
		if request.Header.Get("If-None-Match") == "" {
			return "OVERWRITE"
		}
		return request.Method
	case http.MethodGet, http.MethodHead, http.MethodDelete:
		return request.Method
	default:
		return ""
	}
}

// shorter asks a listing for a smaller page, whichever protocol it speaks.
func shorter(u *url.URL, limit int) string {
	query := u.Query()
	switch {
	case query.Get("list-type") == "2":
		query.Set("max-keys", strconv.Itoa(limit))
	case query.Get("comp") == "list":
		query.Set("maxresults", strconv.Itoa(limit))
	default:
		query.Set("maxResults", strconv.Itoa(limit))
	}
	return query.Encode()
}
