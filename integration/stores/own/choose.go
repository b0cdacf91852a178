package own

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
)

// The environment variables that name the store.
const (
	EnvStore   = "LANCECOMMIT_STORE"
	EnvOptions = "LANCECOMMIT_STORE_OPTIONS"
)

// A Store is a location that tests may make folders in. It is safe for
// concurrent use as long as nobody changes its fields.
type Store struct {
	Location string
	// Options are Lance's storage options, with their values, which can be
	// credentials.
	Options map[string]string
}

// Chosen reports whether the environment names a store.
func Chosen() bool { return os.Getenv(EnvStore) != "" }

// fromEnvironment returns the store that the environment names.
func fromEnvironment() (*Store, error) {
	options, err := parseOptions(os.Getenv(EnvOptions))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", EnvOptions, err)
	}
	return &Store{Location: os.Getenv(EnvStore), Options: options}, nil
}

// optionName is what the names of options look like. A piece of a secret that
// has a comma in it hardly does, and so does not come to be shown as the name of
// an option that nobody knows.
var optionName = regexp.MustCompile(`^([a-z][a-z0-9_]*|[A-Z][A-Z0-9_]*)$`)

// parseOptions reads options. Its errors quote nothing that could be a value.
func parseOptions(text string) (map[string]string, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return nil, nil
	case strings.HasPrefix(text, "{"):
		var options map[string]string
		if json.Unmarshal([]byte(text), &options) != nil {
			return nil, errors.New(`it starts with "{" and is no JSON object of texts, such as {"name":"value"}`)
		}
		return options, nil
	}
	options := make(map[string]string)
	for i, item := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(item, "=")
		name = strings.TrimSpace(name)
		if _, again := options[name]; again {
			return nil, fmt.Errorf("the option %s is there twice", name)
		}
		if !ok || !optionName.MatchString(name) {
			return nil, fmt.Errorf(`item %d is not name=value; where a value has a comma, write all as a JSON object {"name":"value"}`, i+1)
		}
		options[name] = value
	}
	return options, nil
}

// bucketURL is what a URL has before its folder and its query.
var bucketURL = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+://[^/?#]*`)

// isFileURL tells the URL of a folder on disk.
func isFileURL(location string) bool { return strings.HasPrefix(strings.ToLower(location), "file://") }

// split returns what names the bucket, and the query. On disk all of a location
// names the folder.
func (s *Store) split() (bucket, query string) {
	if bucket = bucketURL.FindString(s.Location); bucket == "" || isFileURL(bucket) {
		return s.Location, ""
	}
	_, query, _ = strings.Cut(s.Location, "?")
	return bucket, query
}

// StorageOptions are the options that LanceDB takes to reach s: those of the
// location's query are among them.
func (s *Store) StorageOptions() map[string]string {
	all := make(map[string]string)
	_, query := s.split()
	values, _ := url.ParseQuery(query) // all.Open says what is wrong with it
	for name := range values {
		if name != "prefix" { // part of the folder's URI
			all[name] = values.Get(name)
		}
	}
	maps.Copy(all, s.Options)
	return all
}

// shortest is the length of the shortest value that is hidden. What is shorter,
// such as true, is no credential, and stands in many texts.
const shortest = 8

// Hide returns an error of LanceDB's without the values of options.
func (s *Store) Hide(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, value := range s.StorageOptions() {
		if len(value) >= shortest {
			text = strings.ReplaceAll(text, value, "…")
		}
	}
	return errors.New(text)
}

// isHTTP tells an endpoint that has no TLS.
func isHTTP(value string) bool { return strings.HasPrefix(strings.ToLower(value), "http://") }

// Endpoint returns the endpoint that the options name if a proxy can stand in
// front of it: one whose URL starts with http:// and does not change with the
// bucket. Otherwise it is empty.
func (s *Store) Endpoint() (endpoint string) {
	for name, value := range s.Options {
		switch {
		case isHTTP(value):
			endpoint = value
		case strings.Contains(strings.ToLower(name), "virtual_hosted"):
			return ""
		}
	}
	return endpoint
}

// Through returns s with a proxy in place of the host of its Endpoint. The
// address of the proxy is http://HOST:PORT.
func (s *Store) Through(proxy string) *Store {
	through := &Store{Location: s.Location, Options: make(map[string]string)}
	for name, value := range s.Options {
		if u, err := url.Parse(value); isHTTP(value) && err == nil {
			value = proxy + u.EscapedPath()
		}
		through.Options[name] = value
	}
	return through
}

// LanceDBWrites reports whether the environment names a store that LanceDB can
// write to, which it cannot do on emulators of GCS.
func LanceDBWrites() bool {
	s, err := fromEnvironment()
	return err != nil || !s.isEmulatedGCS()
}

func (s *Store) isEmulatedGCS() bool {
	bucket, _ := s.split()
	if !strings.HasPrefix(strings.ToLower(bucket), "gs://") {
		return false
	}
	if os.Getenv("STORAGE_EMULATOR_HOST") != "" {
		return true
	}
	return slices.ContainsFunc(slices.Collect(maps.Values(s.StorageOptions())), isHTTP)
}
