// Package azure is a store in a container of Azure Blob Storage.
//
// A create is one Put Blob with If-None-Match: *, in one attempt: the SDK's own
// retries are off for it, since a second attempt would find what the first one
// stored. Put Blob takes 5,000 MiB; more is refused by the store with
// backends.ErrInvalid. The SDK itself has no limit for it.
//
// Reads, listings and deletes also go through the SDK, with the retries of the
// client. They do not go through gocloud.dev/blob, whose driver for Azure stores
// a key with "%", "#" or "?" under another name. Lance has such keys: the ref of
// the branch "exp/one" is exp%2Fone.json.
//
// # Keys
//
// The service takes "\" for "/" and drops dots at the end of a part. Keys with
// either are backends.ErrInvalid, as are those with U+FFFE and U+FFFF, which a
// listing cannot show. All others are stored as they are.
//
// # Clients of the caller
//
// [New] takes a client that the program has already. Policies in it that send a
// request again on their own account defeat the one attempt. An answer counts
// only where it is to the request that was made: same method, host and path as by
// the client's URL, and no redirect followed. Any other leaves the outcome
// unknown, so a client whose transport rewrites the host or the path does not
// work; one whose transport dials another address does. A client with a
// token credential may send a create twice, the first time being refused with
// 401: the SDK then asks for another token. Nothing is written by the first.
//
// # Answers
//
// Between a program and the store there can be a proxy, a captive portal or a load
// balancer that answers in the store's place, with a status of success and an
// ETag as any web server has. So a success counts only with x-ms-version, and in
// reads of an object with x-ms-blob-type, which the service always sends; an error
// counts only with the store's code. All else proves nothing. [Open] follows no
// redirects, since the service sends none.
//
// # Encryption
//
// [Options.EncryptionScope] names the keys for new objects. Keys that the
// customer sends with each request are not supported, since Lance could not
// read the objects: reads of such objects fail with backends.ErrUnsupported.
//
// # Limits
//
// A container has one arbiter for a key. Object replication to another account
// makes a second one: do not write to both.
//
// Accounts with a hierarchical namespace work. They list a folder among the
// files as if its name had no slash at the end; the files of one folder are in
// byte order.
package azure
