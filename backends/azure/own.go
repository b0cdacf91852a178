package azure

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/lancecommit/lancecommit/backends"
)

// A location is where the container is, as the requests to it have it.
type location struct {
	host, path string
}

// locate reads the URL of a client. It is false where that names no container.
func locate(client string) (location, bool) {
	// The SDK makes its requests from it in the same way.
	r, err := http.NewRequest(http.MethodGet, client, nil)
	if err != nil || strings.Trim(r.URL.Path, "/") == "" {
		return location{}, false
	}
	return location{r.URL.Host, strings.TrimSuffix(r.URL.Path, "/")}, true
}

// has reports whether a URL is that of an object, or with an empty key of the
// container itself. The query is left out.
func (l location) has(u *url.URL, key string) bool {
	rest, ok := strings.CutPrefix(u.Path, l.path)
	if !ok || u.Host != l.host {
		return false
	}
	rest, slash := strings.CutPrefix(rest, "/")
	return rest == key && (slash || key == "")
}

// watched makes the SDK put what was answered at last into an answer. That stays
// nil where nothing was.
func watched(ctx context.Context, answer **http.Response) context.Context {
	return policy.WithCaptureResponse(ctx, answer)
}

// methods has how each operation is sent.
var methods = map[string]string{
	"put":        http.MethodPut,
	"get":        http.MethodGet,
	"head":       http.MethodHead,
	"list":       http.MethodGet,
	"delete":     http.MethodDelete,
	"bulkdelete": http.MethodPost,
}

var errElsewhere = errors.New("the answer is to another request than the one that was made: " +
	"the HTTP client followed a redirect, or sends requests elsewhere")

// verify returns what is wrong with the end of a request, nil if the store itself
// says that it did what was asked. The SDK believes any success, whoever gave it
// and whatever it was the answer to. An error, too, is believed only where it is
// the answer to the request that was asked.
func (s *Store) verify(ctx context.Context, op, key string, answer *http.Response, err error) *backends.Error {
	switch {
	case answer == nil:
		return explain(ctx, op, key, err)
	case !s.asked(op, key, answer.Request):
		return explain(ctx, op, key, errElsewhere)
	case err != nil:
		return explain(ctx, op, key, err)
	}
	if missing := unmarked(op, answer.Header); missing != "" {
		return foreign(op, key, missing, answer)
	}
	return nil
}

// asked reports whether a request is the one of an operation. A client that
// follows a redirect makes another one of it: a GET of a PUT, or the same for
// another object.
func (s *Store) asked(op, key string, r *http.Request) bool {
	if op == "list" || op == "bulkdelete" {
		key = ""
	}
	return r != nil && r.Response == nil && r.Method == methods[op] && s.at.has(r.URL, key)
}

// unmarked returns the header of a success that is missing. The service sends its
// version with every answer, and with those about an object its kind. Other web
// servers send an ETag, too, and other services of Azure a request ID.
func unmarked(op string, header http.Header) string {
	switch {
	case header.Get("X-Ms-Version") == "":
		return "x-ms-version"
	case (op == "get" || op == "head") && header.Get("X-Ms-Blob-Type") == "":
		return "x-ms-blob-type"
	}
	return ""
}
