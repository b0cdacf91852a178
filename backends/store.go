package backends

import (
	"context"
	"time"
)

// A Store is one bucket or folder. All methods are safe for concurrent use.
//
// Keys are as [CheckKey] describes; another key is [ErrInvalid] before anything
// is sent. A read may be retried by the backend as its SDK does. A create makes
// one attempt and one request.
//
// A context that ends makes a call return. The error then wraps the context's.
type Store interface {
	// PutIfAbsent creates the object key with the content body unless key is
	// taken. Of all calls for one key, in this process and in all others, at
	// most one returns nil, and the object then has that call's body. It costs
	// one request. The body is not modified or kept.
	//
	// The returned Attrs describe the new object: Size, ETag, VersionID where
	// the store has versions, and as Modified the time in the store's answer,
	// zero where it gives none.
	//
	// An error leaves the outcome unknown unless [IsDefinite] says otherwise.
	// The definite ones are:
	//
	//	ErrExists           the key is taken; nothing was written
	//	ErrContended        the store says that it decided nothing
	//	ErrThrottled        refused for its rate; nothing was written
	//	ErrPermission       not allowed
	//	ErrUnauthenticated  the store does not accept the credentials
	//	ErrNoBucket         the bucket or container is not there
	//	ErrInvalid          the key, the metadata or the request is malformed
	//	ErrUnsupported      the store cannot create conditionally
	//	ErrNotStored        anything else that proves that nothing was written,
	//	                    such as a context that ended before the request was
	//	                    sent, or a full disk
	//
	// ErrNotDurable is not definite: the object may be there and be lost in a
	// crash.
	PutIfAbsent(ctx context.Context, key string, body []byte, opts PutOptions) (Attrs, error)

	// Get returns the content of an object and its attributes, read together.
	// A missing key is ErrNotExist. A refusal that could hide a missing key or
	// one that is there, such as S3's 403 to a caller who may not list, is
	// ErrPermission and never ErrNotExist. An object above the limit of
	// WithReadLimit is ErrTooLarge.
	Get(ctx context.Context, key string) ([]byte, Attrs, error)

	// Head returns the attributes of an object, its metadata included. Errors
	// are those of Get. What Head reports survives a crash of the store.
	Head(ctx context.Context, key string) (Attrs, error)

	// List returns one page of the objects directly below a prefix, at the cost
	// of one request. A prefix without objects is an empty page and no error.
	// Errors: ErrInvalid for a malformed input, ErrUnsupported for a StartAfter
	// where there is no order, ErrNoBucket, ErrPermission, ErrUnauthenticated.
	List(ctx context.Context, in ListInput) (Page, error)

	// Delete removes an object, at the cost of one request. It is no error when the
	// key is absent. Errors: ErrInvalid, ErrNoBucket, ErrPermission,
	// ErrUnauthenticated. After any other the object may be there or not.
	Delete(ctx context.Context, key string) error

	// Capabilities says what the store can do. It makes no request.
	Capabilities() Capabilities
}

// An Overwriter is a store that can replace an object. The committer uses it for
// the hint file of unordered stores, and for nothing else.
type Overwriter interface {
	// Overwrite writes the object key whether it is there or not. Readers may
	// see the old content, the new one or, on disk, a mixture.
	Overwrite(ctx context.Context, key string, body []byte) error
}

// A BulkDeleter is a store that can remove many objects in one request. The
// committer uses it to clean up, and deletes one by one where the store has no
// such method or answers with ErrUnsupported.
type BulkDeleter interface {
	// BulkDelete removes the objects keys at the cost of one request. Absent
	// keys are no error. No keys cost no request.
	//
	// Nil means that none of the objects is there any more. A
	// *PartialDeleteError means that for all but the keys that it has. After any
	// other error each object may be there or not. A malformed key, or more
	// keys than BulkLimit, is ErrInvalid before anything is sent.
	BulkDelete(ctx context.Context, keys []string) error
	// BulkLimit is the most keys of one BulkDelete: 1,000 on S3, 256 on Azure.
	// It makes no request.
	BulkLimit() int
}

// A Located store knows how its objects are addressed from outside.
type Located interface {
	// URLs returns what stands before a key in the URL of an object, such as
	// "s3://bucket/", in every spelling that there is. On disk the absolute
	// path without its first slash is among them, since Lance gives paths so.
	// Nil means that it is not known.
	URLs() []string
}

// A Linked store reaches an object by several keys, as symlinks on disk do.
type Linked interface {
	// RealKey returns the key at which an object or a folder itself is. A
	// missing one is ErrNotExist, one outside the store ErrInvalid.
	RealKey(ctx context.Context, key string) (string, error)
}

// Capabilities are what differs between stores and matters to a caller.
type Capabilities struct {
	// OrderedList is true when pages come in byte order of their keys. S3
	// Express and folders on disk have no order.
	OrderedList bool
	// Metadata is true when the store keeps PutOptions.Metadata.
	Metadata bool
}

// PutOptions are the optional parts of a create.
type PutOptions struct {
	// Metadata is stored with the object as its one metadata entry, under
	// [MetadataName]. It is printable ASCII of at most [MaxMetadataSize] bytes;
	// anything else is ErrInvalid. A store without metadata ignores it.
	Metadata string
}

// Attrs describe an object.
type Attrs struct {
	// Size is the length of the content in bytes.
	Size int64
	// ETag changes when the object is written again. It is the same text in
	// the answers of PutIfAbsent, Get, Head and List, and opaque. It is empty where
	// an answer has none.
	ETag string
	// VersionID is the version or generation of the object, where the store
	// has such.
	VersionID string
	// Modified is when the object was written, by the store's clock.
	Modified time.Time
	// Metadata is what PutOptions.Metadata was. It is empty in a listing, for
	// objects that others wrote, and on stores without metadata.
	Metadata string
}

// ListInput says which page to list.
type ListInput struct {
	// Prefix is what the keys start with. The delimiter is "/": keys that have
	// a slash behind the prefix are folded into Page.Prefixes.
	Prefix string
	// StartAfter skips keys up to and including this one, in byte order. A
	// store without an order may refuse it with ErrUnsupported. Where it lies in
	// a folder that is folded into Page.Prefixes, stores differ in whether that
	// prefix is skipped, too.
	StartAfter string
	// Token continues the listing of the page that returned it. Prefix must be
	// the same; StartAfter is ignored.
	Token string
	// Limit is the most entries to return, objects and prefixes together. Zero
	// means as many as the store gives in one request.
	Limit int
}

// A Page is one answer of a listing. It may hold fewer entries than asked for,
// or none, and still have a Token.
type Page struct {
	Objects []Object
	// Prefixes are the folders directly below the prefix, each ending in "/".
	Prefixes []string
	// Token asks for the next page. It is empty on the last one.
	Token string
	// Now is the store's own time when it answered, as Modified of the objects
	// is its own time when they were written, so that the difference is an age
	// whatever the clock of the caller says. In HTTP it is the Date of the
	// answer, which has whole seconds. It is zero where the store gives none.
	Now time.Time
}

// An Object is one entry of a listing.
type Object struct {
	Key string
	Attrs
}
