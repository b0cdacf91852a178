package gcs

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"cloud.google.com/go/auth"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/answers"
)

// explain turns an error of the SDK into one of this package's contract. It
// copies texts of the store and never those of requests, which can hold
// credentials.
func explain(op, key string, err error) *backends.Error {
	failed := &backends.Error{Op: op, Key: key}
	if answer := answerIn(err); answer != nil {
		failed.Status = answer.Code
		failed.Code = answers.WithoutSecrets(codeOf(answer), nil)
		failed.RequestID = answers.WithoutSecrets(answer.Header.Get(uploader), nil)
		failed.RetryAfter = answers.RetryAfter(answer.Header)
		failed.Err = meaningOf(op, answer, failed.Code)
	} else {
		failed.Err = causeOf(err)
	}
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, ended) && !errors.Is(failed.Err, ended) {
			failed.Err = fmt.Errorf("%w: %w", ended, failed.Err)
		}
	}
	return failed
}

// answerIn returns the answer that an error of the SDK holds, or nil.
func answerIn(err error) *googleapi.Error {
	var answer *googleapi.Error
	errors.As(err, &answer)
	return answer
}

// between is said of answers that are not the store's own.
const between = "something between here and the store may have answered"

// uploader is the header that all answers of Google Cloud Storage have, and that
// its support asks for.
const uploader = "X-GUploader-UploadID"

// meaningOf returns the error that an answer stands for.
func meaningOf(op string, answer *googleapi.Error, code string) error {
	text := textOf(answer)
	ours := isOurs(answer)
	if !ours {
		text = fmt.Sprintf("%s, and no error code of Google Cloud Storage: %s", http.StatusText(answer.Code), between)
	}
	meaning := sentinelOf(op, answer.Code, code, text)
	switch {
	case meaning == nil:
		return errors.New(text)
	case !ours && (op == "put" || errors.Is(meaning, backends.ErrNotExist) || errors.Is(meaning, backends.ErrNoBucket)):
		// Whatever gave it cannot speak for the store.
		return errors.New(text)
	case errors.Is(meaning, backends.ErrUnauthenticated):
		return fmt.Errorf("%w: they are missing, wrong or expired, or this machine's clock is off: %s", meaning, text)
	}
	return fmt.Errorf("%w: %s", meaning, text)
}

// isOurs reports whether the store itself gave the answer, and nothing on the way
// to it.
func isOurs(answer *googleapi.Error) bool {
	return codeOf(answer) != "" || answer.Header.Get(uploader) != ""
}

// sentinelOf is the table of what statuses mean. Those that it leaves out prove
// nothing.
func sentinelOf(op string, status int, code, text string) error {
	switch status {
	case http.StatusBadRequest:
		if code == "resourceIsEncryptedWithCustomerEncryptionKey" || code == "ResourceIsEncryptedWithCustomerEncryptionKey" {
			return backends.ErrUnsupported
		}
		return backends.ErrInvalid
	case http.StatusUnauthorized:
		return backends.ErrUnauthenticated
	case http.StatusForbidden:
		if code == "rateLimitExceeded" || code == "userRateLimitExceeded" {
			return backends.ErrThrottled
		}
		return backends.ErrPermission
	case http.StatusNotFound:
		if op == "put" || op == "list" || strings.Contains(text, "bucket does not exist") {
			return backends.ErrNoBucket
		}
		return backends.ErrNotExist
	case http.StatusPreconditionFailed:
		// The organization's policy can answer with this status, too.
		if op == "put" && (code == "conditionNotMet" || code == "") {
			return backends.ErrExists
		}
	case http.StatusTooManyRequests:
		return backends.ErrThrottled
	case http.StatusNotImplemented:
		if strings.EqualFold(code, "notImplemented") {
			return backends.ErrUnsupported
		}
	}
	return nil
}

// xmlAnswer is the body of an error of the XML API.
type xmlAnswer struct {
	Code    string
	Message string
	Details string
}

