package azure

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/lancecommit/lancecommit/backends"
)

// largestPage is the most entries that the store gives in one request.
const largestPage = 5000

// List implements backends.Store. It costs one request.
//
// The service has no exact StartAfter. Here each page leaves the entries up to
// it out, so that a listing costs the requests of one from the start, and its
// first pages may be empty.
func (s *Store) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	if err := backends.CheckCall(ctx, "list", in.Prefix, checkPrefix); err != nil {
		return backends.Page{}, err
	}
	at := place{after: in.StartAfter}
	if in.Token != "" {
		var err error
		if at, err = parseToken(in.Token); err != nil {
			return backends.Page{}, &backends.Error{Op: "list", Key: in.Prefix, Err: err}
		}
	}
	opts := &container.ListBlobsHierarchyOptions{
		Prefix:         &in.Prefix,
		ResponseFormat: container.StorageResponseFormatXML,
	}
	if at.marker != "" {
		opts.Marker = &at.marker
	}
	if in.Limit > 0 {
		opts.MaxResults = to.Ptr(int32(min(in.Limit, largestPage)))
	}
	var answer *http.Response
	listed, err := s.container.NewListBlobsHierarchyPager("/", opts).NextPage(watched(ctx, &answer))
	if failed := s.verify(ctx, "list", in.Prefix, answer, err); failed != nil {
		return backends.Page{}, failed
	}
	if listed.Segment == nil {
		return backends.Page{}, foreign("list", in.Prefix, "list of objects", answer)
	}
	page := at.page(listed.Segment)
	page.Now = timeOf(listed.Date)
	if at.marker = value(listed.NextMarker); at.marker != "" {
		page.Token = at.token()
	}
	return page, nil
}

// A place is where a listing goes on: at a marker of the store's, with the keys
// up to one left out.
type place struct {
	after, marker string
}

// token writes the place as the caller has it.
func (p place) token() string {
	return base64.RawURLEncoding.EncodeToString([]byte(p.after)) + "." + p.marker
}

func parseToken(token string) (place, error) {
	encoded, marker, ok := strings.Cut(token, ".")
	after, err := base64.RawURLEncoding.DecodeString(encoded)
	if !ok || err != nil || marker == "" {
		return place{}, fmt.Errorf("%w: the token is of no listing of this store", backends.ErrInvalid)
	}
	return place{after: string(after), marker: marker}, nil
}

// page returns the entries that belong to the listing.
func (p place) page(listed *container.BlobHierarchyListSegment) backends.Page {
	var page backends.Page
	for _, item := range listed.BlobItems {
		key, properties := value(item.Name), value(item.Properties)
		if key <= p.after {
			continue
		}
		page.Objects = append(page.Objects, backends.Object{Key: key, Attrs: backends.Attrs{
			Size:     value(properties.ContentLength),
			ETag:     etagOf(properties.ETag),
			Modified: timeOf(properties.LastModified),
		}})
	}
	for _, folder := range listed.BlobPrefixes {
		if prefix := value(folder.Name); prefix > p.after {
			page.Prefixes = append(page.Prefixes, prefix)
		}
	}
	return page
}
