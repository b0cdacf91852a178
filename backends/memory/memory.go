// Package memory is a store of objects in the memory of one process. It is the
// reference model of the contract in package backends: small, exact, and as
// strict as the strictest store. It serves tests and examples.
package memory

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lancecommit/lancecommit/backends"
)

// Options say which kind of store to model. The zero value is a general purpose
// bucket: ordered listings in pages of 1,000.
type Options struct {
	// Unordered lists keys in an order of no meaning, as S3 Express does, and
	// refuses StartAfter.
	Unordered bool
	// NoMetadata ignores PutOptions.Metadata, as a disk without extended
	// attributes does.
	NoMetadata bool
	// PageSize is the most entries of a page. Zero means 1,000.
	PageSize int
}

const defaultPageSize = 1000

// A Store keeps objects in a map. It is safe for concurrent use.
type Store struct {
	opts Options

	mu      sync.RWMutex
	objects map[string]object
	// keys has the keys of objects in the order of listings.
	keys   []string
	writes uint64
}

type object struct {
	body  []byte
	attrs backends.Attrs
}

var (
	_ backends.Store       = (*Store)(nil)
	_ backends.Overwriter  = (*Store)(nil)
	_ backends.BulkDeleter = (*Store)(nil)
)

// New returns an empty store.
func New(opts Options) *Store {
	if opts.PageSize == 0 {
		opts.PageSize = defaultPageSize
	}
	return &Store{opts: opts, objects: make(map[string]object)}
}

// Capabilities implements backends.Store.
func (s *Store) Capabilities() backends.Capabilities {
	return backends.Capabilities{OrderedList: !s.opts.Unordered, Metadata: !s.opts.NoMetadata}
}

// PutIfAbsent implements backends.Store.
func (s *Store) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	if err := backends.CheckCall(ctx, "put", key, backends.CheckKey); err != nil {
		return backends.Attrs{}, err
	}
	if err := backends.CheckMetadata(opts.Metadata); err != nil {
		return backends.Attrs{}, &backends.Error{Op: "put", Key: key, Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.objects[key]; taken {
		return backends.Attrs{}, &backends.Error{Op: "put", Key: key, Err: backends.ErrExists}
	}
	attrs := s.write(key, body, opts.Metadata)
	attrs.Metadata = ""
	return attrs, nil
}

// Overwrite implements backends.Overwriter.
func (s *Store) Overwrite(ctx context.Context, key string, body []byte) error {
	if err := backends.CheckCall(ctx, "overwrite", key, backends.CheckKey); err != nil {
		return err
	}
	s.Inject(key, body)
	return nil
}

// Inject lays an object whatever its key is, and whether it is there or not. It
// is for tests that need what no create could make, such as the marker of a
// folder.
func (s *Store) Inject(key string, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(key, body, "")
}

// Get implements backends.Store.
func (s *Store) Get(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
	o, err := s.read(ctx, "get", key)
	if err != nil {
		return nil, backends.Attrs{}, err
	}
	if err := backends.CheckReadLimit(ctx, o.attrs.Size); err != nil {
		return nil, backends.Attrs{}, &backends.Error{Op: "get", Key: key, Err: err}
	}
	return slices.Clone(o.body), o.attrs, nil
}

// Head implements backends.Store.
func (s *Store) Head(ctx context.Context, key string) (backends.Attrs, error) {
	o, err := s.read(ctx, "head", key)
	return o.attrs, err
}

// Delete implements backends.Store.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := backends.CheckCall(ctx, "delete", key, backends.CheckKey); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(key)
	return nil
}

// bulkLimit is that of S3.
const bulkLimit = 1000

// BulkLimit implements backends.BulkDeleter. It is 1,000, as on S3.
func (s *Store) BulkLimit() int { return bulkLimit }

// BulkDelete implements backends.BulkDeleter.
func (s *Store) BulkDelete(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	if err := backends.CheckBulk(keys, bulkLimit, backends.CheckKey); err != nil {
		return err
	}
	if err := backends.CheckCall(ctx, "bulkdelete", keys[0], backends.CheckKey); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range keys {
		s.remove(key)
	}
	return nil
}

// remove removes an object under s.mu, if it is there.
func (s *Store) remove(key string) {
	if _, there := s.objects[key]; there {
		delete(s.objects, key)
		at, _ := slices.BinarySearchFunc(s.keys, key, s.compare)
		s.keys = slices.Delete(s.keys, at, at+1)
	}
}

// read returns an object whose body must not be modified.
func (s *Store) read(ctx context.Context, op, key string) (object, error) {
	if err := backends.CheckCall(ctx, op, key, backends.CheckKey); err != nil {
		return object{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, there := s.objects[key]
	if !there {
		return object{}, &backends.Error{Op: op, Key: key, Err: backends.ErrNotExist}
	}
	return o, nil
}

// write stores an object under s.mu. Every write has an ETag of its own, equal
// bytes or not, so that nobody comes to rely on ETags as an identity.
func (s *Store) write(key string, body []byte, metadata string) backends.Attrs {
	s.writes++
	attrs := backends.Attrs{
		Size:     int64(len(body)),
		ETag:     hex.EncodeToString(binary.BigEndian.AppendUint64(nil, s.writes)),
		Modified: time.Now().Round(0),
	}
	if !s.opts.NoMetadata {
		attrs.Metadata = metadata
	}
	if _, there := s.objects[key]; !there {
		at, _ := slices.BinarySearchFunc(s.keys, key, s.compare)
		s.keys = slices.Insert(s.keys, at, key)
	}
	s.objects[key] = object{body: slices.Clone(body), attrs: attrs}
	return attrs
}

// compare gives the order of listings.
func (s *Store) compare(a, b string) int {
	if s.opts.Unordered {
		if c := strings.Compare(scramble(a), scramble(b)); c != 0 {
			return c
		}
	}
	return strings.Compare(a, b)
}

// scramble makes an order that is stable and has nothing to do with the keys.
func scramble(key string) string {
	h := fnv.New64a()
	h.Write([]byte(key))
	return string(h.Sum(nil))
}
