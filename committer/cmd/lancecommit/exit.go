package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
)

// Exit codes. Scripts rely on them.
const (
	exitOK          = 0
	exitOther       = 1
	exitInvalid     = 2
	exitConflict    = 3
	exitNotFound    = 4
	exitUnknown     = 5
	exitPermission  = 6
	exitUnavailable = 7
	exitUnsupported = 8
)

// exitCodes says which error ends with which code. The first match wins, so what
// must never be taken for something else comes first.
var exitCodes = []struct {
	err  error
	code int
}{
	{committer.ErrUnknownOutcome, exitUnknown},
	{committer.ErrStaleCommit, exitUnknown},
	{backends.ErrNotDurable, exitUnknown},
	{committer.ErrInvalid, exitInvalid},
	{backends.ErrInvalid, exitInvalid},
	{committer.ErrConflict, exitConflict},
	{committer.ErrContention, exitUnavailable},
	{committer.ErrInconsistentStore, exitUnsupported},
	{committer.ErrUnsupported, exitUnsupported},
	{backends.ErrUnsupported, exitUnsupported},
	{backends.ErrUnauthenticated, exitPermission},
	{fs.ErrPermission, exitPermission},
	{backends.ErrNoBucket, exitNotFound},
	{fs.ErrNotExist, exitNotFound},
	{backends.ErrThrottled, exitUnavailable},
	{errNotJudged, exitUnavailable},
}

func exitCode(err error) int {
	for _, row := range exitCodes {
		if errors.Is(err, row.err) {
			return row.code
		}
	}
	if unavailable(err) {
		return exitUnavailable
	}
	return exitOther
}

// unavailable reports whether a store could not be reached, did not answer in
// time, or said that it is at fault itself.
func unavailable(err error) bool {
	var answer *backends.Error
	var network *net.OpError
	var lookup *net.DNSError
	return errors.As(err, &network) || errors.As(err, &lookup) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &answer) && answer.Status >= 500
}

// An unknownOutcome is the text of a committer.ErrUnknownOutcome for who has
// commands, and no calls.
type unknownOutcome struct{ err error }

// Error says what to do: there is no command that only looks.
func (e *unknownOutcome) Error() string {
	var unknown *committer.UnknownOutcomeError
	if !errors.As(e.err, &unknown) {
		return e.err.Error()
	}
	return fmt.Sprintf("version %d may or may not be committed (%s): %v; keep its files, and run the same command again with the same bytes until it says whether it is",
		unknown.Version, unknown.Key, unknown.Cause)
}
func (e *unknownOutcome) Unwrap() error { return e.err }

// forCommands gives errors whose text speaks of calls one that speaks of commands.
// That of an outcome which waiting does not decide says itself what to do.
func forCommands(err error) error {
	if errors.Is(err, committer.ErrUnknownOutcome) && !errors.Is(err, committer.ErrUndecidable) {
		return &unknownOutcome{err}
	}
	return err
}

// printNote writes what is no error of the command, for a person, or with --json
// for a program.
func (a *app) printNote(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	if !a.json {
		fmt.Fprintf(a.err, "lancecommit: %s\n", note)
		return
	}
	_ = json.NewEncoder(a.err).Encode(struct {
		Note string `json:"note"`
	}{note})
}

// printError writes an error for a person, or with --json for a program.
func (a *app) printError(err error) {
	if !a.json {
		fmt.Fprintf(a.err, "lancecommit: %v\n", err)
		return
	}
	report := struct {
		Error    string `json:"error"`
		ExitCode int    `json:"exit_code"`
		Version  uint64 `json:"version,omitempty"`
		Latest   uint64 `json:"latest,omitempty"`
	}{Error: err.Error(), ExitCode: exitCode(err)}
	var conflict *committer.ConflictError
	if errors.As(err, &conflict) {
		report.Version, report.Latest = conflict.Version, conflict.Latest
	}
	_ = json.NewEncoder(a.err).Encode(report)
}
