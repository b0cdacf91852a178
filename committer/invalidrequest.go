package committer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
)

// An InvalidRequestError names every field of a request that is wrong, or the
// first 100 of them. Nothing was written.
type InvalidRequestError struct {
	Fields []FieldError
}

// A FieldError is what is wrong with one field.
type FieldError struct {
	// Field is its name in JSON, as "identity.api_key" or "entries[2].version";
	// empty for the request itself.
	Field  string
	Reason string
}

// Error names the fields and the reasons.
func (e *InvalidRequestError) Error() string { return "invalid request: " + e.text() }

func (e *InvalidRequestError) text() string {
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.Reason
		if f.Field != "" {
			parts[i] = f.Field + ": " + f.Reason
		}
	}
	return strings.Join(parts, "; ")
}

// Unwrap returns [ErrInvalid].
func (e *InvalidRequestError) Unwrap() error { return ErrInvalid }

// mostNamed bounds the fields that are named, since a small request can have
// many that are wrong.
const mostNamed = 100

// add adds a field and the reason why it is wrong. Errors among the arguments do
// not say again that the request is invalid.
func (e *InvalidRequestError) add(field, format string, args ...any) {
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args[i] = reason(err)
		}
	}
	switch {
	case len(e.Fields) < mostNamed:
		e.Fields = append(e.Fields, FieldError{field, fmt.Sprintf(format, args...)})
	case !e.isFull():
		e.Fields = append(e.Fields, FieldError{"", "and more"})
	}
}

// isFull reports whether more fields are wrong than are named.
func (e *InvalidRequestError) isFull() bool { return len(e.Fields) > mostNamed }

// names reports whether a field of the request, or a part of it, is named.
func (e *InvalidRequestError) names(field string) bool {
	return slices.ContainsFunc(e.Fields, func(f FieldError) bool { return topField(f.Field) == topField(field) })
}

// reasons are the reasons without the names of the fields.
func (e *InvalidRequestError) reasons() string {
	reasons := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		reasons[i] = f.Reason
	}
	return strings.Join(reasons, "; ")
}

// isWhole reports whether the request is no JSON object, so that it has no fields.
func (e *InvalidRequestError) isWhole() bool { return len(e.Fields) == 1 && e.Fields[0].Field == "" }

// topField is the field of the request that a field is part of.
func topField(field string) string {
	if end := strings.IndexAny(field, ".["); end >= 0 {
		return field[:end]
	}
	return field
}

// under names the fields as those of a part of the request.
func (e *InvalidRequestError) under(path string) {
	for i, f := range e.Fields {
		e.Fields[i].Field = joinPath(path, f.Field)
	}
}

// reason is the text of an error without the sentinels of invalid input in it.
func reason(err error) string { return withoutInvalid(err.Error(), err) }

// withoutInvalid takes the sentinels that an error begins with, or one that it
// wraps, out of a text that ends in the text of the error.
func withoutInvalid(text string, err error) string {
	for _, invalid := range []error{ErrInvalid, backends.ErrInvalid} {
		said := invalid.Error() + ": "
		if why, begins := strings.CutPrefix(err.Error(), said); begins {
			if outer, ends := strings.CutSuffix(text, said+why); ends {
				text = outer + why
			}
		}
	}
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		if inner := err.Unwrap(); inner != nil {
			text = withoutInvalid(text, inner)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range err.Unwrap() {
			text = withoutInvalid(text, inner)
		}
	}
	return text
}

// errNoRequest refuses a request that is nil.
var errNoRequest = fmt.Errorf("%w: there is no request", ErrInvalid)

// orNil returns the error, or nil where no field is wrong.
func (e *InvalidRequestError) orNil() error {
	if len(e.Fields) == 0 {
		return nil
	}
	return e
}
