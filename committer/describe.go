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
// what [Table.Latest] does before that. With [AtTable] what is not found costs one
// LIST more, to see whether the table is there.
func (n *Namespace) DescribeTableVersion(
	ctx context.Context, req *DescribeTableVersionRequest,
) (*DescribeTableVersionResponse, error) {
	if req == nil {
		return nil, errNoRequest
	}
	ctx = withCaller(ctx, req.Identity, req.Context)
	v, err := n.describe(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("describe table version: %w", n.orAbsent(ctx, err))
	}
	described := tableVersion(v)
	return &DescribeTableVersionResponse{Version: &described}, nil
}

func (n *Namespace) describe(ctx context.Context, req *DescribeTableVersionRequest) (Version, error) {
	if n.broken != nil {
		return Version{}, n.broken
	}
	var wrong faults
	root := n.readDescribe(&wrong, req)
	if err := wrong.err(); err != nil {
		return Version{}, err
	}
	t, err := n.table(ctx, root, req.Branch, 0)
	if err != nil {
		return Version{}, err
	}
	if req.Version != nil {
		return t.Version(ctx, uint64(*req.Version))
	}
	v, err := t.describeLatest(ctx)
	if errors.Is(err, ErrVersionNotFound) {
		// Cleaned up since, or before, when the latest was one that was remembered.
		t.forget()
		v, err = t.describeLatest(ctx)
	}
	if errors.Is(err, ErrTableNotFound) {
		// The table is there, and empty.
		err = fmt.Errorf("%w: %s", ErrVersionNotFound, noVersions(t.branch))
	}
	return v, err
}

// describeLatest returns the latest version with its metadata, which a LIST does
// not show.
func (t *Table) describeLatest(ctx context.Context) (Version, error) {
	latest, err := t.Latest(ctx)
	if err != nil {
		return Version{}, err
	}
	return t.Version(ctx, latest.Number)
}

// readDescribe adds every field that is wrong, and returns the root of the table.
func (n *Namespace) readDescribe(wrong *faults, req *DescribeTableVersionRequest) (root string) {
	root, _ = wrong.checkTable(n, "", req.ID, req.Branch)
	if req.Version != nil {
		wrong.checkVersion("", *req.Version)
	}
	return root
}
