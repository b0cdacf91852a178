package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/answers"
)

// explain says what an error of a read, a listing, a delete or an overwrite
// means.
func explain(err error) *backends.Error { return explained(err, answerOf, answer.ofRead) }

// explainCreate says what an error of a create means. It is definite only where
// an answer of the store proves it, which one that is not in S3's words does not.
func explainCreate(err error, said *words) *backends.Error {
	return explained(err, func(err error) (answer, bool) {
		a, ok := answerOf(err)
		a.code, a.message = "", http.StatusText(a.status)
		if said != nil {
			a.code, a.message = said.Code, said.Message
		}
		return a, ok
	}, answer.ofCreate)
}

func explained(err error, find func(error) (answer, bool), meaning func(answer) error) *backends.Error {
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, ended) {
			return &backends.Error{Err: fmt.Errorf("the call ended before the store answered: %w", ended)}
		}
	}
	if missing := (noCredentials{}); errors.As(err, &missing) {
		return &backends.Error{Err: fmt.Errorf("%w: no credentials were found; set "+
			"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or the options of these names, or ask without a signature: %w",
			backends.ErrUnauthenticated, causeOf(missing.error))}
	}
	if errors.Is(err, backends.ErrInvalid) || errors.Is(err, backends.ErrUnsupported) {
		return &backends.Error{Err: err}
	}
	a, ok := find(err)
	a.hideSecrets()
	if !ok {
		return &backends.Error{Status: a.status, RequestID: a.requestID, Err: causeOf(err)}
	}
	failed := &backends.Error{Status: a.status, Code: a.code, RequestID: a.requestID, RetryAfter: answers.RetryAfter(a.header)}
	switch sentinel, text := meaning(a), a.text(); {
	case sentinel == nil:
		failed.Err = errors.New(text)
	case text == "": // as to a HEAD
		failed.Err = sentinel
	default:
		failed.Err = fmt.Errorf("%w: %s", sentinel, text)
	}
	return failed
}

// An answer is an error that the store itself returned.
type answer struct {
	status    int
	code      string // empty where the body names none
	message   string
	requestID string
	method    string // empty where it is not known
	header    http.Header
	sent      *http.Request // nil where it is not known
	// ofSession is true where not the request was answered, but the one for the
	// session that it needs.
	ofSession bool
	// absent is true where the answer says that the object is not there.
	absent bool
}

// answerOf takes an answer out of an error of the SDK. Without one the status may
// still be known.
func answerOf(err error) (answer, bool) {
	var response *awshttp.ResponseError
	if !errors.As(err, &response) || response.Response == nil || response.Response.Response == nil {
		return answer{}, false
	}
	a := answer{
		status: response.HTTPStatusCode(), requestID: response.ServiceRequestID(), header: response.Response.Header,
	}
	a.ofSession = errors.As(err, new(noSession))
	if request := response.Response.Request; request != nil {
		a.method, a.sent = request.Method, request
	}
	var named smithy.APIError
	if a.status == 0 || a.status/100 == 2 {
		return a, false
	}
	a.message = http.StatusText(a.status)
	if !errors.As(err, &named) {
		return a, true // the body is not one of S3
	}
	// The SDK makes a code out of the status where the body is empty, and has one
	// of its own where the body names none.
	made := named.ErrorMessage() == a.message && named.ErrorCode() == strings.ReplaceAll(a.message, " ", "")
	if !made && named.ErrorCode() != "UnknownError" {
		a.code, a.message = named.ErrorCode(), named.ErrorMessage()
	}
	_, isNoKey := named.(*types.NoSuchKey)
	_, isNotFound := named.(*types.NotFound) // only HEAD has it
	a.absent = a.status == http.StatusNotFound && !a.ofSession &&
		(a.code == "NoSuchKey" || isNoKey || isNotFound && isMarked(a.header))
	if isNotFound && !a.absent {
		a.code, a.message = "", http.StatusText(a.status)
	}
	return a, true
}

// hideSecrets takes out of an answer what it repeats of the request's credentials.
func (a *answer) hideSecrets() {
	for _, said := range []*string{&a.code, &a.message, &a.requestID} {
		*said = answers.WithoutSecrets(*said, a.sent)
	}
}

// says returns a header of the answer, to be shown.
func (a answer) says(header string) string {
	return answers.WithoutSecrets(a.header.Get(header), a.sent)
}

// isOfHead reports whether the answer can have no body.
func (a answer) isOfHead() bool { return a.method == http.MethodHead }

// noCredentials is an error of the chain of credentials, before anything is sent.
type noCredentials struct{ error }

func (e noCredentials) Unwrap() error { return e.error }

// credentials marks the errors of a provider, since the SDK does not.
type credentials struct{ aws.CredentialsProvider }

func (c credentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	found, err := c.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		return found, noCredentials{err}
	}
	return found, nil
}

// causeOf returns why no answer came, without addresses: a URL may carry what
// must not be shown.
func causeOf(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err
		if errors.Is(err, http.ErrSchemeMismatch) {
			err = fmt.Errorf("the server speaks HTTP, not HTTPS; give the endpoint as http:// and allow that: %w", err)
		}
		return err
	}
	var call *smithy.OperationError
	if errors.As(err, &call) {
		return errors.New(queries.ReplaceAllString(call.Err.Error(), "?…"))
	}
	return err
}

var queries = regexp.MustCompile(`\?[^\s"']+`)
