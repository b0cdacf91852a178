package azure

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/answers"
)

// explain says what an error of the SDK means. Its result wraps a sentinel of
// package backends only where the answer of the store proves it.
func explain(ctx context.Context, op, key string, err error) *backends.Error {
	var answer *azcore.ResponseError
	if errors.As(err, &answer) {
		return answered(op, key, answer)
	}
	if token := tokenErrorOf(err); token != nil {
		err = unauthenticatedBy(token)
	} else {
		err = withoutSecrets(err)
	}
	// A reader that is cut off does not always say why.
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	return &backends.Error{Op: op, Key: key, Err: err}
}

// A tokenError says that no token could be had.
type tokenError struct {
	error
	// passing is true where the reason is none of the credential: the call has
	// ended, or the token service is busy or fails.
	passing bool
}

// newTokenError returns the error for what a credential returned.
func newTokenError(err error) *tokenError {
	passing := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	var failed *azidentity.AuthenticationFailedError
	if errors.As(err, &failed) && failed.RawResponse != nil {
		status := failed.RawResponse.StatusCode
		passing = passing || status == http.StatusTooManyRequests || status >= 500
	}
	return &tokenError{withoutSecrets(err), passing}
}

// tokenErrorOf returns the error of a credential, nil where it is none. Those of
// a client that the caller made are known by their type.
func tokenErrorOf(err error) *tokenError {
	var mine *tokenError
	if errors.As(err, &mine) {
		return mine
	}
	var failed *azidentity.AuthenticationFailedError
	if errors.As(err, &failed) {
		return newTokenError(failed)
	}
	return nil
}

// unauthenticatedBy is for errors in getting a token.
func unauthenticatedBy(err *tokenError) error {
	if err.passing {
		return fmt.Errorf("no token could be had: %w", err.error)
	}
	return fmt.Errorf("%w: no token could be had: %w", backends.ErrUnauthenticated, err.error)
}

// answered explains an answer. The SDK's own text is left out: it has the URL
// and the body, in which the store repeats signatures.
func answered(op, key string, err *azcore.ResponseError) *backends.Error {
	failed := &backends.Error{Op: op, Key: key, Status: err.StatusCode, Code: codeOf(err)}
	if err.RawResponse != nil {
		failed.Code = shown(failed.Code, err.RawResponse)
		failed.RequestID = requestID(err.RawResponse)
		failed.RetryAfter = answers.RetryAfter(err.RawResponse.Header)
	}
	switch m := meaningOf(op, failed.Status, failed.Code); {
	case m.is == backends.ErrUnauthenticated && failed.Code != "":
		failed.Err = fmt.Errorf("%w: %s", m.is, unauthenticated(err))
	case m.text == "":
		failed.Err = m.is
	case m.is == nil:
		failed.Err = errors.New(m.text)
	default:
		failed.Err = fmt.Errorf("%w: %s", m.is, m.text)
	}
	return failed
}

func requestID(answer *http.Response) string {
	return shown(answer.Header.Get("X-Ms-Request-Id"), answer)
}

// foreign is the error for a success that lacks what the store always sends, as
// when a proxy answers in its place.
func foreign(op, key, missing string, answer *http.Response) *backends.Error {
	return &backends.Error{Op: op, Key: key, RequestID: requestID(answer), Err: fmt.Errorf(
		"the answer says success and has no %s: something between here and the store may have answered", missing)}
}

// clockTolerance is how far the clocks may differ: the store refuses signatures
// that are 15 minutes old.
const clockTolerance = 14 * time.Minute

// unauthenticated says why the store does not accept the credentials. It quotes
// nothing of the body, which repeats the signature.
func unauthenticated(err *azcore.ResponseError) string {
	if err.RawResponse == nil {
		return "the credentials are missing, wrong or expired"
	}
	// The SDK has read it already.
	payload, _ := runtime.Payload(err.RawResponse)
	body := string(payload)
	date, dateErr := http.ParseTime(err.RawResponse.Header.Get("Date"))
	off := time.Until(date)
	switch {
	case dateErr == nil && off.Abs() > clockTolerance:
		where := "behind"
		if off < 0 {
			where = "ahead of"
		}
		return fmt.Sprintf("the clock of this machine is %v %s the store's; set the one that is wrong", off.Abs().Round(time.Minute), where)
	case strings.Contains(body, "Request date header too old"):
		return "the request was signed too long ago by the store's clock; look at that and at the clock of this machine"
	case strings.Contains(body, "not valid in the specified time frame"):
		return "the SAS token has expired or is not valid yet; get a new one"
	case err.ErrorCode == "NoAuthenticationInformation":
		return "the request had no credentials; give an account key, a SAS token or an identity"
	case err.ErrorCode == "PublicAccessNotPermitted":
		return "the account takes no requests without credentials"
	}
	return "the account key, the SAS token or the identity's token is wrong, or has expired"
}
