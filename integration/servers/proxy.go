package servers

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"
)

// A Proxy stands between clients and a server. It keeps a record of every
// request, and does to each what its fault says. Clients sign for the proxy's
// address, and the server sees that address as the Host. Bodies are held in
// memory. A Proxy is safe for concurrent use.
//
// fake-gcs-server finds objects by the XML API, which Go's GCS client reads with
// unless storage.WithJSONReads is set, only below its own address.
type Proxy struct {
	Endpoint string // http://127.0.0.1:PORT

	target    *url.URL
	transport *http.Transport
	life      context.Context // ends with the proxy

	mu       sync.Mutex
	fault    func(Request) Fault
	requests []*Request
}

// A Request is what a client asked through a Proxy.
type Request struct {
	Method string
	Path   string // as sent, so still with its escapes
	Query  url.Values
	Header http.Header
	Body   []byte

	// Status is that of the answer that came back from the server or the fault;
	// 0 is none yet. A dropped reply has one.
	Status int
}

// A Fault is what a Proxy does with one request. The zero value forwards it and
// hands back the answer.
type Fault struct {
	// Delay passes before anything else happens. A client that has gone by then
	// does not stop its request: that is a write that lands late.
	Delay time.Duration

	// Answer is given in place of the server's, which gets no request.
	Answer *Answer

	// DropReply closes the connection in place of giving the answer. A client
	// cannot tell whether its request was carried out: it was, unless there is an
	// Answer. Go's http.Client sends a GET or HEAD on a connection that it used
	// before again by itself, and that is one more request.
	DropReply bool
}

// An Answer is a reply that a Fault gives.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// StartProxy starts a proxy in front of target, an address such as a Server's
// Endpoint, that ends with t. It forwards everything until SetFault.
func StartProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatalf("a proxy for %s: %v", target, err)
	}
	life, end := context.WithCancel(context.WithoutCancel(t.Context()))
	p := &Proxy{
		target: to,
		life:   life,
		fault:  func(Request) Fault { return Fault{} },
		transport: &http.Transport{
			DisableCompression:  true,
			MaxIdleConnsPerHost: 64,
			IdleConnTimeout:     2 * time.Second, // less than any server's
		},
	}
	server := httptest.NewServer(p)
	p.Endpoint = server.URL
	t.Cleanup(func() {
		end()
		server.Close()
		p.transport.CloseIdleConnections()
	})
	return p
}

// SetFault has fault decide on every request from now on. It is called once a
// request, when the whole request is there, by many goroutines at once.
func (p *Proxy) SetFault(fault func(Request) Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = fault
}

// Requests returns the requests that came so far, in the order in which they were
// complete.
func (p *Proxy) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.copied()
}

// Take is Requests, and forgets them.
func (p *Proxy) Take() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() { p.requests = nil }()
	return p.copied()
}

// Operations counts the requests that came so far by their Operation.
func (p *Proxy) Operations() map[string]int {
	counts := map[string]int{}
	for _, request := range p.Requests() {
		counts[request.Operation()]++
	}
	return counts
}

func (p *Proxy) copied() []Request {
	requests := make([]Request, len(p.requests))
	for i, request := range p.requests {
		requests[i] = *request
	}
	return requests
}

// ServeHTTP is the proxy at work.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(in.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client has gone in the middle of its request
	}
	request := &Request{
		Method: in.Method, Path: in.URL.EscapedPath(), Query: in.URL.Query(), Header: in.Header.Clone(), Body: body,
	}
	p.mu.Lock()
	p.requests = append(p.requests, request)
	decide, recorded := p.fault, *request
	p.mu.Unlock()
	fault := decide(recorded)

	select {
	case <-time.After(fault.Delay):
	case <-p.life.Done():
		panic(http.ErrAbortHandler)
	}
	answer := fault.Answer
	if answer == nil {
		if answer, err = p.forward(in, body); err != nil {
			panic(http.ErrAbortHandler) // the server's connection broke, so the client's does
		}
	}
	p.mu.Lock()
	request.Status = answer.Status
	p.mu.Unlock()
	if fault.DropReply {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), answer.Header)
	w.WriteHeader(answer.Status)
	io.WriteString(w, answer.Body)
}

func (p *Proxy) forward(in *http.Request, body []byte) (*Answer, error) {
	out, err := http.NewRequestWithContext(p.life, in.Method, p.target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	to := *in.URL
	to.Scheme, to.Host = p.target.Scheme, p.target.Host
	out.URL, out.Host = &to, in.Host
	out.Header = in.Header.Clone()
	removeHopByHop(out.Header)
	if _, sent := out.Header["User-Agent"]; !sent {
		out.Header["User-Agent"] = nil // Go would send its own
	}
	reply, err := p.transport.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	content, err := io.ReadAll(reply.Body)
	if err != nil {
		return nil, err
	}
	removeHopByHop(reply.Header)
	return &Answer{Status: reply.StatusCode, Header: reply.Header, Body: string(content)}, nil
}

// hopByHop are the headers that concern one connection. The proxy has the whole
// body before it asks the server, so it expects no "100 Continue".
var hopByHop = []string{"Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect"}

func removeHopByHop(header http.Header) {
	maps.DeleteFunc(header, func(name string, _ []string) bool { return slices.Contains(hopByHop, name) })
}
