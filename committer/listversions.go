package committer

import (
	"context"
	"fmt"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/naming"
)

// ListTableVersions returns a page of a table's versions, always newest first.
// It is the operation ListTableVersions of the Lance Namespace specification.
// The versions carry no metadata. A page can have fewer versions than the limit
// and still have a token, but is never empty then. Tokens hold while others
// commit, and are good for the store, table and branch that they were made for;
// any other is an [*InvalidRequestError]. Stores are told apart by their URLs, so
// that those which do not know them, and those with the same at two endpoints,
// take each other's tokens for a table of the same location.
//
// A table that is there and empty has no versions, and that is no error.
//
// Errors: [ErrTableNotFound], [ErrNamespaceNotFound], [ErrBranchNotFound],
// [ErrMixedSchemes], [ErrUnsupported], [*InvalidRequestError].
//
// In a V2 table on an ordered store it costs one LIST a page; more where the
// page begins with manifests that are only staged. Elsewhere each page costs a
// whole listing. With [AtTable] a table without versions costs one LIST more, to
// see whether it is there.
func (n *Namespace) ListTableVersions(
	ctx context.Context, req *ListTableVersionsRequest,
) (*ListTableVersionsResponse, error) {
	if req == nil {
		return nil, errNoRequest
	}
	response, err := n.listVersions(withCaller(ctx, req.Identity, req.Context), req)
	if err != nil {
		return nil, fmt.Errorf("list table versions: %w", err)
	}
	return response, nil
}

func (n *Namespace) listVersions(ctx context.Context, req *ListTableVersionsRequest) (*ListTableVersionsResponse, error) {
	if n.broken != nil {
		return nil, n.broken
	}
	var wrong faults
	root, from := n.readList(&wrong, req)
	if err := wrong.err(); err != nil {
		return nil, err
	}
	t, err := n.table(ctx, root, req.Branch, 0)
	if err != nil {
		return nil, n.orAbsent(ctx, err)
	}
	limit := fullPage
	if req.Limit != nil {
		limit = int(min(*req.Limit, fullPage))
	}
	page, next, err := t.page(ctx, limit, from)
	if err != nil {
		return nil, err
	}
	if len(page) == 0 && req.PageToken == "" {
		if err := n.checkThere(ctx); err != nil {
			return nil, err
		}
	}
	response := &ListTableVersionsResponse{Versions: make([]TableVersion, 0, len(page))}
	for _, v := range page {
		response.Versions = append(response.Versions, tableVersion(v))
	}
	if next.After != 0 {
		response.PageToken = next.encode(n.listedAt(t.root))
	}
	return response, nil
}

// readList adds every field that is wrong, and returns the root of the table and
// where the page begins.
func (n *Namespace) readList(wrong *faults, req *ListTableVersionsRequest) (root string, from pageToken) {
	root, known := wrong.checkTable(n, "", req.ID, req.Branch)
	from, err := parsePageToken(req.PageToken)
	if err == nil && known {
		err = from.checkChain(n.listedAt(naming.BranchRoot(root, req.Branch)))
	}
	wrong.check("page_token", err)
	if req.Limit != nil && *req.Limit < 1 {
		wrong.add("limit", "%d is not a number of versions; leave it out for %d", *req.Limit, fullPage)
	}
	return root, from
}

// page returns up to limit versions from a place on, newest first, and where the
// next page begins: nowhere when its After is zero.
func (t *Table) page(ctx context.Context, limit int, from pageToken) (page []Version, next pageToken, err error) {
	if !t.ordered() || from.Whole {
		return t.cutWhole(ctx, limit, from)
	}
	in := backends.ListInput{Prefix: t.versions, Limit: limit, Token: from.Marker}
	if from.After != 0 && from.Marker == "" {
		in.StartAfter = t.key(naming.V2, from.After)
	}
	var seen MixedSchemesError
	for {
		// The store's page is as large as ours, so that its marker is the
		// place where ours ends.
		listed, err := t.reads.page(ctx, in)
		if err != nil {
			return nil, pageToken{}, fmt.Errorf("list versions: %w", err)
		}
		finals := finalsOf(listed, in.Prefix)
		if err := seen.add(finals); err != nil {
			return nil, pageToken{}, err
		}
		switch {
		case len(finals) > 0 && finals[0].Scheme == naming.V1:
			return t.cutWhole(ctx, limit, from)
		case len(finals) > limit:
			return finals[:limit], pageToken{After: finals[limit-1].Number}, nil
		case len(finals) > 0 && listed.Token != "":
			return finals, pageToken{After: finals[len(finals)-1].Number, Marker: listed.Token}, nil
		case listed.Token == "":
			return finals, pageToken{}, nil
		}
		// Only staged manifests: there can be many of them.
		in.Token, in.Limit = listed.Token, fullPage
	}
}

// cutWhole is page for chains whose names are not in the order of versions.
func (t *Table) cutWhole(ctx context.Context, limit int, from pageToken) (page []Version, next pageToken, err error) {
	for v, err := range t.newestFirst(ctx, fullPage) {
		switch {
		case err != nil:
			return nil, pageToken{}, err
		case from.After != 0 && v.Number >= from.After:
			continue
		case len(page) == limit:
			return page, pageToken{After: page[limit-1].Number, Whole: true}, nil
		}
		page = append(page, v)
	}
	return page, pageToken{}, nil
}
