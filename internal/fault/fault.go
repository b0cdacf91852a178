// Package fault makes the requests to a store fail in the ways in which object
// stores and the networks before them do: around a backends.Store, or around the
// http.RoundTripper of an SDK. A [Script] decides for each request; it comes
// from a seed, from bytes or from text, and prints itself as that text.
package fault

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Kind is what goes wrong with a request.
type Kind uint8

// The kinds. Each says what a caller sees and what became of the request.
const (
	// None lets the request through.
	None Kind = iota
	// Before fails with a server's error; nothing is applied.
	Before
	// After applies the request and loses the answer.
	After
	// Late fails at once and applies the request Delay later.
	Late
	// Duplicate applies the request twice and gives the second answer, as a
	// client or proxy does that repeats requests by itself.
	Duplicate
	// Contended is S3's 409 ConditionalRequestConflict; nothing is applied.
	Contended
	// Throttled is a 429 that asks to wait for Delay; nothing is applied.
	Throttled
	// Stall hangs until the context ends; nothing is applied.
	Stall
	// Denied is a 403; nothing is applied.
	Denied
	// Stale gives a listing as it was when it was asked for last.
	Stale
	// Short gives a page of at most Limit entries, and a token for the rest. A
	// page of none is allowed.
	Short
	// Shuffled gives the entries of a page in another order. It has no effect
	// on stores that list in order.
	Shuffled

	kinds
)

var kindNames = [kinds]string{
	"none", "before", "after", "late", "duplicate", "contended", "throttled", "stall", "denied", "stale", "short", "shuffled",
}

// String returns the word for the kind.
func (k Kind) String() string {
	if k >= kinds {
		return "kind" + strconv.Itoa(int(k))
	}
	return kindNames[k]
}

// methods are those of intercept.Call, with what can happen to each.
var methods = map[string][]Kind{
	"PUT":        {Before, After, Late, Duplicate, Contended, Throttled, Stall, Denied},
	"OVERWRITE":  {Before, After, Late, Duplicate, Throttled, Stall, Denied},
	"DELETE":     {Before, After, Late, Duplicate, Throttled, Stall, Denied},
	"BULKDELETE": {Before, After, Duplicate, Throttled, Stall, Denied},
	"GET":        {Before, Throttled, Stall, Denied},
	"HEAD":       {Before, Throttled, Stall, Denied},
	"LIST":       {Before, Throttled, Stall, Denied, Stale, Short, Shuffled},
}

// Meets reports whether a request of the method can have a fault of the kind.
func (k Kind) Meets(method string) bool { return slices.Contains(methods[method], k) }

// A Fault is what goes wrong with one request. The zero value is nothing.
type Fault struct {
	Kind Kind
	// Delay is that of Late, or how long Throttled asks to wait.
	Delay time.Duration
	// Limit is that of Short.
	Limit int
}

// String writes the fault in the form that a [Script] has it, such as
// "late:2.5s", "short:1" or "after".
func (f Fault) String() string {
	switch f.Kind {
	case Late, Throttled:
		return f.Kind.String() + ":" + f.Delay.String()
	case Short:
		return f.Kind.String() + ":" + strconv.Itoa(f.Limit)
	default:
		return f.Kind.String()
	}
}

// parse reads what String wrote.
func parse(text string) (f Fault, err error) {
	word, amount, _ := strings.Cut(text, ":")
	at := slices.Index(kindNames[:], word)
	if at < 0 {
		return Fault{}, fmt.Errorf("%q is no fault; the faults are %s", text, strings.Join(kindNames[:], ", "))
	}
	f.Kind = Kind(at)
	switch f.Kind {
	case Late, Throttled:
		f.Delay, err = time.ParseDuration(amount)
	case Short:
		f.Limit, err = strconv.Atoi(amount)
	default:
		if amount != "" {
			err = fmt.Errorf("%s has no amount", word)
		}
	}
	if err == nil && (f.Delay < 0 || f.Limit < 0) {
		err = fmt.Errorf("the amount is negative")
	}
	if err != nil {
		return Fault{}, fmt.Errorf("the fault %q: %w", text, err)
	}
	return f, nil
}
