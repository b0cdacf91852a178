package committer

import (
	"context"
	"errors"
	"io/fs"
	"net/http"

	"github.com/lancecommit/lancecommit/backends"
)

// Error codes of the Lance Namespace specification (release 0.11.1) that the
// operations of a [Namespace] have.
const (
	CodeUnsupported            = 0
	CodeNamespaceNotFound      = 1
	CodeTableNotFound          = 4
	CodeTableVersionNotFound   = 11
	CodeInvalidInput           = 13
	CodeConcurrentModification = 14
	CodePermissionDenied       = 15
	CodeUnauthenticated        = 16
	CodeServiceUnavailable     = 17
	CodeInternal               = 18
	CodeInvalidTableState      = 19
	CodeThrottling             = 21
	CodeTableBranchNotFound    = 22
)

// A codeMeaning is what a code is called, its HTTP status, and what somebody who
// gets it does, where the error has no advice of its own.
type codeMeaning struct {
	name, advice string
	status       int
}

var meanings = map[int]codeMeaning{
	CodeUnsupported:            {"Unsupported", "Nothing was written. To send it again does not help.", http.StatusNotAcceptable},
	CodeNamespaceNotFound:      {"NamespaceNotFound", "Check the location of the namespace.", http.StatusNotFound},
	CodeTableNotFound:          {"TableNotFound", "Check the id of the table.", http.StatusNotFound},
	CodeTableVersionNotFound:   {"TableVersionNotFound", "List the versions that are there.", http.StatusNotFound},
	CodeInvalidInput:           {"InvalidInput", "Nothing was written. Mend the request.", http.StatusBadRequest},
	CodeConcurrentModification: {"ConcurrentModification", "Nothing was written. Build on the latest version and create the next one.", http.StatusConflict},
	CodePermissionDenied:       {"PermissionDenied", "The credentials of the store do not allow it.", http.StatusForbidden},
	CodeUnauthenticated:        {"Unauthenticated", "The store does not accept the credentials.", http.StatusUnauthorized},
	CodeServiceUnavailable:     {"ServiceUnavailable", "Nothing was written. Send it again later.", http.StatusServiceUnavailable},
	CodeInternal:               {"Internal", "The error says what must be mended. Then send the same request again.", http.StatusInternalServerError},
	CodeInvalidTableState:      {"InvalidTableState", "Nothing was written. The table must be repaired.", http.StatusConflict},
	CodeThrottling:             {"Throttling", "Nothing was written. Send it again later.", http.StatusTooManyRequests},
	CodeTableBranchNotFound:    {"TableBranchNotFound", "Make the branch first.", http.StatusNotFound},
}

