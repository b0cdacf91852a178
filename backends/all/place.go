package all

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

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

// kinds says which scheme is which store.
var kinds = map[string]kind{
	"file": fileKind, "s3": s3Kind, "gs": gcsKind, "az": azureKind, "azblob": azureKind, "abfss": azureKind,
}

// scheme is what makes a location a URL; everything else is a path. It has two
// letters at least, so that C:\tables is a path.
var scheme = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+)://`)

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
	// given are the options that were set, by their first names, and
	// hasCredentials is true when credentials are among them.
	given          map[string]bool
	hasCredentials bool
}

// others are schemes by which other programs know these stores.
var others = map[string]string{
	"gcs": "gs://bucket/folder", "s3a": "s3://bucket/folder", "s3n": "s3://bucket/folder",
	"azure": "az://container/folder", "adl": "az://container/folder", "wasb": "az://container/folder", "wasbs": "az://container/folder",
	"abfs": "abfss://container@account.dfs.core.windows.net/folder",
	"http": "s3://, gs:// or az:// and the server as its endpoint", "https": "s3://, gs:// or az:// and the server as its endpoint",
}

// meant says what to write in place of a scheme that is not known.
func meant(scheme string) string {
	if instead := others[scheme]; instead != "" {
		return "write " + instead
	}
	return "there are s3://, gs://, az://, azblob://, abfss://, file:// and paths"
}

// parse reads a location.
func parse(location string) (*place, error) {
	if location == "" {
		return nil, fmt.Errorf("%w: the location is empty", backends.ErrInvalid)
	}
	match := scheme.FindStringSubmatch(location)
	if match == nil {
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
	at.bucket, at.key, _ = strings.Cut(rest, "/")
	if err := at.splitHost(name); err != nil {
		return nil, err
	}
	return at, at.cleanKey()
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

// splitHost reads what stands for the bucket.
func (at *place) splitHost(name string) error {
	container, host, hasHost := strings.Cut(at.bucket, "@")
	switch {
	case name == "abfss" && hasHost:
		account, domain, ok := strings.Cut(host, ".dfs.")
		if !ok || account == "" {
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

// cleanKey joins prefix= and writes the key as Lance writes it: Lance's own
// reading of such a location leaves characters that a URL cannot have encoded,
// in the key itself. So "a b" is the key "a%20b", and "a%41" stays as it is.
func (at *place) cleanKey() error {
	if value, given := at.settings.take("key"); given {
		return fmt.Errorf("%w: key=%s would be one object; put the folder into the location itself", backends.ErrInvalid, value)
	}
	prefix, _ := at.settings.take("prefix")
	key := strings.Trim(at.key, "/")
	if prefix = strings.Trim(prefix, "/"); prefix != "" && key != "" {
		key = prefix + "/" + key
	} else {
		key = prefix + key
	}
	at.key = encode(key)
	if at.key == "" {
		return nil
	}
	return backends.CheckKey(at.key)
}

// encode writes a path as the URL standard does (its path percent-encode set).
func encode(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if c <= ' ' || c > '~' || strings.IndexByte("\"#<>?^`{}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
