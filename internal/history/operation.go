package history

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// A Kind is what a client asked.
type Kind string

// The kinds. Read asks for a version and its manifest.
const (
	Commit  Kind = "Commit"
	Update  Kind = "Update"
	Latest  Kind = "Latest"
	Read    Kind = "Read"
	Resolve Kind = "Resolve"
)

// writes reports whether an operation of this kind can make a version.
func (k Kind) writes() bool { return k == Commit || k == Update }

// A Result is what a client was told.
type Result string

// The results. Failed is a definite error: the operation had no effect, and says
// nothing of the chain.
const (
	Done     Result = "done"
	Conflict Result = "conflict"
	Absent   Result = "absent"
	Unknown  Result = "unknown"
	Failed   Result = "failed"
)

// An Operation is one call and its answer.
type Operation struct {
	Client int
	Kind   Kind
	// Version is the one that was asked for, or that an Update made or left
	// unknown.
	Version uint64
	// Content is that of what was to be committed, or of what was read; empty
	// where a read does not tell.
	Content string
	Result  Result
	// End is the end of the chain by the answer: of Latest, 0 for none, and of a
	// conflict.
	End uint64
	// Winner says that a conflict named the object that has the version.
	Winner bool
	// ETag is that of the version seen: made, read, the latest, or the winner.
	ETag string
	// Error is the text of an error.
	Error string `json:",omitempty"`
	// Call and Return are when it began and ended, since the recorder was made.
	Call, Return time.Duration

	// of is what this one follows from, in a history that was taken down.
	of string
}

// ContentOf returns a short text that stands for the bytes of a manifest.
func ContentOf(manifest []byte) string {
	sum := sha256.Sum256(manifest)
	return hex.EncodeToString(sum[:6])
}

// seen is the version whose ETag the operation has.
func (o Operation) seen() uint64 {
	if o.Kind == Latest {
		return o.End
	}
	return o.Version
}

// taken reports whether the operation says that somebody has its version.
func (o Operation) taken() bool {
	return o.Result == Conflict && (o.Kind == Resolve || o.Winner || o.End >= o.Version)
}

// String writes the operation in one line without its times.
func (o Operation) String() string {
	if o.of != "" {
		return o.of
	}
	var b strings.Builder
	b.WriteString(string(o.Kind))
	switch o.Kind {
	case Latest:
		fmt.Fprintf(&b, "() %s %d", o.Result, o.End)
	case Read:
		fmt.Fprintf(&b, "(%d) %s %s", o.Version, o.Result, o.Content)
	default:
		fmt.Fprintf(&b, "(%d, %s) %s", o.Version, o.Content, o.Result)
	}
	if o.Kind == Commit && o.Result == Conflict {
		fmt.Fprintf(&b, ", the latest is %d", o.End)
		if o.Winner {
			b.WriteString(", the winner was seen")
		}
	}
	if o.ETag != "" {
		fmt.Fprintf(&b, " ETag %s", o.ETag)
	}
	if o.Error != "" {
		fmt.Fprintf(&b, ": %s", o.Error)
	}
	return b.String()
}
