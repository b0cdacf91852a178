// Package portable is the part of a store that gocloud.dev/blob does right: the
// content of an object. The rest is each backend's own. gocloud's create retries
// and returns no ETag; its listing asks again until a page is full, and its
// delete on S3 asks first whether the object is there, so that neither is one
// request; its HEAD takes 6 to 9 % longer than that of the SDK for S3.
package portable

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gocloud.dev/blob"

	"github.com/lancecommit/lancecommit/backends"
)

// A Dialect is what differs between clouds. Its functions are given the native
// values that gocloud hides behind As.
type Dialect struct {
	// Explain returns what an error of the SDK says, with a sentinel of package
	// backends in its chain where one applies. gocloud's own codes are not
	// used: they take 403 for "not found" on GCS, and a missing bucket for a
	// missing object.
	Explain func(err error) *backends.Error
	// Opened returns the attributes that came with content: ETag, version and
	// metadata.
	Opened func(reader *blob.Reader) backends.Attrs
}

// A Bucket reads by way of a gocloud bucket. It is safe for concurrent
// use.
type Bucket struct {
	Blob    *blob.Bucket
	Dialect Dialect
}

// CheckKey refuses keys that cannot be used in the cloud: those of
// [backends.CheckKey], and those that gocloud would rewrite to names that no
// other reader knows.
func CheckKey(key string) error {
	if err := backends.CheckKey(key); err != nil {
		return err
	}
	return checkRewritten(key)
}

// CheckPrefix refuses the prefixes of such keys.
func CheckPrefix(prefix string) error {
	if err := backends.CheckPrefix(prefix); err != nil {
		return err
	}
	return checkRewritten(prefix)
}

// checkRewritten knows what gocloud's drivers escape beyond what the contract
// refuses, and what they take for an escape when they read.
func checkRewritten(key string) error {
	if strings.Contains(key, "../") {
		return fmt.Errorf("%w: the key %q has a part that ends in two dots, which is not stored as it is",
			backends.ErrInvalid, key)
	}
	if strings.Contains(key, "__0x") {
		return fmt.Errorf("%w: the key %q contains %q, which is not read as it is", backends.ErrInvalid, key, "__0x")
	}
	return nil
}

// Get is backends.Store's. It costs one request.
func (b *Bucket) Get(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
	if err := CheckKey(key); err != nil {
		return nil, backends.Attrs{}, b.fail("get", key, err)
	}
	reader, err := b.Blob.NewReader(ctx, key, nil)
	if err != nil {
		return nil, backends.Attrs{}, b.fail("get", key, err)
	}
	defer reader.Close()
	if err := backends.CheckReadLimit(ctx, reader.Size()); err != nil {
		return nil, backends.Attrs{}, &backends.Error{Op: "get", Key: key, Err: err}
	}
	body, err := backends.ReadBody(reader, reader.Size())
	if err != nil {
		return nil, backends.Attrs{}, b.fail("get", key, err)
	}
	attrs := b.Dialect.Opened(reader)
	attrs.Size, attrs.Modified = int64(len(body)), reader.ModTime().UTC()
	return body, attrs, nil
}

// fail explains an error.
func (b *Bucket) fail(op, key string, err error) error {
	explained := &backends.Error{Err: err}
	if !errors.Is(err, backends.ErrInvalid) {
		explained = b.Dialect.Explain(err)
	}
	explained.Op, explained.Key = op, key
	return explained
}
