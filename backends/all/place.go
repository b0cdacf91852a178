package all

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/backends"
)

// A kind is a kind of store.
type kind string

const (
	fileKind  kind = "folder on disk"
	s3Kind    kind = "S3 bucket"
	gcsKind   kind = "GCS bucket"
	azureKind kind = "Azure container"
)

// A place is a location, read.
type place struct {
	kind kind
	// path is the folder of a store on disk.
	path string
	// bucket and key are those of a store in a cloud; account and endpoint are
	// what an abfss URL says of them.
	bucket, key       string
	account, endpoint string
	settings          settings
	// queried are the options in the query of the location.
	queried map[string]bool
	// given are the options that were set, by their first names, and
	// hasCredentials is true when credentials are among them.
	given          map[string]bool
	hasCredentials bool
	// timeout bounds each call of the store where it is not 0.
	timeout time.Duration
}

// parse reads a location. Its key is that of the location alone until the
// options are there, too: see configure.
func parse(location string) (*place, error) {
	if location == "" {
		return nil, fmt.Errorf("%w: the location is empty", backends.ErrInvalid)
	}
	match := scheme.FindStringSubmatch(location)
	if match == nil {
		if err := checkPath(location); err != nil {
			return nil, err
		}
		return &place{kind: fileKind, path: filepath.Clean(location)}, nil
	}
	name := strings.ToLower(match[1])
	switch {
	case name == "s3+ddb":
		return nil, fmt.Errorf("%w: the versions of an s3+ddb:// table are kept in DynamoDB, and one written past it would "+
			"fork the table's history; commit through the writer that uses DynamoDB", backends.ErrUnsupported)
	case kinds[name] == "":
		return nil, fmt.Errorf("%w: there is no backend for %s://; %s", backends.ErrUnsupported, name, meant(name))
	}
	if last := location[len(location)-1]; last <= ' ' {
		return nil, fmt.Errorf("%w: the location ends in white space, which Lance leaves out; leave it out, or write a space as %%20",
			backends.ErrInvalid)
	}
	rest := location[len(match[0]):]
	if kinds[name] == fileKind {
		return parseFile(rest)
	}
	at := &place{kind: kinds[name]}
	rest, fragment, _ := strings.Cut(rest, "#")
	if fragment != "" {
		return nil, fmt.Errorf("%w: a location has no fragment; write '#' as %%23", backends.ErrInvalid)
	}
	rest, query, _ := strings.Cut(rest, "?")
	if err := at.settings.addQuery(query); err != nil {
		return nil, err
	}
	at.queried = make(map[string]bool, len(at.settings))
	for name := range at.settings {
		at.queried[name] = true
	}
	if misplaced.MatchString(rest) {
		return nil, fmt.Errorf("%w: what looks like a credential is in the folder's name; options in a location begin behind a '?'",
			backends.ErrInvalid)
	}
	at.bucket, at.key, _ = strings.Cut(rest, "/")
	return at, at.splitHost(name, rest)
}

// parseFile reads what is behind file://.
func parseFile(rest string) (*place, error) {
	u, err := url.Parse("file://" + rest)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: the URL is malformed", backends.ErrInvalid)
	case u.Host != "" && u.Host != "localhost" || u.User != nil:
		return nil, fmt.Errorf("%w: a file URL has no host; write file:///folder", backends.ErrInvalid)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%w: a file URL takes no query or fragment; write '?' as %%3F and '#' as %%23", backends.ErrInvalid)
	case u.Path == "":
		return nil, fmt.Errorf("%w: the URL has no path", backends.ErrInvalid)
	}
	return &place{kind: fileKind, path: filepath.FromSlash(u.Path)}, nil
}

// splitHost reads what stands for the bucket. rest is all behind the scheme.
func (at *place) splitHost(name, rest string) error {
	container, host, hasHost := strings.Cut(at.bucket, "@")
	switch {
	case strings.HasPrefix(at.bucket, "arn:"):
		return checkARN(rest)
	case name == "abfss" && hasHost:
		account, domain, ok := strings.Cut(host, ".dfs.")
		if !ok || account == "" || strings.Contains(container, ":") {
			at.bucket = ""
			return fmt.Errorf("%w: an abfss location is abfss://container@account.dfs.core.windows.net/folder", backends.ErrInvalid)
		}
		at.bucket, at.account, at.endpoint = container, account, "https://"+account+".blob."+domain
	case name == "abfss", hasHost, strings.Contains(at.bucket, ":"):
		return fmt.Errorf("%w: the name of the bucket is malformed; credentials are given as options", backends.ErrInvalid)
	}
	if at.bucket == "" {
		return fmt.Errorf("%w: the location names no bucket", backends.ErrInvalid)
	}
	return nil
}

// multiRegion is the ARN of a Multi-Region Access Point: it has no region.
var multiRegion = regexp.MustCompile(`^arn:[^:/]*:[^:/]*::|\.mrap(/|$)`)

// checkARN says what to do with an ARN in place of a bucket, which is no host.
func checkARN(arn string) error {
	if multiRegion.MatchString(arn) {
		return fmt.Errorf("%w: this is a Multi-Region Access Point, behind which two regions can each accept a create of the "+
			"same key; write s3:// and the bucket of one region", backends.ErrUnsupported)
	}
	return fmt.Errorf("%w: a location takes no ARN; write s3:// and the alias of the access point, which ends in -s3alias, "+
		"or give the ARN to s3.Open or s3.New", backends.ErrInvalid)
}
