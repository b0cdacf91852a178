// Package s3 is a store of objects in a bucket of Amazon S3, or of a server that
// speaks its protocol and honours If-None-Match on PUT.
//
// A create is one PutObject with "If-None-Match: *", sent once: the retries of
// the SDK are off for it, since a retry of a PUT whose reply was lost is refused
// because of the object that it made itself. Reads, listings, deletes and
// overwrites are retried as the caller's client does.
//
// # Which stores
//
// The condition must be enforced. AWS documents it, and MinIO and versitygw
// since 1.8 do it. Others accept the header and ignore it: prove a store before
// you trust it. Two are refused because no proof can help:
//
//   - Google's endpoint for S3 clients, which ignores If-None-Match. Google
//     Cloud Storage has a store of its own.
//   - Multi-Region Access Points, where two regions can each accept a create of
//     the same key. The same is true of buckets that replicate in both
//     directions, which nobody can see from outside: do not use them.
//
// Directory buckets (S3 Express One Zone, names that end in --x-s3) list in no
// order. The committer then writes the hint file that Lance's readers look for.
// Their requests are signed with a session, which the SDK keeps for as long as it
// is valid. Getting one costs a CreateSession more, which is retried as a read is.
// A create that gets no session has sent nothing, and its error is definite.
//
// # Answers
//
// Between a program and the store there can be a proxy, a captive portal or a load
// balancer that answers in the store's place, with a status of success and an
// ETag as any web server has. So a success that is not a listing counts only with
// a header of S3, x-amz-request-id or another x-amz-…, or with what nobody else
// can know: the MD5 of the content as its ETag, or for a HEAD a listing that shows
// the same object, which costs a LIST more, and for a DELETE a HEAD that does not
// find the object. A refusal of a create counts only with a code in S3's own XML.
// All else proves nothing. A store that sends no such headers can be used as long
// as its ETags are MD5s.
//
// # Permissions
//
// s3:PutObject, s3:GetObject and s3:ListBucket; s3:DeleteObject for clean-ups. For
// a directory bucket it is s3express:CreateSession in place of them all.
// Without s3:ListBucket the store answers 403 for keys that are absent, which is
// [backends.ErrPermission] and never [backends.ErrNotExist].
package s3
