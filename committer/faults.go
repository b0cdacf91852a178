package committer

import (
	"errors"
	"strings"

	"github.com/lancecommit/lancecommit/naming"
)

// faults collects what is wrong with the fields of a request. All operations
// check their requests with it, so that each names every field that is wrong.
type faults struct {
	InvalidRequestError
	// unread is how many of the fields could not be read. What they stand for is
	// not known, and not judged.
	unread int
	// unsupported is how many fields ask for what there is not.
	unsupported int
}

// add adds a field, unless it could not be read.
func (f *faults) add(field, format string, args ...any) {
	if !f.isUnread(field) {
		f.InvalidRequestError.add(field, format, args...)
	}
}

// addWhole adds a field also where a part of it could not be read: what is wrong is
// the field as a whole, such as how many entries it has.
func (f *faults) addWhole(field, format string, args ...any) {
	f.InvalidRequestError.add(field, format, args...)
}

// check adds a field when err is not nil.
func (f *faults) check(field string, err error) {
	if err == nil || f.isUnread(field) {
		return
	}
	if errors.Is(err, ErrUnsupported) {
		f.unsupported++
	}
	f.add(field, "%v", err)
}

// isUnread reports whether a field, a part of it, or what it is part of could not
// be read.
func (f *faults) isUnread(field string) bool {
	for _, unread := range f.Fields[:f.unread] {
		if isPart(field, unread.Field) || isPart(unread.Field, field) {
			return true
		}
	}
	return false
}

// isPart reports whether a field is another, or a part of it.
func isPart(field, of string) bool {
	rest, ok := strings.CutPrefix(field, of)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// err returns what the request is refused with, nil where no field is wrong. A
// request that only asks for what there is not is no malformed one.
func (f *faults) err() error {
	switch len(f.Fields) {
	case 0:
		return nil
	case f.unsupported:
		return &unsupportedRequestError{f.InvalidRequestError}
	default:
		return &f.InvalidRequestError
	}
}

// checkVersion adds the field version when it is out of bounds.
func (f *faults) checkVersion(at string, version int64) {
	const none = "%d is no version%s: they are numbers from %d to %d"
	switch {
	case version == 0:
		f.add(joinPath(at, "version"), none, version, ", or it is missing", naming.MinVersion, naming.MaxVersion)
	case version < int64(naming.MinVersion):
		f.add(joinPath(at, "version"), none, version, "", naming.MinVersion, naming.MaxVersion)
	}
}

// checkTable adds the fields at a path that name a table and a branch, and
// returns the root of the table. It is known where both could be read and are
// right.
func (f *faults) checkTable(n *Namespace, at string, id []string, branch string) (root string, known bool) {
	root, idErr := n.tableRoot(id)
	branchErr := naming.CheckBranch(branch)
	idField, branchField := joinPath(at, "id"), joinPath(at, "branch")
	f.check(idField, idErr)
	f.check(branchField, branchErr)
	return root, idErr == nil && branchErr == nil && !f.isUnread(idField) && !f.isUnread(branchField)
}

// An unsupportedRequestError names the fields of a request that ask for what
// there is not.
type unsupportedRequestError struct{ InvalidRequestError }

// Error names the fields and the reasons.
func (e *unsupportedRequestError) Error() string { return e.text() }

// Unwrap returns ErrUnsupported.
func (e *unsupportedRequestError) Unwrap() error { return ErrUnsupported }
