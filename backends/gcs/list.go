package gcs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"

	"github.com/lancecommit/lancecommit/backends"
)

// maxPage is the most entries that Google Cloud Storage gives in one page.
const maxPage = 1000

// listed are the attributes that a page needs.
var listed = []string{"Name", "Size", "Generation", "Updated"}

// List implements [backends.Store]. It costs one request, and one more for each
// empty page with a token that Google Cloud Storage may give first. Page.Now is
// zero: the client does not show the headers of an answer.
func (s *Store) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	if err := backends.CheckCall(ctx, "list", in.Prefix, backends.CheckPrefix); err != nil {
		return backends.Page{}, err
	}
	query := &storage.Query{Prefix: in.Prefix, Delimiter: "/", Projection: storage.ProjectionNoACL}
	if err := query.SetAttrSelection(listed); err != nil {
		return backends.Page{}, &backends.Error{Op: "list", Key: in.Prefix, Err: err}
	}
	token := ""
	switch kind, rest, _ := strings.Cut(in.Token, ":"); {
	case in.Token == "":
		query.StartOffset = in.StartAfter
	case kind == serverToken:
		token = rest
	case kind == offsetToken:
		query.StartOffset = rest
	default:
		return backends.Page{}, &backends.Error{Op: "list", Key: in.Prefix, Err: fmt.Errorf(
			"%w: the token is not one of a listing", backends.ErrInvalid)}
	}
	entries := s.reads.Objects(ctx, query)
	entries.PageInfo().Token = token
	entries.PageInfo().MaxSize = min(max(in.Limit, 0), maxPage)
	page, err := onePage(entries)
	if err != nil {
		return backends.Page{}, explain("list", in.Prefix, err)
	}
	if in.Limit > 0 && len(page.Objects)+len(page.Prefixes) > in.Limit {
		page = fit(page, in.Limit)
	}
	if in.Token == "" && in.StartAfter != "" {
		// The offset counts itself in.
		page.Objects = slices.DeleteFunc(page.Objects, func(o backends.Object) bool { return o.Key == in.StartAfter })
	}
	return page, nil
}

// Tokens are one of these and a colon before what the server gave, or before the
// least name that the next page may have.
const (
	serverToken = "next"
	offsetToken = "from"
)

// onePage takes what one request brought.
func onePage(entries *storage.ObjectIterator) (backends.Page, error) {
	var page backends.Page
	for {
		entry, err := entries.Next()
		if errors.Is(err, iterator.Done) {
			return page, nil
		}
		if err != nil {
			return backends.Page{}, err
		}
		if entry.Prefix != "" {
			page.Prefixes = append(page.Prefixes, entry.Prefix)
		} else {
			attrs := attrsOf(entry)
			attrs.Metadata = ""
			page.Objects = append(page.Objects, backends.Object{Key: entry.Name, Attrs: attrs})
		}
		if entries.PageInfo().Remaining() > 0 {
			continue
		}
		if next := entries.PageInfo().Token; next != "" {
			page.Token = serverToken + ":" + next
		}
		return page, nil
	}
}
