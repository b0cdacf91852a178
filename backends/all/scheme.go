package all

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
)

// kinds says which scheme is which store.
var kinds = map[string]kind{
	"file": fileKind, "s3": s3Kind, "gs": gcsKind, "az": azureKind, "azblob": azureKind, "abfss": azureKind,
}

// scheme is what makes a location a URL; everything else is a path. It has two
// letters at least, so that C:\tables is a path.
var scheme = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+)://`)

// others are schemes by which other programs know these stores.
var others = map[string]string{
	"gcs": "gs://bucket/folder", "s3a": "s3://bucket/folder", "s3n": "s3://bucket/folder",
	"azure": "az://container/folder", "adl": "az://container/folder", "wasb": "az://container/folder", "wasbs": "az://container/folder",
	"abfs": "abfss://container@account.dfs.core.windows.net/folder",
	"http": "s3://, gs:// or az:// and the server as its endpoint", "https": "s3://, gs:// or az:// and the server as its endpoint",
	"s3+ddb": "s3://bucket/folder",
}

// meant says what to write in place of a scheme that is not known.
func meant(scheme string) string {
	if instead := others[scheme]; instead != "" {
		return "write " + instead
	}
	return "there are s3://, gs://, az://, azblob://, abfss://, file:// and paths"
}

// almost is a path that may be a URL in which something went wrong: characters
// in front of the scheme, such as white space, quotes and a byte order mark, or a
// colon or slashes that are missing, too many, or of another kind.
var almost = regexp.MustCompile(`^[\s"'` + "`" + `<(\[{\x{feff}\x{200b}\x{a0}]*([A-Za-z][A-Za-z0-9+.-]+)\s*(?:[:;]\s*[/\\]*|[/\\]{2,})`)

// checkPath refuses a path that is a URL with its scheme mistyped. As a folder it
// would not be found, and the error would not say why.
func checkPath(path string) error {
	name, rest, is := cutAlmost(path)
	switch {
	case !is:
		return nil
	case kinds[name] == "":
		return fmt.Errorf("%w: this looks like the URL %s://; %s", backends.ErrInvalid, name, meant(name))
	case kinds[name] == fileKind:
		rest = "/" + rest
	}
	return fmt.Errorf("%w: this looks like a URL whose scheme is mistyped; did you mean %s? Write ./ in front of a folder on disk "+
		"that has this name", backends.ErrInvalid, shown(name+"://"+rest))
}

// cutAlmost takes the scheme that was meant off a path.
func cutAlmost(path string) (name, rest string, is bool) {
	match := almost.FindStringSubmatch(path)
	if match == nil {
		return "", "", false
	}
	name = strings.ToLower(match[1])
	return name, path[len(match[0]):], kinds[name] != "" || others[name] != ""
}

// misplaced is an option with a credential that is not in a query, though it was
// to be.
var misplaced = regexp.MustCompile(`(?i)(?:[&;]|%3f|%26)(?:aws_|azure_|google_|account_|access_|service_account|secret|session_?token|token|sas|sig)[a-z0-9_]*=`)

// assigned is a parameter. In a path '?' and '#' are characters as any others,
// unless there is one behind them: then a URL may be meant, without its scheme.
var assigned = regexp.MustCompile(`(?i)=|%3d`)

// shown is a location as errors show it: without what could be a credential,
// which can stand in front of a host, in a query, and in a fragment, also where a
// mistake made a path of a URL.
func shown(location string) string {
	start := scheme.FindString(location)
	rest := location[len(start):]
	if end := strings.IndexAny(rest, "?#"); end >= 0 {
		_, _, isAlmost := cutAlmost(rest)
		switch {
		case start != "" || isAlmost:
			rest = rest[:end]
		case strings.Contains(rest[:end], ":/") || assigned.MatchString(rest[end:]):
			rest = rest[:end+1] + "…"
		}
	}
	if at := misplaced.FindStringIndex(rest); at != nil {
		rest = rest[:at[0]]
	}
	isURL := start != ""
	if _, behind, is := cutAlmost(rest); is && !isURL {
		// As it was typed: nothing in front of what is behind can be secret.
		start, rest, isURL = strings.TrimSuffix(rest, behind), behind, true
	}
	// A secret key can have slashes, so the last '@' counts, wherever it is.
	at := strings.LastIndexByte(rest, '@')
	switch {
	case !isURL && strings.Contains(rest[:max(at, 0)], ":"):
		return "…" + rest[at:]
	case !isURL:
		return rest
	}
	rest = rest[at+1:]
	if host, _, _ := strings.Cut(rest, "/"); strings.Contains(host, ":") {
		return start + "…"
	}
	return start + rest
}
