package azure

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// errSealed ends a request that goes on after its call returned.
var errSealed = errors.New("the call has returned")

// content is the body of a create. It knows whether any of it was read, and
// gives nothing more once it is sealed: a transport may otherwise go on reading
// after the call was given up, and so send what the caller was told was not
// sent, out of memory that the caller uses again.
//
// It has no method but those of an io.ReadSeekCloser, so that every byte goes
// through Read.
type content struct {
	mu     sync.Mutex
	body   bytes.Reader
	read   bool
	sealed bool
}

// Read implements io.Reader.
func (c *content) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sealed {
		return 0, errSealed
	}
	c.read = true
	return c.body.Read(p)
}

// Seek implements io.Seeker.
func (c *content) Seek(offset int64, whence int) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.body.Seek(offset, whence)
}

// Close implements io.Closer. It does nothing.
func (c *content) Close() error { return nil }

// seal ends the reading for good. It reports whether the store can never have
// the content, since nothing of it was read. Empty content proves nothing.
func (c *content) seal() (unsent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sealed = true
	return !c.read && c.body.Size() > 0
}

var _ io.ReadSeekCloser = (*content)(nil)
