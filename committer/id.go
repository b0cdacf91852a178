package committer

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultDelimiter joins the parts of an id in its string form.
const DefaultDelimiter = "$"

// ParseID reads the string form of a table's id, whose parts are joined by the
// delimiter. An empty delimiter, an empty id, and an id that is the delimiter,
// which is the root namespace and no table, are [ErrInvalid].
func ParseID(id, delimiter string) ([]string, error) {
	switch {
	case delimiter == "":
		return nil, invalid(fmt.Errorf("the delimiter of an id is empty; leave it out for %q", DefaultDelimiter))
	case id == "":
		return nil, invalid(fmt.Errorf("the id is empty; it names a table"))
	case id == delimiter:
		return nil, invalid(fmt.Errorf("the id %q is the root namespace; it must name a table", id))
	}
	return strings.Split(id, delimiter), nil
}

// JoinID writes an id in its string form.
func JoinID(id []string, delimiter string) string { return strings.Join(id, delimiter) }

// MatchID returns the id of a request that names its table twice: in the route
// and in the body. The body may leave it out. Ids that differ are [ErrInvalid].
func MatchID(route, body []string) ([]string, error) {
	if body != nil && !slices.Equal(route, body) {
		return nil, invalid(fmt.Errorf("the request names the table %q, and its body %q; leave one out, or make them equal",
			route, body))
	}
	return route, nil
}

// tableName returns the one part that an id has. An id that is malformed is
// ErrInvalid, one with more parts is ErrUnsupported.
func tableName(id []string) (string, error) {
	if len(id) == 0 {
		return "", invalid(fmt.Errorf("it is missing or the root namespace; name a table of the namespace, or use the table's own location"))
	}
	for _, part := range id {
		if err := checkPart(part); err != nil {
			return "", invalid(err)
		}
	}
	if len(id) > 1 {
		return "", fmt.Errorf("%w: %q is a table of a child namespace, whose folder only the catalog knows; use the table's own location",
			ErrUnsupported, id)
	}
	return id[0], nil
}

// checkPart refuses what cannot be the name of a folder, or would be another.
func checkPart(part string) error {
	switch {
	case part == "":
		return fmt.Errorf("a part of it is empty")
	case !utf8.ValidString(part), strings.ContainsFunc(part, unicode.IsControl):
		return fmt.Errorf("%q has a control character, or is not UTF-8", part)
	case strings.ContainsAny(part, `/\$`), strings.Contains(part, ".."), part == ".":
		return fmt.Errorf("%q has a '/', '\\', '$' or '..', or is '.', which no name of a table may", part)
	}
	return nil
}
