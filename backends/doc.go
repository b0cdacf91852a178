// Package backends is the contract between the committer and a store of
// objects: a bucket, a container, a folder on disk or a map in memory.
//
// The contract is small because one method carries the weight.
// [Store.PutIfAbsent] creates an object if its key is free, and says with
// certainty what it can be certain of:
//
//	nil             the object is there, with these bytes, for good
//	a definite error, see IsDefinite
//	                this call wrote nothing and never will
//	any other error the outcome is unknown: the object may be there, may not,
//	                or may still appear
//
// A backend must never turn the third into one of the first two. Timeouts,
// resets, an answer cut short, a 5xx status and a context that ends while the
// request is under way are all unknown: stores are known to keep an object and
// answer with an error. 503 is unknown, too (MinIO answers it when it lost a
// write quorum).
//
// The package imports no SDK. What a store can do beyond the contract is found
// by type assertion, as in io/fs: see [Overwriter] and [BulkDeleter]. A store that holds
// connections or files also has a Close method; one that was made from a
// client of the caller never closes that client.
//
// Package backendtest has the suite that every store must pass.
package backends
