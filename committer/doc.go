// Package committer commits versions of Lance tables straight to a store of
// objects, with no server in between.
//
// A version of a table exists when its manifest does, under a name that follows
// from its number. So a commit is one create-if-absent of that name, and the
// store is the only arbiter: there is no lock, no lease and no catalog. This
// package makes that create certain. It
//
//   - learns the end of the chain by a LIST, so that no version is skipped, and
//     none that a clean-up removed is made again;
//   - refuses manifests that would break the table before anything is sent;
//   - goes to see what is there whenever the store's answer does not prove it;
//   - says committed, refused or unknown, and never one for the other.
//
// # What an error means for the caller's files
//
// After [ErrUnknownOutcome] the version may be there, may not, or may still
// appear. Keep every file that the manifest names, and ask [Table.Resolve], or
// call [Table.Commit] again with the same bytes, until the answer is another.
// An answer is about its own call only. If the second call says that the version is
// gone (a [ConflictError] without a Winner, for a version below the latest), the
// first may still have succeeded: others may have built on it, and a clean-up may
// have removed the manifest. Its outcome stays unknown, as Resolve says.
//
// After [ErrStaleCommit] the manifest is there and should not be; the error
// names it, and what proves it. Keep the files until somebody looked at it.
//
// After any other error nothing of the call is in the table, and never will be
// through it: the files may be deleted.
//
// # What is assumed of the store
//
// The create is atomic: of all who create one name, one succeeds. Reads and
// listings see what was created before they began. A store without these cannot
// carry a table, whoever writes it. Object stores with two arbiters for a key,
// such as those with replication in both directions, do not have them.
//
// Clocks decide nothing, with one exception: it is assumed that for a short time,
// 5 s unless [WithStaleAfter] says otherwise, nobody deletes a version that was the
// latest. So the end of the chain that was learned stays good for as long, and
// so does what others are seen to have made after it. A commit whose answer comes
// later is confirmed by another LIST.
//
// A request that was given up can still take effect while it is under way
// somewhere. A conflict after such a request is final as long as the version that
// won stays until then: a clean-up that removes versions within minutes of their
// commit could make room for the loser's. [Table.DeleteVersions] leaves versions
// for an hour.
//
// # How it is tested
//
// That an answer is true whatever the store and the network do: package
// internal/simulation lets committers, clean-ups and readers run on a store that
// loses replies, writes late, sends twice, throttles and stalls, and compares each
// answer with what the store holds; it also takes the rules of the committer away
// one by one, and must find each gone. integration/histories asks of runs on real
// servers, behind a proxy that loses replies, whether all answers can be those of
// one chain of versions.
//
// That success lasts: integration/crash kills writers at any moment and takes the
// power from file systems.
//
// That a store keeps what is assumed of it: backends/backendtest, which every
// backend passes, and [Probe], which proves the store at hand.
//
// That readers agree: integration and integration/stores have LanceDB open, and
// race for, what is committed here.
//
// integration/README.md has the commands, and a table of what went wrong in other
// committers with the test that holds each here. The proof is of the stores that
// run on one machine: MinIO, versitygw, fake-gcs-server, Azurite and file
// systems. The same tests run on a bucket of yours when LANCECOMMIT_STORE names it.
//
// # The operations of the Lance Namespace specification
//
// A [Namespace] executes CreateTableVersion and the operations that belong to it
// on the folder of a database, with the specification's own JSON for requests,
// responses and errors. A request names a manifest that is staged in the table;
// the operation checks it, commits it as [Table.Commit] does, and removes the
// staged object after the proof. Tables of child namespaces are reached by their
// own location, see [AtTable]. Databases whose catalog keeps the versions are
// refused. [Code], [HTTPStatus] and [ErrorResponse] turn errors into the
// specification's.
//
// # Concurrency
//
// A [Table] is safe for concurrent use. Goroutines that write with one Table take
// turns, so they never compete with one another. Processes compete, and an
// [Table.Update] that loses builds again. No goroutine outlives its call.
//
// # Limits
//
// The package writes and deletes manifests. Data, deletion and transaction files
// are the caller's, and must be in place before the commit. Branches and tags are
// read and honoured, not made.
package committer
