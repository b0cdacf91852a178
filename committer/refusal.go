package committer

import (
	"context"
	"errors"
	"fmt"
)

// RefuseCreate returns the refusal of a CreateTableVersion request that could not
// be read whole: decoding is the error that json.Unmarshal returned with req. It
// is [ErrInvalid]. Its [*InvalidRequestError] names the fields that decoding
// names, and those that were read and are wrong, too; its text names the latest
// version, where the table can be told. Nothing is written.
//
// It costs what the refusal of a request that was read costs: a LIST, where the
// end of the chain is not known.
func (n *Namespace) RefuseCreate(ctx context.Context, req *CreateTableVersionRequest, decoding error) error {
	if req == nil {
		return errNoRequest
	}
	if n.broken != nil {
		return n.broken
	}
	entry := req.entry()
	var unread InvalidRequestError
	refusal := decoding
	var decoded *InvalidRequestError
	switch {
	case errors.As(decoding, &decoded):
		unread.Fields = append(unread.Fields, decoded.Fields...)
		if !unread.isWhole() {
			n.addValues(&unread, entry)
		}
		refusal = &unread
	case !errors.Is(decoding, ErrInvalid):
		// Without the cause, which can show what is in the request.
		refusal = fmt.Errorf("%w: the request is not JSON", ErrInvalid)
	}
	if root, err := n.tableRoot(req.ID); err == nil && !unread.names("id") && !unread.names("branch") {
		refusal = n.refuse(withCaller(ctx, req.Identity, req.Context), root, req.Branch, refusal)
	}
	return fmt.Errorf("create table version: %w", refusal)
}

// addValues adds what is wrong with the fields that could be read.
func (n *Namespace) addValues(unread *InvalidRequestError, e *CreateTableVersionEntry) {
	could := *unread
	var values *InvalidRequestError
	if _, _, err := n.read(e); errors.As(err, &values) {
		for _, f := range values.Fields {
			if !could.names(f.Field) {
				unread.add(f.Field, "%s", f.Reason)
			}
		}
		return
	}
	if _, err := n.tableRoot(e.ID); !could.names("id") {
		unread.check("id", err)
	}
}
