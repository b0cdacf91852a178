package committer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// A Request is a request of an operation of a [Namespace]: a pointer to one of the
// five types of this package whose names end in Request.
type Request interface {
	asked() asked
}

// asked is what all requests say.
type asked struct {
	operation string
	identity  *Identity
	context   RequestContext
	// read adds every field that is wrong.
	read func(*Namespace, *faults)
	// writes says that a refusal names the latest version of the chain that id and
	// branch, fields of the request at a path, name.
	writes     bool
	at, branch string
	id         []string
}

func (r *CreateTableVersionRequest) asked() asked {
	return asked{
		operation: "create table version", identity: r.Identity, context: r.Context,
		read:   func(n *Namespace, wrong *faults) { n.readEntry(wrong, "", r.entry()) },
		writes: true, id: r.ID, branch: r.Branch,
	}
}

func (r *BatchCreateTableVersionsRequest) asked() asked {
	a := asked{
		operation: "batch create table versions", identity: r.Identity, context: r.Context,
		read: func(n *Namespace, wrong *faults) { n.readBatch(wrong, r) },
	}
	if len(r.Entries) == 1 {
		a.writes, a.at, a.id, a.branch = true, entryField(0), r.Entries[0].ID, r.Entries[0].Branch
	}
	return a
}

func (r *ListTableVersionsRequest) asked() asked {
	return asked{
		operation: "list table versions", identity: r.Identity, context: r.Context,
		read: func(n *Namespace, wrong *faults) { n.readList(wrong, r) },
	}
}

func (r *DescribeTableVersionRequest) asked() asked {
	return asked{
		operation: "describe table version", identity: r.Identity, context: r.Context,
		read: func(n *Namespace, wrong *faults) { n.readDescribe(wrong, r) },
	}
}

func (r *BatchDeleteTableVersionsRequest) asked() asked {
	return asked{
		operation: "batch delete table versions", identity: r.Identity, context: r.Context,
		read:   func(n *Namespace, wrong *faults) { n.readDelete(wrong, r) },
		writes: true, id: r.ID, branch: r.Branch,
	}
}

// Refuse returns the refusal of a request that could not be read whole: decoding
// is the error that json.Unmarshal returned with req. It is [ErrInvalid]. Its
// [*InvalidRequestError] names the fields that decoding names, and those that were
// read and are wrong, too. Where the request is to write or to delete, its text
// names the latest version, if the table can be told. Nothing is written.
//
// It costs what the refusal of a request that was read costs: a LIST where the
// latest version is named and the end of the chain is not known, and nothing
// otherwise.
func (n *Namespace) Refuse(ctx context.Context, req Request, decoding error) error {
	if req == nil || reflect.ValueOf(req).IsNil() {
		return errNoRequest
	}
	if n.broken != nil {
		return n.broken
	}
	asked := req.asked()
	var wrong faults
	refusal := decoding
	var decoded *InvalidRequestError
	switch {
	case errors.As(decoding, &decoded):
		wrong.Fields = append(wrong.Fields, decoded.Fields...)
		wrong.unread = len(wrong.Fields)
		if !wrong.isWhole() {
			asked.read(n, &wrong)
		}
		refusal = wrong.err()
	case !errors.Is(decoding, ErrInvalid):
		// Without the cause, which can show what is in the request.
		where := ""
		if syntax := (*json.SyntaxError)(nil); errors.As(decoding, &syntax) {
			where = fmt.Sprintf(" at byte %d", syntax.Offset)
		}
		refusal = fmt.Errorf("%w: the request is not JSON%s", ErrInvalid, where)
	}
	root, err := n.tableRoot(asked.id)
	isTold := err == nil && !wrong.isUnread(joinPath(asked.at, "id")) && !wrong.isUnread(joinPath(asked.at, "branch"))
	if asked.writes && isTold {
		refusal = n.refuse(withCaller(ctx, asked.identity, asked.context), root, asked.branch, refusal)
	}
	return fmt.Errorf("%s: %w", asked.operation, refusal)
}
