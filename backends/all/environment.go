package all

import (
	"fmt"
	"os"

	"github.com/lancecommit/lancecommit/backends"
)

// readEnvironment gives the options that are not set the values that the
// environment has for them. An empty variable counts as none.
//
// Credentials are taken whole or not at all: not where an option names some, and
// of one kind only, the first of which the environment has all parts.
func (at *place) readEnvironment(options []option) error {
	chosen, err := at.credentialsOf(options)
	if err != nil {
		return err
	}
	for _, o := range options {
		if at.given[o.names[0]] || o.credentials != chosen && o.credentials != "" {
			continue
		}
		variable, value, err := o.fromEnvironment()
		if err != nil {
			return err
		}
		if variable == "" {
			continue
		}
		if err := o.set(value); err != nil {
			return fmt.Errorf("%w: the environment variable %s %w", backends.ErrInvalid, variable, err)
		}
	}
	return nil
}

// credentialsOf returns the kind of credentials to take, empty for none.
func (at *place) credentialsOf(options []option) (string, error) {
	if at.hasCredentials {
		return "", nil
	}
	lacks := make(map[string]bool)
	var kinds []string
	for _, o := range options {
		if o.credentials == "" {
			continue
		}
		kinds = append(kinds, o.credentials)
		variable, value, err := o.fromEnvironment()
		if err != nil {
			return "", err
		}
		if variable == "" || o.isOff(value) {
			lacks[o.credentials] = true
		}
	}
	for _, kind := range kinds {
		if !lacks[kind] {
			return kind, nil
		}
	}
	return "", nil
}

// fromEnvironment returns the variable that has the option, and its value.
func (o option) fromEnvironment() (variable, value string, err error) {
	for _, same := range o.variables {
		for _, name := range same {
			switch found := os.Getenv(name); {
			case found == "":
			case variable != "" && found != value:
				return "", "", fmt.Errorf("%w: the environment variables %s and %s mean the same, and have different values",
					backends.ErrInvalid, variable, name)
			default:
				variable, value = name, found
			}
		}
		if variable != "" {
			return variable, value, nil
		}
	}
	return "", "", nil
}
