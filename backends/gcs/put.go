package gcs

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"

	"cloud.google.com/go/storage"

	"github.com/lancecommit/lancecommit/backends"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// PutIfAbsent implements [backends.Store]. It is one upload with
// ifGenerationMatch=0 and a checksum of the body, so that a body that was cut
// short on the way is refused.
func (s *Store) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	if err := backends.CheckCall(ctx, "put", key, backends.CheckKey); err != nil {
		return backends.Attrs{}, err
	}
	if err := backends.CheckMetadata(opts.Metadata); err != nil {
		return backends.Attrs{}, &backends.Error{Op: "put", Key: key, Err: err}
	}
	created, taken, err := s.upload(ctx, key, body, opts)
	if err != nil {
		failed := explain("put", key, err)
		switch unsent := taken == 0 && len(body) > 0; {
		case unsent && s.countsTaken(err) && !backends.IsDefinite(failed):
			failed.Err = backends.NotStored(failed.Err)
		case taken > 0 && tokenRefused(err) != nil:
			// Something asked for another token after it had sent the body.
			failed.Err = fmt.Errorf("the token for a request that follows the create was refused: %v", failed.Err)
		}
		return backends.Attrs{}, failed
	}
	if created.Name != key || created.Size != int64(len(body)) || created.Generation <= 0 {
		return backends.Attrs{}, &backends.Error{Op: "put", Key: key, Err: errOtherObject}
	}
	attrs := attrsOf(created)
	attrs.Metadata = ""
	return attrs, nil
}

// countsTaken reports whether no request can have been whole where no byte of the
// body was taken. A client that speaks HTTP counts those that it takes, so that
// an end before that, as while a token is had, proves it. One of the caller's may
// speak gRPC, which counts none until all are sent, and has no errors of dialing.
func (s *Store) countsTaken(err error) bool {
	return answerIn(err) == nil && (s.owned != nil || isDialing(err))
}

var errOtherObject = errors.New("the answer says success and does not describe the object that was sent: " + between)

// upload sends the one request. It returns also how many bytes of the body were
// taken to be sent.
func (s *Store) upload(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (created *storage.ObjectAttrs, taken int, err error) {
	w := s.creates.Object(key).If(storage.Conditions{DoesNotExist: true}).NewWriter(ctx)
	// Zero keeps the SDK from buffering the body, which it could then send again.
	w.ChunkSize = 0
	w.ContentType = "application/octet-stream"
	w.CRC32C, w.SendCRC32C = crc32.Checksum(body, castagnoli), true
	w.KMSKeyName = s.opts.KMSKeyName
	if opts.Metadata != "" {
		w.Metadata = map[string]string{backends.MetadataName: opts.Metadata}
	}
	// What ends Write early is the error of Close, too, and Close then
	// publishes nothing: the writer is broken.
	taken, _ = w.Write(body)
	if err := w.Close(); err != nil {
		return nil, taken, err
	}
	return w.Attrs(), taken, nil
}
