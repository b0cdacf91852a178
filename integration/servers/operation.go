package servers

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

const gcsObjects = "/storage/v1/b/"

// Operation is what the request asks of a store: PUT, GET, HEAD, LIST or DELETE
// of objects, told apart in each of the three protocols. Any other request is its
// method, slash, path and query names, such as "PUT /bucket" for a new bucket:
// it is in no budget, and so its name is to be seen.
func (r Request) Operation() string {
	switch {
	case strings.HasPrefix(r.Path, gcsObjects):
		return r.operationGCS()
	case strings.HasPrefix(r.Path, "/upload"+gcsObjects) && r.Method == http.MethodPost:
		return "PUT"
	}
	_, key, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	if r.Query.Get("comp") == "list" {
		return "LIST" // Azure
	}
	if strings.HasPrefix(r.Path, "/"+azuriteAccount+"/") {
		_, key, _ = strings.Cut(key, "/")
	}
	switch {
	case r.Query.Get("list-type") == "2":
		return "LIST" // S3
	case key != "" && !r.hasSubresource():
		return r.Method
	}
	return r.other()
}

// operationGCS is for /storage/v1/b/BUCKET/o and /storage/v1/b/BUCKET/o/KEY.
func (r Request) operationGCS() string {
	_, rest, _ := strings.Cut(strings.TrimPrefix(r.Path, gcsObjects), "/")
	_, key, hasKey := strings.Cut(rest, "/")
	switch {
	case r.Method == http.MethodGet && rest == "o":
		return "LIST"
	case !hasKey || strings.Contains(key, "/"):
		return r.other()
	case r.Method == http.MethodGet && r.Query.Get("alt") == "media":
		return "GET"
	case r.Method == http.MethodGet:
		return "HEAD"
	case r.Method == http.MethodDelete:
		return "DELETE"
	}
	return r.other()
}

// hasSubresource tells a request on part of an object from one on the object:
// ?tagging, ?uploads, ?comp=block and the like.
func (r Request) hasSubresource() bool {
	for _, name := range []string{"comp", "tagging", "uploads", "uploadId", "acl", "retention", "legal-hold", "attributes"} {
		if r.Query.Has(name) {
			return true
		}
	}
	return false
}

func (r Request) other() string {
	if len(r.Query) == 0 {
		return r.Method + " " + r.Path
	}
	return r.Method + " " + r.Path + "?" + strings.Join(slices.Sorted(maps.Keys(r.Query)), "&")
}
