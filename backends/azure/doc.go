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
// request again on their own account defeat the one attempt. A client with a
// token credential may send a create twice, the first time being refused with
// 401: the SDK then asks for another token. Nothing is written by the first.
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
