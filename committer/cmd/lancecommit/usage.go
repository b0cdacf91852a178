package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// A usageError is wrong usage of a command, which is invalid input.
type usageError struct {
	err     error
	command string
}

func usage(cmd *cobra.Command, err error) error { return &usageError{err, cmd.CommandPath()} }

func (e *usageError) Error() string {
	return fmt.Sprintf("%v (see '%s --help')", e.err, e.command)
}
func (e *usageError) Is(target error) bool { return target == committer.ErrInvalid }
func (e *usageError) Unwrap() error        { return e.err }

// flagError is the error of a flag that cannot be read. It is JSON, too, wherever
// --json stands, also behind that flag.
func (a *app) flagError(cmd *cobra.Command, err error) error {
	a.json = a.json || asksForJSON(a.args)
	return usage(cmd, flagFault(err))
}

// flagFault says what a flag must be, in place of what package strconv says, and
// what a version is where a negative one was taken for a flag.
func flagFault(err error) error {
	var short interface{ GetSpecifiedShortnames() string }
	if errors.As(err, &short) {
		if name := short.GetSpecifiedShortnames(); name != "" && unicode.IsDigit(rune(name[0])) {
			return fmt.Errorf("-%s is no flag, and no version: versions are numbers from %d", name, naming.MinVersion)
		}
	}
	var number *strconv.NumError
	if !errors.As(err, &number) {
		return err
	}
	wanted := "no whole number"
	switch {
	case number.Func == "ParseBool":
		wanted = "neither true nor false"
	case errors.Is(number, strconv.ErrRange):
		wanted = "out of range"
	}
	return fmt.Errorf("%s%q is %s", strings.TrimSuffix(err.Error(), number.Error()), number.Num, wanted)
}

// asksForJSON reports whether --json is among arguments that could not all be
// read. Whatever is wrong with its value, JSON is asked for.
func asksForJSON(args []string) bool {
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "--":
			return false
		case "--json":
			is, err := strconv.ParseBool(value)
			return is || err != nil
		}
	}
	return false
}

// noCommand refuses words that are no command, with the nearest that are.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("there is no command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += fmt.Sprintf("; did you mean %q?", near[0])
	}
	return usage(cmd, fmt.Errorf("%s", text))
}

// printHelp is what a command does that only has commands.
func printHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// refuseWords makes help and completion, which are the library's, refuse words
// that are no command as the others do.
func refuseWords(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				// It stops at the last word that is a command.
				at, rest, _ := root.Find(args)
				return noCommand(at, rest)
			}
		case "completion":
			cmd.Args, cmd.RunE = noCommand, printHelp
			cmd.SuggestionsMinimumDistance = root.SuggestionsMinimumDistance
			for _, shell := range cmd.Commands() {
				shell.Args = arguments()
			}
		}
	}
}

// arguments checks the number of arguments against their names. One in brackets
// can be left out, and the last one, where dots are behind it, be repeated. The
// arguments are not in its errors, since a location can have a credential.
func arguments(names ...string) cobra.PositionalArgs {
	most := len(names)
	if most > 0 && strings.HasSuffix(names[most-1], "...") {
		most = maxArguments
	}
	return func(cmd *cobra.Command, args []string) error {
		if given := len(args); given < len(names) && !strings.HasPrefix(names[given], "[") {
			return usage(cmd, fmt.Errorf("%s is missing", strings.TrimSuffix(names[given], "...")))
		}
		if len(args) > most {
			takes := "there is none"
			if most > 0 {
				takes = "there is " + strings.Join(names, " ")
			}
			return usage(cmd, fmt.Errorf("argument number %d is too many: %s", most+1, takes))
		}
		return nil
	}
}

// maxArguments bounds the arguments of a command.
const maxArguments = 10_000
