package gcs

import (
	"fmt"
	"regexp"

	"cloud.google.com/go/storage"

	"github.com/lancecommit/lancecommit/backends"
)

// Options are what the requests to a bucket need. The zero value is right for
// most buckets.
type Options struct {
	// KMSKeyName is the Cloud KMS key that new objects are encrypted with, as
	// "projects/P/locations/L/keyRings/R/cryptoKeys/K". Empty means the
	// bucket's default.
	KMSKeyName string
	// UserProject is the project that pays for every request, for buckets
	// whose requester pays.
	UserProject string
}

// A Store is a bucket. It is safe for concurrent use.
type Store struct {
	// creates sends each request once.
	creates *storage.BucketHandle
	// reads tries again as the SDK does, but not for ever.
	reads *storage.BucketHandle
	opts  Options
	// owned is the client that Open made.
	owned *storage.Client
}

var _ backends.Store = (*Store)(nil)

// maxBucketName is the length of the longest name of a bucket, in bytes.
const maxBucketName = 222

// readAttempts bounds the SDK's retries of a read, which have no bound by
// themselves.
const readAttempts = 3

var (
	bucketName = regexp.MustCompile(`^[a-z0-9][-_.a-z0-9]+[a-z0-9]$`)
	kmsKeyName = regexp.MustCompile(`^projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+$`)
)

// New returns the store of a bucket for a client of the caller, made by
// storage.NewClient. It makes no request. The client stays the caller's: its
// settings are not changed and Close does not close it. Reads are tried at most
// three times, with the pauses that the client has; creates are tried once.
//
// A bucket name or option that is malformed is [backends.ErrInvalid].
func New(client *storage.Client, bucket string, opts Options) (*Store, error) {
	if err := check(bucket, opts); err != nil {
		return nil, &backends.Error{Op: "open", Key: bucket, Err: err}
	}
	if client == nil {
		return nil, &backends.Error{Op: "open", Key: bucket, Err: fmt.Errorf("%w: the client is nil", backends.ErrInvalid)}
	}
	return &Store{
		// A client that speaks HTTP sends an upload with ChunkSize 0 once
		// anyway; one that speaks gRPC keeps the body and would send it again.
		creates: handleOf(client, bucket, opts).Retryer(storage.WithPolicy(storage.RetryNever)),
		reads:   handleOf(client, bucket, opts).Retryer(storage.WithMaxAttempts(readAttempts)),
		opts:    opts,
	}, nil
}

// handleOf returns a new handle. Retryer changes what handles made from one
// another share, so each use has one of its own.
func handleOf(client *storage.Client, bucket string, opts Options) *storage.BucketHandle {
	handle := client.Bucket(bucket)
	if opts.UserProject != "" {
		handle = handle.UserProject(opts.UserProject)
	}
	return handle
}

func check(bucket string, opts Options) error {
	switch {
	case len(bucket) > maxBucketName || !bucketName.MatchString(bucket):
		return fmt.Errorf("%w: this is no name of a bucket; it has 3 to 222 lower case letters, digits and \"-_.\"",
			backends.ErrInvalid)
	case opts.KMSKeyName != "" && !kmsKeyName.MatchString(opts.KMSKeyName):
		return fmt.Errorf("%w: the KMS key %q is not projects/P/locations/L/keyRings/R/cryptoKeys/K, without a version",
			backends.ErrInvalid, opts.KMSKeyName)
	}
	return nil
}

// Close closes the client if [Open] made it. No call may be under way, and none
// may follow. Connections that are idle end by themselves.
func (s *Store) Close() error {
	if s.owned == nil {
		return nil
	}
	return s.owned.Close()
}

// Capabilities implements [backends.Store].
func (s *Store) Capabilities() backends.Capabilities {
	return backends.Capabilities{OrderedList: true, Metadata: true}
}
