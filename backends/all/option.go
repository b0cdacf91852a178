package all

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An option is a setting of a store.
type option struct {
	// names are all that it has. The first is Lance's.
	names []string
	set   func(value string) error
	// flag is true where the value is true or false.
	flag bool
	// credentials is the kind of credentials that the option belongs to, empty
	// where it belongs to none.
	credentials string
	// variables are those of the environment that have the option. Those of one
	// group mean the same; an earlier group counts more.
	variables [][]string
}

// prefixes begin the names by which Lance finds an option in the environment.
var prefixes = []string{"aws_", "azure_", "google_"}

// custom returns an option with a setter of its own. It is read from the
// environment by its names in upper case, as Lance does it, where they say of
// which cloud they are.
func custom(set func(string) error, names ...string) option {
	var variables []string
	for _, name := range names {
		if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			variables = append(variables, strings.ToUpper(name))
		}
	}
	o := option{names: names, set: set}
	if len(variables) > 0 {
		o.variables = [][]string{variables}
	}
	return o
}

// text returns an option that is a text.
func text(to *string, names ...string) option {
	return custom(func(value string) error {
		*to = value
		return nil
	}, names...)
}

// truth returns an option that is true or false.
func truth(to *bool, names ...string) option {
	o := custom(func(value string) (err error) {
		*to, err = parseTruth(value)
		return err
	}, names...)
	o.flag = true
	return o
}

// as makes the option one of a kind of credentials.
func (o option) as(credentials string) option {
	o.credentials = credentials
	return o
}

// bySDK leaves the environment to the SDK, which reads the same variables.
func (o option) bySDK() option {
	o.variables = nil
	return o
}

// or adds variables that count less than those by the names of the option.
func (o option) or(variables ...string) option {
	o.variables = append(o.variables, variables)
	return o
}

// isOff reports whether a value turns the option off.
func (o option) isOff(value string) bool {
	is, err := parseTruth(value)
	return o.flag && err == nil && !is
}

// parseTruth reads true or false. The value is not repeated in errors: it may be
// a secret behind the wrong name.
func parseTruth(value string) (bool, error) {
	switch strings.ToLower(value) {
	case "yes", "on":
		return true, nil
	case "no", "off":
		return false, nil
	}
	is, err := strconv.ParseBool(value)
	if err != nil {
		return false, fmt.Errorf("is neither true nor false")
	}
	return is, nil
}

// refused returns a setter that says why an option cannot be had.
func refused(why string) func(string) error {
	return func(string) error { return errors.New(why) }
}

// refusedOn is refused where the option is turned on. To turn it off asks for what
// is done anyway.
func refusedOn(why string, names ...string) option {
	var is bool
	o := custom(func(value string) (err error) {
		if is, err = parseTruth(value); err == nil && is {
			err = errors.New(why)
		}
		return err
	}, names...).bySDK()
	o.flag = true
	return o
}

// oneOf returns a setter that takes a few words.
func oneOf(to *string, words ...string) func(string) error {
	return func(value string) error {
		if *to = strings.ToLower(value); !slices.Contains(words, *to) {
			return fmt.Errorf("is none of %s", strings.Join(words, ", "))
		}
		return nil
	}
}

// ignored accepts an option that changes nothing here.
func ignored(string) error { return nil }
