package committer

import (
	"fmt"
	"strings"

	"github.com/lancecommit/lancecommit/naming"
)

// An InvalidRequestError names every field of a request that is wrong. Nothing
// was written.
type InvalidRequestError struct {
	Fields []FieldError
}

// A FieldError is what is wrong with one field.
type FieldError struct {
	// Field is its name in JSON, with dots between the levels; empty for the
	// request itself.
	Field  string
	Reason string
}

// Error names the fields and the reasons.
func (e *InvalidRequestError) Error() string {
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.Reason
		if f.Field != "" {
			parts[i] = f.Field + ": " + f.Reason
		}
	}
	return "invalid request: " + strings.Join(parts, "; ")
}

// Unwrap returns [ErrInvalid].
func (e *InvalidRequestError) Unwrap() error { return ErrInvalid }

func (e *InvalidRequestError) add(field, format string, args ...any) {
	e.Fields = append(e.Fields, FieldError{field, fmt.Sprintf(format, args...)})
}

// errNoRequest refuses a request that is nil.
var errNoRequest = fmt.Errorf("%w: there is no request", ErrInvalid)

// checkVersion adds the field version when it is out of bounds.
func (e *InvalidRequestError) checkVersion(version int64) {
	if version < int64(naming.MinVersion) {
		e.add("version", "%d is none, or it is missing; versions are %d to %d", version, naming.MinVersion, naming.MaxVersion)
	}
}

// check adds a field when err is not nil.
func (e *InvalidRequestError) check(field string, err error) {
	if err != nil {
		e.add(field, "%v", err)
	}
}

// orNil returns the error, or nil where no field is wrong.
func (e *InvalidRequestError) orNil() error {
	if len(e.Fields) == 0 {
		return nil
	}
	return e
}
