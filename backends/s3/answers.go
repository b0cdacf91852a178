package s3

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
)

// Codes of answers that have one meaning, whatever their status is below 500.
var (
	// unauthenticated tells what to do about credentials that are not accepted.
	unauthenticated = map[string]string{
		"ExpiredToken":               "the session token has expired; get new credentials",
		"TokenRefreshRequired":       "the session token must be refreshed; get new credentials",
		"InvalidToken":               "the session token is not valid; get new credentials",
		"InvalidTokenId":             "the session token is not valid; get new credentials", // MinIO
		"InvalidAccessKeyId":         "the access key is not known to the store",
		"XAdminUserNotFound":         "the access key is not known to the store", // versitygw, with status 404
		"InvalidSecurity":            "the credentials are not valid",
		"SignatureDoesNotMatch":      "the signature is wrong; check the secret key",
		"RequestExpired":             "the request is too old: the clocks of this machine and of the store differ",
		"RequestTimeTooSkewed":       "the clocks of this machine and of the store differ; set the one that is wrong",
		"MissingAuthenticationToken": "the store wants credentials and there are none",
	}
	elsewhere = map[string]bool{
		"PermanentRedirect": true, "TemporaryRedirect": true, "Redirect": true, "AuthorizationHeaderMalformed": true,
		"IllegalLocationConstraintException": true, "IncorrectEndpoint": true,
	}
	contended = map[string]bool{"ConditionalRequestConflict": true, "OperationAborted": true}
	// inTheWay are codes of stores that keep objects as files in folders.
	inTheWay = map[string]bool{"ObjectParentIsFile": true, "ExistingObjectIsDirectory": true}
	noBucket = map[string]bool{"NoSuchBucket": true, "NoSuchAccessPoint": true}
	// undecided are codes of 400 that tell of a failure on the way or inside.
	undecided = map[string]bool{
		"RequestTimeout": true, "InternalError": true, "ServiceUnavailable": true, "SlowDown": true, "Busy": true,
	}
)

// ofCreate returns what an answer to a create proves, nil where it proves
// nothing. A status without a code of S3 may come from something between, which
// can refuse an answer as well as a request, and then the object is there.
func (a answer) ofCreate() error {
	switch {
	case a.code == "":
		return nil
	case a.status == http.StatusPreconditionFailed:
		if a.code == "PreconditionFailed" {
			return backends.ErrExists
		}
		return nil
	case a.status == http.StatusTooManyRequests:
		return backends.ErrThrottled
	case a.status == http.StatusConflict:
		switch {
		case contended[a.code]:
			return backends.ErrContended
		case inTheWay[a.code]:
			return backends.ErrNotStored
		}
		return nil
	}
	return a.refusal()
}

// ofRead returns what an answer to any other request means.
func (a answer) ofRead() error {
	switch {
	case a.absent:
		return backends.ErrNotExist
	case a.status == http.StatusTooManyRequests:
		return backends.ErrThrottled
	}
	return a.refusal()
}

// refusal returns why the store refused a request, nil where it did not say so.
func (a answer) refusal() error {
	_, isUnauthenticated := unauthenticated[a.code]
	switch {
	case a.status == http.StatusNotImplemented:
		// A status without a code can come from anything.
		if a.code != "" {
			return backends.ErrUnsupported
		}
		return nil
	case a.status >= 500:
		return nil
	case a.code == "TooManyRequests":
		return backends.ErrThrottled
	case isUnauthenticated, a.status == http.StatusUnauthorized:
		return backends.ErrUnauthenticated
	case a.isElsewhere():
		return backends.ErrInvalid
	case noBucket[a.code]:
		return backends.ErrNoBucket
	case a.status == http.StatusForbidden:
		return backends.ErrPermission
	case a.status == http.StatusBadRequest && a.refusesCondition():
		return backends.ErrUnsupported
	case a.status == http.StatusBadRequest && !undecided[a.code]:
		return backends.ErrInvalid
	}
	return nil
}

// isElsewhere reports whether the bucket is in another region, or was asked for
// at an endpoint that is not its own.
func (a answer) isElsewhere() bool {
	return a.status/100 == 3 || elsewhere[a.code]
}

func (a answer) refusesCondition() bool {
	return a.code == "NotImplemented" || strings.Contains(strings.ToLower(a.message), "if-none-match")
}

// otherThanCondition is what a store may lack beside conditional creates. MinIO
// answers 501 to encryption where it has no keys.
var otherThanCondition = regexp.MustCompile(`(?i)encrypt|kms|checksum`)

// expecting is how AuthorizationHeaderMalformed names the right region, in one
// quote or, on versitygw, two.
var expecting = regexp.MustCompile(`expecting ['"]([^'"]+)['"]`)

func (a answer) region() string {
	if region := a.says("x-amz-bucket-region"); region != "" {
		return region
	}
	if found := expecting.FindStringSubmatch(a.message); found != nil {
		return found[1]
	}
	return ""
}

// mostText is how much of a store's message is shown.
const mostText = 500

// text says what the store said and, where that is known, what to do about it.
// Messages about credentials are not shown, since some stores repeat what was
// sent.
func (a answer) text() string {
	advice, isUnauthenticated := unauthenticated[a.code]
	switch {
	case a.code == "RequestTimeTooSkewed" && a.header.Get("Date") != "":
		return fmt.Sprintf("%s: the store has %s", advice, a.says("Date"))
	case isUnauthenticated:
		return advice
	case a.isElsewhere() && a.region() != "":
		return fmt.Sprintf("the bucket is in the region %q; set that region", a.region())
	case a.isElsewhere():
		return "the bucket must be asked for at another endpoint; check the region and the endpoint"
	case a.ofSession:
		return "no session with the directory bucket could be had: " + a.shown()
	case a.refusal() == backends.ErrUnsupported && otherThanCondition.MatchString(a.message):
		return fmt.Sprintf("the store cannot do what the options ask for: %s", a.shown())
	case a.refusesCondition() && a.refusal() == backends.ErrUnsupported, a.status == http.StatusNotImplemented && a.code != "":
		return fmt.Sprintf("the store cannot create conditionally, and a commit needs it: %s", a.shown())
	case a.code == "" && a.status == http.StatusBadRequest && a.isOfHead():
		return "Bad Request, without a reason: expired credentials and a wrong region are answered so to a HEAD"
	case a.code == "" && !a.absent && !(a.isOfHead() && isMarked(a.header)):
		return fmt.Sprintf("%s, and no error code of S3: something between here and the store may have answered", a.shown())
	}
	return a.shown()
}

func (a answer) shown() string {
	if len(a.message) > mostText {
		return strings.ToValidUTF8(a.message[:mostText], "") + "…"
	}
	return a.message
}
