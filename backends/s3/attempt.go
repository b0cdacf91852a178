package s3

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/lancecommit/lancecommit/backends"
)

// An attempt is one create on its way. It knows whether anything of it can have
// reached the store.
type attempt struct {
	// handed is set when the request was handed to the HTTP client, wanted when
	// that wants a connection, and got when it has one.
	handed, wanted, got atomic.Bool
	// said is what the answer says in S3's own words, nil where it does not.
	said atomic.Pointer[words]
}

// words are the body of an error of S3.
type words struct {
	XMLName       xml.Name `xml:"Error"`
	Code, Message string
}

type attemptKey struct{}

// watched returns the context for a create that the attempt watches.
func (a *attempt) watched(ctx context.Context) context.Context {
	return context.WithValue(ctx, attemptKey{}, a)
}

// watchAttempts is an option of the SDK for the client of creates. Whatever else
// that sends on behalf of a create is not one.
func watchAttempts(stack *middleware.Stack) error {
	if stack.ID() != "PutObject" {
		return nil
	}
	// The last one is next to the HTTP client.
	return stack.Deserialize.Add(sendAttempt, middleware.After)
}

// sendAttempt is what the SDK calls to send the request of a create.
var sendAttempt = middleware.DeserializeMiddlewareFunc("CreateAttempt", func(
	ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler,
) (middleware.DeserializeOutput, middleware.Metadata, error) {
	if err := ctx.Err(); err != nil {
		return middleware.DeserializeOutput{}, middleware.Metadata{}, err
	}
	a := ctx.Value(attemptKey{}).(*attempt)
	a.handed.Store(true)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { a.wanted.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { a.got.Store(true) },
	})
	out, metadata, err := next.HandleDeserialize(ctx, in)
	if response, ok := out.RawResponse.(*smithyhttp.Response); ok && err == nil {
		err = a.check(response)
	}
	return out, metadata, err
})

// mostBody is how much of an answer to a create is looked at. A success has none,
// and an error a short one.
const mostBody = 64 << 10

// check refuses answers that say nothing about the create, since the SDK looks at
// the status only, and finds out whether an error is one of S3: the SDK takes
// names out of XML of all kinds, and makes some up.
func (a *attempt) check(response *smithyhttp.Response) error {
	if r := response.Request; r != nil && (r.Method != http.MethodPut || r.Header.Get("If-None-Match") != "*") {
		return fmt.Errorf("the HTTP client followed a redirect with %s in place of the create", r.Method)
	}
	success := response.StatusCode >= 200 && response.StatusCode <= 299
	if success && response.ContentLength == 0 {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, mostBody))
	if err != nil {
		return fmt.Errorf("the answer was cut short: %w", err)
	}
	if success && len(bytes.TrimSpace(body)) > 0 {
		return errors.New("the answer has a body, which that to a create has not: " +
			"something between here and the store may have answered")
	}
	if said := new(words); xml.Unmarshal(body, said) == nil && said.Code != "" {
		a.said.Store(said)
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{bytes.NewReader(body), response.Body}
	return nil
}

// nothingSent reports whether it is proven that the store saw nothing. A client
// that does not trace its connections proves nothing.
func (a *attempt) nothingSent() bool {
	return !a.handed.Load() || a.wanted.Load() && !a.got.Load()
}

// explain is explain for creates, of which an error must prove what it says.
func (a *attempt) explain(err error) *backends.Error {
	failed := explainCreate(err, a.said.Load())
	if missing := (noSession{}); errors.As(err, &missing) && a.nothingSent() {
		failed = explain(missing)
	}
	if a.nothingSent() && !backends.IsDefinite(failed) {
		failed.Err = backends.NotStored(failed.Err)
	}
	return failed
}
