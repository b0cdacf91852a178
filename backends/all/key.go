package all

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lancecommit/lancecommit/backends"
)

// cleanKey joins prefix= and writes the key as Lance writes it: Lance's own
// reading of such a location leaves characters that a URL cannot have encoded,
// in the key itself. So "a b" is the key "a%20b", and "a%41" stays as it is. What
// Lance would read as another folder is refused, since a commit there would make
// a second table.
func (at *place) cleanKey() error {
	if _, given := at.settings.take("key"); given {
		return fmt.Errorf("%w: key= would be one object; put the folder into the location itself", backends.ErrInvalid)
	}
	prefix, _ := at.settings.take("prefix")
	key := strings.Trim(at.key, "/")
	if prefix = strings.Trim(prefix, "/"); prefix != "" && key != "" {
		key = prefix + "/" + key
	} else {
		key = prefix + key
	}
	if err := checkRead(at.bucket + "/" + key); err != nil {
		return err
	}
	at.key = encode(key)
	if at.key == "" {
		return nil
	}
	return backends.CheckKey(at.key)
}

// dots are the ways to write a part of a path that a URL does not keep.
var dots = regexp.MustCompile(`(?i)^(\.|%2e){1,2}$`)

// checkRead refuses a folder that a reader of URLs changes: it drops tabs and
// line ends, drops white space at the end, and resolves dots, also encoded ones.
func checkRead(folder string) error {
	switch {
	case !utf8.ValidString(folder):
		return fmt.Errorf("%w: the location is not UTF-8", backends.ErrInvalid)
	case strings.IndexFunc(folder, unicode.IsControl) >= 0:
		return fmt.Errorf("%w: the location has a tab, a line end or another control character; leave it out", backends.ErrInvalid)
	case strings.HasPrefix(folder, " "):
		return fmt.Errorf("%w: the name of the bucket starts with white space; leave it out", backends.ErrInvalid)
	case strings.HasSuffix(folder, " "):
		return fmt.Errorf("%w: the folder of the location ends in white space, which Lance leaves out; leave it out, "+
			"or write a space as %%20", backends.ErrInvalid)
	}
	for part := range strings.SplitSeq(folder, "/") {
		if dots.MatchString(part) {
			return fmt.Errorf("%w: the location has the part %q, which leads to another folder; write the folder that is meant",
				backends.ErrInvalid, part)
		}
	}
	return nil
}

// encode writes a path as Lance's reader of URLs does. That keeps '^', which the
// URL standard has encoded since 2023.
func encode(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if c <= ' ' || c > '~' || strings.IndexByte("\"#<>?`{}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
