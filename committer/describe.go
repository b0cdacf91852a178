package committer

import (
	"context"
	"errors"
	"fmt"
)

// DescribeTableVersion describes a version with its metadata, or the latest. It
// is the operation DescribeTableVersion of the Lance Namespace specification.
//
// Errors: [ErrVersionNotFound], also for the latest of a table that has no
// versions yet, [ErrTableNotFound], [ErrNamespaceNotFound],
// [ErrBranchNotFound], [ErrUnsupported], [*InvalidRequestError].
//
// It costs one HEAD, two while the naming scheme is not known; the latest costs
// what [Table.Latest] does before that.
func (n *Namespace) DescribeTableVersion(
	ctx context.Context, req *DescribeTableVersionRequest,
) (*DescribeTableVersionResponse, error) {
	if req == nil {
		return nil, errNoRequest
	}
	v, err := n.describe(withCaller(ctx, req.Identity, req.Context), req)
	if err != nil {
		return nil, fmt.Errorf("describe table version: %w", err)
	}
	described := tableVersion(v)
	return &DescribeTableVersionResponse{Version: &described}, nil
}

func (n *Namespace) describe(ctx context.Context, req *DescribeTableVersionRequest) (Version, error) {
	t, err := n.begin(ctx, req.ID, req.Branch, func(wrong *InvalidRequestError) {
		if req.Version != nil {
			wrong.checkVersion(*req.Version)
		}
	})
	if err != nil {
		return Version{}, err
	}
	if req.Version != nil {
		return t.Version(ctx, uint64(*req.Version))
	}
	latest, err := t.Latest(ctx)
	switch {
	case errors.Is(err, ErrTableNotFound) && !n.atTable:
		// The table is there: it is declared, and empty.
		return Version{}, fmt.Errorf("%w: the table has no versions yet", ErrVersionNotFound)
	case err != nil:
		return Version{}, err
	}
	return t.Version(ctx, latest.Number)
}