// codes says which error has which code, and what a caller who gets it does where
// the code's meaning does not tell it all. The first match wins, so what must
// never be taken for something else comes first.
var codes = []struct {
	err    error
	code   int
	advice string
}{
	{ErrUndecidable, CodeInternal, "It is not known whether the version is there, and to wait does not tell. Check the path of the staged manifest, keep all files, and do what the error says."},
	{ErrUnknownOutcome, CodeInternal, "It is not known whether the version is there. Keep all files, and send the same request again: its answer tells what became of it."},
	{ErrStaleCommit, CodeInternal, "The version was written where nobody looks for it. Keep all files, look at the object that is named, remove it, and build on the latest version."},
	{ErrUnfinishedDelete, CodeInternal, "Some of the versions are gone, or may be. Send the same request again, to repeat it: what is gone is not counted."},
	{backends.ErrNotDurable, CodeInternal, "A crash can undo it. Keep all files, mend the disk, and send the same request again: its answer tells what became of it."},
	{ErrBadRef, CodeInternal, "Nothing was written and nothing was deleted. Mend the tag or branch ref that is named, or remove it if nobody needs it."},
	{ErrReentrant, CodeInternal, "Nothing was written. The server's own hook called a write of the table that it was called for."},
	{ErrInconsistentStore, CodeUnsupported, "Nothing was written. Such a store cannot carry a table: use another."},
	{ErrUnsupported, CodeUnsupported, ""},
	{ErrNamespaceNotFound, CodeNamespaceNotFound, ""},
	{backends.ErrNoBucket, CodeNamespaceNotFound, ""},
	{ErrTableNotFound, CodeTableNotFound, ""},
	{ErrVersionNotFound, CodeTableVersionNotFound, ""},
	{ErrBranchNotFound, CodeTableBranchNotFound, ""},
	{ErrInvalid, CodeInvalidInput, ""},
	{backends.ErrInvalid, CodeInvalidInput, ""},
	{ErrStagedChanged, CodeConcurrentModification, "Nothing was written. Send the size and ETag of the manifest that is staged, or stage the manifest again under another name."},
	{ErrConflict, CodeConcurrentModification, ""},
	{ErrMixedSchemes, CodeInvalidTableState, ""},
	{backends.ErrUnauthenticated, CodeUnauthenticated, ""},
	{backends.ErrPermission, CodePermissionDenied, ""},
	{backends.ErrThrottled, CodeThrottling, ""},
	{ErrContention, CodeServiceUnavailable, "Nothing was written. Other writers were faster: look at the latest version, and send it again."},
	{backends.ErrUnsupported, CodeUnsupported, ""},
	{fs.ErrClosed, CodeInternal, "Nothing was written. The program has closed the store: open it again."},
	{backends.ErrNotStored, CodeServiceUnavailable, ""},
	{context.Canceled, CodeServiceUnavailable, ""},
	{context.DeadlineExceeded, CodeServiceUnavailable, ""},
}

// Code returns the code of the Lance Namespace specification for an error of
// this package, and -1 for nil.
//
// Errors of the store that none of the sentinels names are
// [CodeServiceUnavailable], since an outcome that is not known is an error of
// its own, [ErrUnknownOutcome], and has [CodeInternal]. The specification has two
// pages that give "the version exists" the code 12; its list of errors and all
// implementations have 14, [CodeConcurrentModification].
func Code(err error) int {
	if err == nil {
		return noCode
	}
	code, _ := codeOf(err)
	return code
}

// noCode is the code of no error.
const noCode = -1

// codeOf returns the code of an error, and what a caller who gets it does.
func codeOf(err error) (code int, advice string) {
	code = CodeInternal
	for _, row := range codes {
		if errors.Is(err, row.err) {
			if row.advice != "" {
				return row.code, row.advice
			}
			return row.code, meanings[row.code].advice
		}
	}
	var answer *backends.Error
	if errors.As(err, &answer) {
		code = CodeServiceUnavailable
	}
	return code, meanings[code].advice
}

// HTTPStatus returns the HTTP status that belongs to the code of an error, and
// 200 for nil.
func HTTPStatus(err error) int {
	if err == nil {
		return http.StatusOK
	}
	return meanings[Code(err)].status
}

// An ErrorBody is the model ErrorResponse of the specification.
type ErrorBody struct {
	// Error says what was asked, what is there, and what to do.
	Error string `json:"error"`
	Code  int    `json:"code"`
	// Detail is the name of the code and what the caller does, which is told by
	// the sentinel that the error is, and not by the code alone.
	Detail string `json:"detail"`
	// Instance is what the caller knows the request by.
	Instance string `json:"instance,omitempty"`
}

// ErrorResponse returns the body of the answer to a request that failed.
// Instance is what the caller knows the request by, such as its path or number.
// It holds no credentials, and neither does the rest. For nil it has the code -1,
// as [Code], and no text.
func ErrorResponse(err error, instance string) ErrorBody {
	if err == nil {
		return ErrorBody{Code: noCode, Instance: instance}
	}
	code, advice := codeOf(err)
	return ErrorBody{Error: err.Error(), Code: code, Detail: meanings[code].name + ". " + advice, Instance: instance}
}
