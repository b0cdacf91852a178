package main

import (
	"crypto/md5"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A bucketServer speaks as much of S3 as the doctor needs.
type bucketServer struct {
	// refuse answers a request in place of the server, if it returns true.
	refuse func(w http.ResponseWriter, r *http.Request) bool

	mu      sync.Mutex
	objects map[string][]byte
	headers map[string]http.Header
	clients map[string]bool
}

func (s *bucketServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("x-amz-request-id", "request")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients[r.RemoteAddr] = true
	if s.refuse(w, r) {
		return
	}
	key := strings.TrimPrefix(r.URL.Path, "/bucket/")
	_, there := s.objects[key]
	switch {
	case r.Method == http.MethodPut && there && r.Header.Get("If-None-Match") == "*":
		refusal(w, http.StatusPreconditionFailed, "PreconditionFailed")
	case r.Method == http.MethodPut:
		s.objects[key], s.headers[key] = body, r.Header.Clone()
		w.Header().Set("ETag", etag(body))
	case r.Method == http.MethodDelete:
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodPost:
		refusal(w, http.StatusNotImplemented, "NotImplemented")
	case r.URL.Query().Get("list-type") != "":
		s.list(w, r)
	case !there:
		refusal(w, http.StatusNotFound, "NoSuchKey")
	default:
		w.Header().Set("ETag", etag(s.objects[key]))
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		w.Header().Set("x-amz-meta-lancecommit", s.headers[key].Get("x-amz-meta-lancecommit"))
		w.Header().Set("Content-Length", fmt.Sprint(len(s.objects[key])))
		_, _ = w.Write(s.objects[key])
	}
}

func (s *bucketServer) list(w http.ResponseWriter, r *http.Request) {
	type object struct {
		Key, ETag, LastModified string
		Size                    int
	}
	var page struct {
		XMLName        xml.Name `xml:"ListBucketResult"`
		Name           string
		IsTruncated    bool
		Contents       []object
		CommonPrefixes []struct{ Prefix string }
		Next           string `xml:"NextContinuationToken,omitempty"`
	}
	page.Name = "bucket"
	query := r.URL.Query()
	prefix, after := query.Get("prefix"), query.Get("start-after")+query.Get("continuation-token")
	limit := 1000
	_, _ = fmt.Sscan(query.Get("max-keys"), &limit)
	var names []string
	for key := range s.objects {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			folder, _, isFolder := strings.Cut(rest, "/")
			if isFolder {
				key = prefix + folder + "/"
			}
			if key > after {
				names = append(names, key)
			}
		}
	}
	slices.Sort(names)
	for i, name := range slices.Compact(names) {
		if i == limit {
			page.IsTruncated = true
			break
		}
		page.Next = name
		if strings.HasSuffix(name, "/") {
			page.CommonPrefixes = append(page.CommonPrefixes, struct{ Prefix string }{name})
			continue
		}
		page.Contents = append(page.Contents, object{name, etag(s.objects[name]), time.Now().UTC().Format(time.RFC3339), len(s.objects[name])})
	}
	if !page.IsTruncated {
		page.Next = ""
	}
	_ = xml.NewEncoder(w).Encode(page)
}

func etag(body []byte) string { return fmt.Sprintf("%q", fmt.Sprintf("%x", md5.Sum(body))) }

func refusal(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>said by the store</Message></Error>", code)
}