func xmlOf(answer *googleapi.Error) xmlAnswer {
	var x struct {
		XMLName xml.Name `xml:"Error"`
		xmlAnswer
	}
	if xml.Unmarshal([]byte(answer.Body), &x) != nil {
		return xmlAnswer{}
	}
	return x.xmlAnswer
}

// jsonOf parses the body where the SDK did not: it does not for content.
func jsonOf(answer *googleapi.Error) *googleapi.Error {
	if len(answer.Errors) > 0 || answer.Message != "" {
		return answer
	}
	var reply struct{ Error *googleapi.Error }
	if json.Unmarshal([]byte(answer.Body), &reply) != nil || reply.Error == nil {
		return answer
	}
	return reply.Error
}

// codeOf returns the store's own name for an error.
func codeOf(answer *googleapi.Error) string {
	if errs := jsonOf(answer).Errors; len(errs) > 0 {
		return errs[0].Reason
	}
	return xmlOf(answer).Code
}

// maxText is the most bytes of the store's text that an error repeats.
const maxText = 400

// textOf returns what the store says in words.
func textOf(answer *googleapi.Error) string {
	text := jsonOf(answer).Message
	if text == "" {
		x := xmlOf(answer)
		text = strings.TrimSpace(x.Message + " " + x.Details)
	}
	if text == "" && !strings.HasPrefix(strings.TrimSpace(answer.Body), "<") {
		text = answer.Body
	}
	text = answers.WithoutSecrets(strings.Join(strings.Fields(text), " "), nil)
	if text == "" {
		text = http.StatusText(answer.Code)
	}
	return strings.ToValidUTF8(text[:min(len(text), maxText)], "")
}

// causeOf returns the cause of a request that had no answer.
func causeOf(err error) error {
	if refused := tokenRefused(err); refused != nil {
		return refused
	}
	// Its text has the URL of the request, and its cause has not.
	var sent *url.Error
	if errors.As(err, &sent) {
		return sent.Err
	}
	// What follows is of a success: the SDK reads other answers in another way.
	var noJSON *json.SyntaxError
	var otherJSON *json.UnmarshalTypeError
	switch {
	case errors.As(err, &noJSON), errors.As(err, &otherJSON):
		return errNotGCS
	case err == io.EOF:
		return fmt.Errorf("the answer is empty: %s: %w", between, err)
	}
	return err
}

// errNotGCS is for a success that Google Cloud Storage does not give, such as the
// page of a proxy.
var errNotGCS = errors.New("the answer has status 200 and is not one of Google Cloud Storage: " + between)

// tokenRefused returns the error for credentials that the token service did not
// take, or nil. The request itself was then not sent.
func tokenRefused(err error) error {
	var response *http.Response
	var body []byte
	var refused *auth.Error
	var retrieve *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused):
		response, body = refused.Response, refused.Body
	case errors.As(err, &retrieve):
		response, body = retrieve.Response, retrieve.Body
	default:
		return nil
	}
	if response == nil {
		return fmt.Errorf("%w: the token service gave no token", backends.ErrNotStored)
	}
	var reply struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(body, &reply)
	said := strings.TrimSpace(fmt.Sprintf("status %d %s", response.StatusCode, reply.Error))
	if response.StatusCode/100 == 4 && response.StatusCode != http.StatusTooManyRequests {
		return fmt.Errorf("%w: they are wrong, expired or revoked, or this machine's clock is off: "+
			"the token service answered %s", backends.ErrUnauthenticated, said)
	}
	return fmt.Errorf("%w: the token service answered %s", backends.ErrNotStored, said)
}

// isDialing reports whether err is that a connection could not be made.
func isDialing(err error) bool {
	var dialing *net.OpError
	return errors.As(err, &dialing) && (dialing.Op == "dial" || dialing.Op == "proxyconnect")
}
