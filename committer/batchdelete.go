package committer

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ContextKept is the entry of a response's context that says which versions a
// deletion kept, and why.
const ContextKept = "lancecommit.kept"

// mostKeptShown bounds the versions that a response names as kept.
const mostKeptShown = 100

// BatchDeleteTableVersions deletes ranges of versions by the rules of
// [Table.DeleteVersions], without force. It is the operation
// BatchDeleteTableVersions of the Lance Namespace specification. What was kept
// is in the response's context under [ContextKept].
//
// Errors and costs are those of [Table.DeleteVersions], and [ErrTableNotFound],
// [ErrNamespaceNotFound], [ErrUnsupported], and [*InvalidRequestError], which
// names every field and range that is wrong. An [*UnfinishedDeleteError] comes with a
// response, which says what was done until then.
func (n *Namespace) BatchDeleteTableVersions(
	ctx context.Context, req *BatchDeleteTableVersionsRequest,
) (*BatchDeleteTableVersionsResponse, error) {
	const failed = "batch delete table versions: %w"
	if req == nil {
		return nil, errNoRequest
	}
	ctx = withCaller(ctx, req.Identity, req.Context)
	if n.broken != nil {
		return nil, fmt.Errorf(failed, n.broken)
	}
	var wrong faults
	root := n.readDelete(&wrong, req)
	if err := wrong.err(); err != nil {
		return nil, fmt.Errorf(failed, n.refuse(ctx, root, req.Branch, err))
	}
	t, err := n.table(ctx, root, req.Branch, 0)
	if err != nil {
		return nil, fmt.Errorf(failed, err)
	}
	result, err := t.DeleteVersions(ctx, req.Ranges, DeleteOptions{})
	if err != nil && !errors.Is(err, ErrUnfinishedDelete) {
		return nil, fmt.Errorf(failed, err)
	}
	response := &BatchDeleteTableVersionsResponse{DeletedCount: int64(result.Deleted)}
	if len(result.Kept) > 0 {
		response.Context = map[string]string{ContextKept: keptText(result.Kept)}
	}
	if err != nil {
		return response, fmt.Errorf(failed, err)
	}
	return response, nil
}

// readDelete adds every field that is wrong, and returns the root of the table,
// empty where that is not known.
func (n *Namespace) readDelete(wrong *faults, req *BatchDeleteTableVersionsRequest) (root string) {
	root, _ = wrong.checkTable(n, "", req.ID, req.Branch)
	wrong.checkRanges(req.Ranges)
	return root
}

// keptText names versions and why they were kept, such as "3 tagged v1; 9 latest".
func keptText(kept []KeptVersion) string {
	var b strings.Builder
	for i, k := range kept {
		if i == mostKeptShown {
			fmt.Fprintf(&b, "; and %d more", len(kept)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%d %s", k.Number, k.Reason)
		if k.Name != "" {
			b.WriteString(" " + k.Name)
		}
	}
	return b.String()
}
