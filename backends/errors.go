package backends

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// Definite errors: the call wrote nothing and never will. See [IsDefinite].
var (
	// ErrExists means that the key is taken. It is fs.ErrExist.
	ErrExists error = &sentinel{text: "the object exists", is: fs.ErrExist}
	// ErrContended means that the store refused to decide between writers, so
	// that the same request may be sent again. Only S3 says so: 409
	// ConditionalRequestConflict and OperationAborted.
	ErrContended error = &sentinel{text: "the store decided nothing because of other writers"}
	// ErrThrottled means that the store refused the request for its rate (429).
	// Another writer may hold the key; look before you send it again.
	ErrThrottled error = &sentinel{text: "the store throttles requests"}
	// ErrPermission means that the caller may not do this. It is
	// fs.ErrPermission.
	ErrPermission error = &sentinel{text: "permission denied by the store", is: fs.ErrPermission}
	// ErrUnauthenticated means that the store does not accept the credentials:
	// missing, wrong, expired, or signed with a clock that is off.
	ErrUnauthenticated error = &sentinel{text: "the store does not accept the credentials"}
	// ErrNoBucket means that the bucket, container or folder of the store is
	// not there. It does not wrap fs.ErrNotExist: a missing bucket must not be
	// taken for an empty table.
	ErrNoBucket error = &sentinel{text: "the store is not there"}
	// ErrInvalid means that the request is malformed. It is fs.ErrInvalid.
	ErrInvalid error = &sentinel{text: "invalid request", is: fs.ErrInvalid}
	// ErrUnsupported means that the store cannot do this. It is
	// errors.ErrUnsupported.
	ErrUnsupported error = &sentinel{text: "not supported by the store", is: errors.ErrUnsupported}
	// ErrNotStored means that nothing was written, for a reason that none of
	// the others names. The error wraps the reason, too.
	ErrNotStored error = &sentinel{text: "nothing was written"}
)

// Other errors that callers decide on.
var (
	// ErrNotExist means that there is no such object. It is fs.ErrNotExist.
	ErrNotExist error = &sentinel{text: "the object does not exist", is: fs.ErrNotExist}
	// ErrNotDurable means that the object may be there, but a crash could undo
	// it: the store failed to make it durable. Seeing the object afterwards
	// proves nothing.
	ErrNotDurable error = &sentinel{text: "the store could not make the object durable"}
)

// IsDefinite reports whether err, returned by PutIfAbsent, proves that the call
// wrote nothing and never will. Any other error leaves the outcome unknown.
func IsDefinite(err error) bool {
	for _, definite := range []error{
		ErrExists, ErrContended, ErrThrottled, ErrPermission, ErrUnauthenticated, ErrNoBucket, ErrInvalid,
		ErrUnsupported, ErrNotStored,
	} {
		if errors.Is(err, definite) {
			return !errors.Is(err, ErrNotDurable)
		}
	}
	return false
}

// IsRefusal reports whether err is an answer that a store would give again: that the
// caller may not do this, or that it cannot be done here or so.
func IsRefusal(err error) bool {
	for _, refusal := range []error{ErrPermission, ErrUnauthenticated, ErrNoBucket, ErrInvalid, ErrUnsupported} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

// An Error is what a store returns. Its Err wraps one of the sentinels of this
// package where one applies; none means that the outcome of a create is unknown.
// It never carries a credential.
type Error struct {
	// Op is the method in lower case: "put", "get", "head", "list", "delete",
	// "overwrite", "bulkdelete", "open".
	Op string
	// Key is the object, the prefix of a listing, or the first key of a bulk
	// delete.
	Key string
	// Status is the HTTP status of the answer, zero where there was none.
	Status int
	// Code is the store's own name for the error, such as "SlowDown".
	Code string
	// RequestID is what the store's support asks for.
	RequestID string
	// RetryAfter is how long the store asks to wait, zero where it does not.
	RetryAfter time.Duration
	// Err is the cause.
	Err error
}

// Error puts the operation first and the cause last.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q", e.Op, e.Key)
	if e.Status != 0 {
		fmt.Fprintf(&b, ": status %d", e.Status)
	}
	if e.Code != "" {
		fmt.Fprintf(&b, " %s", e.Code)
	}
	if e.RequestID != "" {
		fmt.Fprintf(&b, " (request %s)", e.RequestID)
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// A PartialDeleteError is what BulkDelete returns when the store refused to
// remove some of the objects. All others of the call are gone. It wraps the
// errors that it has.
type PartialDeleteError struct {
	// Failed has an error for each object that may still be there. Their Op is
	// "delete", their Key the object's, and they never carry a credential.
	Failed []*Error
}

// mostShown is how many errors the text of a PartialDeleteError repeats.
const mostShown = 3

// Error counts the objects and shows the first errors.
func (e *PartialDeleteError) Error() string {
	shown := make([]string, 0, mostShown)
	for _, failed := range e.Failed[:min(len(e.Failed), mostShown)] {
		shown = append(shown, failed.Error())
	}
	more := ""
	if left := len(e.Failed) - len(shown); left > 0 {
		more = fmt.Sprintf("; and %d more", left)
	}
	return fmt.Sprintf("%d objects were not deleted: %s%s", len(e.Failed), strings.Join(shown, "; "), more)
}

// Unwrap returns the errors of the objects.
func (e *PartialDeleteError) Unwrap() []error {
	errs := make([]error, len(e.Failed))
	for i, failed := range e.Failed {
		errs[i] = failed
	}
	return errs
}

// A sentinel is an error that is also a wider one of the standard library.
type sentinel struct {
	text string
	is   error
}

func (s *sentinel) Error() string { return s.text }
func (s *sentinel) Unwrap() error { return s.is }

// NotStored returns an error that is [ErrNotStored] and wraps cause, for a
// backend that can prove that a create wrote nothing.
func NotStored(cause error) error {
	return fmt.Errorf("%w: %w", ErrNotStored, cause)
}
