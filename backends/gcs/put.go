package gcs

import (
	"context"
	"errors"
	"hash/crc32"
	"net/http/httptrace"
	"sync/atomic"

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
	if err := ready(ctx, "put", key, backends.CheckKey); err != nil {
		return backends.Attrs{}, err
	}
	if err := backends.CheckMetadata(opts.Metadata); err != nil {
		return backends.Attrs{}, &backends.Error{Op: "put", Key: key, Err: err}
	}
	// A connection that was never had proves that nothing was sent.
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	created, err := s.upload(ctx, key, body, opts)
	if err != nil {
		failed := explain("put", key, err)
		if !connected.Load() && isDialing(err) {
			failed.Err = backends.NotStored(failed.Err)
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

var errOtherObject = errors.New("the answer says success and does not describe the object that was sent: " + between)

// upload sends the one request.
func (s *Store) upload(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (*storage.ObjectAttrs, error) {
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
	_, _ = w.Write(body)
	if err := w.Close(); err != nil {
		return nil, err
	}
	return w.Attrs(), nil
}
