package all

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/gcs"
)

// settings are options by their name in lower case, each with what it is set to.
// Those that were read are taken out, so that what is left is not known.
type settings map[string]string

// questionMark says how a location has what may have been taken for its query.
const questionMark = "'?' begins the options of a location, and is written %3F in a folder's name"

// addQuery adds the parameters of a location.
func (s *settings) addQuery(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return fmt.Errorf("%w: the query of the location is malformed; %s", backends.ErrInvalid, questionMark)
	}
	for part := range strings.SplitSeq(query, "&") {
		// It could be a value without its name, so that it is not repeated.
		if part != "" && !strings.Contains(part, "=") {
			return fmt.Errorf("%w: the query of the location has a parameter without a value; it is NAME=VALUE; %s",
				backends.ErrInvalid, questionMark)
		}
	}
	for name, given := range values {
		for _, value := range given {
			if err := s.add(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds one option.
func (s *settings) add(name, value string) error {
	if *s == nil {
		*s = make(settings)
	}
	name = strings.ToLower(name)
	if before, given := (*s)[name]; given && before != value {
		return fmt.Errorf("%w: %s is given twice, with different values", backends.ErrInvalid, titled(name, before, value))
	}
	(*s)[name] = value
	return nil
}

// configure adds the options that came beside the location, and makes the key
// of a store in a cloud out of all of them.
func (at *place) configure(options map[string]string) error {
	for name, value := range options {
		if err := at.settings.add(name, value); err != nil {
			return err
		}
	}
	if at.kind == fileKind {
		return nil
	}
	return at.cleanKey()
}

// take returns the value of an option, and takes it out.
func (s settings) take(name string) (string, bool) {
	value, given := s[name]
	delete(s, name)
	return value, given
}

// unread returns the first name that nobody took, empty where there is none.
func (s settings) unread() string {
	if len(s) == 0 {
		return ""
	}
	return slices.Min(slices.Collect(maps.Keys(s)))
}

// apply gives each option that is set its value.
func (at *place) apply(options []option) error {
	options = slices.Concat(options, at.common())
	at.given = make(map[string]bool)
	for _, o := range slices.Concat(options, without[at.kind], without[""]) {
		used := ""
		var chosen string
		for _, name := range o.names {
			value, given := at.settings.take(name)
			switch {
			case !given:
			case value == "":
				return fmt.Errorf("%w: the option %s is empty; leave it out to have what is set elsewhere", backends.ErrInvalid, name)
			case used != "" && value != chosen:
				return fmt.Errorf("%w: the options %s and %s are one, and have different values", backends.ErrInvalid, used, name)
			default:
				used, chosen = name, value
			}
		}
		if used == "" {
			continue
		}
		if err := o.set(chosen); err != nil {
			return fmt.Errorf("%w: the option %s %w", backends.ErrInvalid, used, err)
		}
		at.given[o.names[0]] = true
		at.hasCredentials = at.hasCredentials || o.credentials != "" && !o.isOff(chosen)
	}
	if name := at.settings.unread(); name != "" {
		text := suggestion(name, options)
		if at.queried[name] && text == "" {
			text = "; " + questionMark
		}
		return fmt.Errorf("%w: %s is not known for the %s%s", backends.ErrInvalid, titled(name, at.settings[name]), at.kind, text)
	}
	return nil
}

// plain is what the name of an option looks like.
var plain = regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,47}$`)

// titled names an option in errors, unless what stands for its name could be a
// value: where it is like no name, as in a query with "=" left out or encoded, and
// where a value that was given for it is like the name of an option.
func titled(name string, values ...string) string {
	for _, value := range values {
		if known := nearest(strings.ToLower(value), everyOption()); known != "" {
			return fmt.Sprintf("an option that is not named here since its name and value seem to be swapped (write %s=VALUE)", known)
		}
	}
	if !plain.MatchString(name) {
		return "an option that is not named here since its name looks like a value (are name and value swapped?)"
	}
	return "the option " + name
}

// everyOption returns the options of all stores.
func everyOption() []option {
	return slices.Concat(new(s3Place).options(), gcsOptions(new(gcs.Config)), new(azurePlace).options(), new(place).common(),
		without[s3Kind], without[gcsKind], without[azureKind], without[""],
		[]option{custom(ignored, "prefix"), custom(ignored, "key")})
}

// suggestion asks whether the name that is nearest to one is meant.
func suggestion(name string, options []option) string {
	if near := nearest(name, options); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}

// nearest returns the known name that is most like one. It is empty where none is
// like it: a name of three letters has one that is wrong, a long one three.
func nearest(name string, options []option) string {
	best, least := "", min(len(name)/3, 3)+1
	for _, o := range options {
		for _, known := range o.names {
			if d := levenshtein.ComputeDistance(name, known); d < least {
				best, least = known, d
			}
		}
	}
	return best
}
