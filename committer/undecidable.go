package committer

import "fmt"

// An undecidableError is an UnknownOutcomeError without the advice to resolve it
// later.
type undecidableError struct{ unknown UnknownOutcomeError }

// Error names the version and the cause, which says what to do.
func (e *undecidableError) Error() string {
	return fmt.Sprintf("version %d may or may not be committed (%s): %v", e.unknown.Version, e.unknown.Key, e.unknown.Cause)
}

// Is reports that an undecidableError is [ErrUndecidable].
func (e *undecidableError) Is(target error) bool { return target == ErrUndecidable }

// Unwrap returns the [*UnknownOutcomeError], which is [ErrUnknownOutcome].
func (e *undecidableError) Unwrap() error { return &e.unknown }
