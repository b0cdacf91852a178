// Package gcs is a store in a bucket of Google Cloud Storage.
//
// [New] takes a client that the program has already, [Open] makes one:
//
//	store, err := gcs.Open(ctx, "my-bucket", gcs.Config{})
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	table := committer.NewTable(store, "path/to/table")
//
// A create is one upload in one request with the condition ifGenerationMatch=0,
// whatever retries the client was made with. Google Cloud Storage decides who
// wins, and is strongly consistent. Everything goes through the JSON API, except
// the content of objects, which the client's own setting decides. The S3-style
// API of Google takes no such condition; do not commit through it.
//
// # Answers
//
// An error of a create is definite only where an answer of Google Cloud Storage
// proves it. An answer that something on the way gave, a 5xx status, and a
// connection that broke leave the outcome unknown.
//
// The ETag of an object is its generation in decimal digits, and so is its
// VersionID. Google Cloud Storage has another text that it calls ETag; it is not
// used, because reading the content does not tell it.
//
// # Encryption and billing
//
// Objects are written with the bucket's default key or with the Cloud KMS key
// of [Options]. Keys that the customer sends with each request are not
// supported, because Lance could not read the objects.
//
// # Limits
//
// The client must be one of storage.NewClient. One of storage.NewGRPCClient has
// other errors, so that most of its outcomes would be unknown.
package gcs
