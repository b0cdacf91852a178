package azure

import (
	"fmt"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/lancecommit/lancecommit/backends"
)

// Options are what a create asks of the store. The zero value asks for nothing.
type Options struct {
	// EncryptionScope is the name of the encryption scope for new objects.
	// Empty leaves it to the container.
	EncryptionScope string
}

// A Store is one container. It is safe for concurrent use.
type Store struct {
	container *container.Client
	at        location
	opts      Options
	// closeIdle ends the connections of a client that is the store's own.
	closeIdle func()
}

var (
	_ backends.Store       = (*Store)(nil)
	_ backends.BulkDeleter = (*Store)(nil)
)

// New returns the store of a container whose client the caller has. It makes no
// request. A client that is nil or names no container is backends.ErrInvalid.
func New(client *container.Client, opts Options) (*Store, error) {
	if client == nil {
		return nil, openError("", "there is no client")
	}
	// The query can be a SAS token and is in no error.
	at, ok := locate(client.URL())
	if !ok {
		return nil, openError("", "the URL of the client names no container")
	}
	return &Store{container: client, at: at, opts: opts}, nil
}

// Close ends the connections of a store that [Open] returned. It leaves the
// client of the caller alone. It returns nil.
func (s *Store) Close() error {
	if s.closeIdle != nil {
		s.closeIdle()
	}
	return nil
}

// Capabilities implements backends.Store.
func (s *Store) Capabilities() backends.Capabilities {
	return backends.Capabilities{OrderedList: true, Metadata: true}
}

// openError refuses to open a container.
func openError(name, format string, args ...any) error {
	return &backends.Error{Op: "open", Key: name, Err: fmt.Errorf("%w: "+format, append([]any{backends.ErrInvalid}, args...)...)}
}

func checkKey(key string) error {
	if err := backends.CheckKey(key); err != nil {
		return err
	}
	return checkRewritten(key)
}

func checkPrefix(prefix string) error {
	if err := backends.CheckPrefix(prefix); err != nil {
		return err
	}
	return checkRewritten(prefix)
}

// checkRewritten refuses what the service would not keep as it is.
func checkRewritten(key string) error {
	switch {
	case strings.Contains(key, `\`):
		return fmt.Errorf("%w: the key %q has a backslash, which the store takes for a slash", backends.ErrInvalid, key)
	case strings.HasSuffix(key, "."), strings.Contains(key, "./"):
		return fmt.Errorf("%w: the key %q has a part that ends in a dot, which the store drops", backends.ErrInvalid, key)
	case strings.ContainsAny(key, "\ufffe\uffff"):
		return fmt.Errorf("%w: the key %q has a character that the store cannot list", backends.ErrInvalid, key)
	}
	return nil
}
