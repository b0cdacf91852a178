package committer

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// An Identity says who asks. It reaches hooks by [CallerFrom], and is never
// logged, echoed, stored or sent to the store. Printed with package fmt or
// log/slog it does not show its secrets, and neither does what holds it: a
// [Caller] and the requests. Encoded as JSON, which is how it is sent, it does;
// so does log/slog's JSON handler for a list or a struct of others that has it
// inside.
type Identity struct {
	APIKey    string        `json:"api_key,omitempty"`
	AuthToken string        `json:"auth_token,omitempty"`
	Unknown   UnknownFields `json:"-"`
}

// UnmarshalJSON reads an identity with its unknown fields.
func (i *Identity) UnmarshalJSON(data []byte) error {
	type plain Identity
	return decodeFields(data, (*plain)(i), &i.Unknown)
}

// MarshalJSON writes an identity with its unknown fields.
func (i Identity) MarshalJSON() ([]byte, error) {
	type plain Identity
	return encodeFields(plain(i), i.Unknown)
}

// String says that there is an identity, and not which.
func (i Identity) String() string { return "an identity" }

// Format implements fmt.Formatter as String.
func (i Identity) Format(f fmt.State, verb rune) { format(f, verb, i.String()) }

// GoString is String.
func (i Identity) GoString() string { return i.String() }

// LogValue is String.
func (i Identity) LogValue() slog.Value { return slog.StringValue(i.String()) }

// A RequestContext is what a caller sends beside a request. It may hold headers
// with credentials, so it is treated as [Identity] is: printed, it shows the
// names of its entries.
type RequestContext map[string]string

// String names the entries.
func (c RequestContext) String() string {
	return "a context of [" + strings.Join(slices.Sorted(maps.Keys(c)), " ") + "]"
}

// Format implements fmt.Formatter as String.
func (c RequestContext) Format(f fmt.State, verb rune) { format(f, verb, c.String()) }

// GoString is String.
func (c RequestContext) GoString() string { return c.String() }

// LogValue is String.
func (c RequestContext) LogValue() slog.Value { return slog.StringValue(c.String()) }

// A Caller is who asked for an operation of a [Namespace]. However it is printed
// or encoded, it does not show its secrets.
type Caller struct {
	Identity *Identity
	Context  RequestContext
}

// String says whether there is an identity, and names the entries of the context.
func (c Caller) String() string {
	if c.Identity == nil {
		return "a caller with " + c.Context.String()
	}
	return "a caller with " + c.Identity.String() + " and " + c.Context.String()
}

// Format implements fmt.Formatter as String.
func (c Caller) Format(f fmt.State, verb rune) { format(f, verb, c.String()) }

// GoString is String.
func (c Caller) GoString() string { return c.String() }

// LogValue is String.
func (c Caller) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalText is String. A Caller is not sent anywhere.
func (c Caller) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

type callerKey struct{}

// CallerFrom returns the caller of the operation that a hook is called for. It
// is false outside an operation of a [Namespace], and where the request had
// neither an identity nor a context.
func CallerFrom(ctx context.Context) (Caller, bool) {
	caller, ok := ctx.Value(callerKey{}).(*Caller)
	if !ok {
		return Caller{}, false
	}
	return *caller, true
}

func withCaller(ctx context.Context, identity *Identity, sent RequestContext) context.Context {
	if identity == nil && sent == nil {
		return ctx
	}
	// Printed, a context shows what it has inside; of a pointer, the address.
	return context.WithValue(ctx, callerKey{}, &Caller{identity, sent})
}
