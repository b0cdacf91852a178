package own

import (
	"context"
	"crypto/rand"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/internal/subfolder"
)

// Prefix is what the names of all folders start with.
const Prefix = "lancecommit-test-"

// checkTimeout bounds the first look at the location.
const checkTimeout = time.Minute

// A Folder is an empty folder below the location, which a test has for itself.
type Folder struct {
	// Store is the folder as a store. It is closed with the test.
	Store backends.Store
	// Name is that of the folder, below the location.
	Name string
	// Key is that of the folder in the bucket, where all keys start with it.
	Key string
	// URI is the address of the folder for Lance.
	URI string
}

// Require returns the store that the environment names. It fails t when that
// cannot be opened or listed; the text has no credential. It costs one LIST.
func Require(t testing.TB) *Store {
	t.Helper()
	s, err := fromEnvironment()
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := s.check(t.Context()); err != nil {
		t.Fatalf("%s cannot be used: %v", EnvStore, err)
	}
	return s
}

// check lists the names that folders of tests have.
func (s *Store) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	store, key, err := all.Open(ctx, s.Location, s.Options)
	if err != nil {
		return err
	}
	defer store.Close()
	_, err = store.List(ctx, backends.ListInput{Prefix: path.Join(key, Prefix), Limit: 1})
	return err
}

// Folder returns a new folder. After the test, whatever became of it, everything
// in the folder is removed within five minutes; what cannot be removed fails t
// and is named. It makes no request; the removal costs one LIST for each folder
// and each 1,000 objects, twice, and one DELETE for each object.
func (s *Store) Folder(t testing.TB) *Folder {
	t.Helper()
	name := Prefix + strings.ToLower(rand.Text()[:12])
	store, key, err := all.Open(t.Context(), s.Location, s.Options)
	if err != nil {
		t.Fatalf("%s cannot be used: %v", EnvStore, err)
	}
	key = path.Join(key, name)
	in, err := subfolder.New(store, key)
	if err != nil {
		t.Fatalf("a folder of %s: %v", EnvStore, err)
	}
	t.Logf("in the folder %s of %s", name, EnvStore)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), removeTimeout)
		defer cancel()
		if err := s.remove(ctx, name, in); err != nil {
			t.Errorf("the folder %s of %s could not be removed, remove it by hand: %v", name, EnvStore, err)
		}
		if err := store.Close(); err != nil {
			t.Errorf("close %s: %v", EnvStore, err)
		}
	})
	return &Folder{Store: in, Name: name, Key: key, URI: s.uri(key)}
}

// Open opens a folder that a test made, in another process of it. The process
// needs the same environment.
func Open(name string) (backends.Store, error) {
	s, err := fromEnvironment()
	if err != nil {
		return nil, err
	}
	store, key, err := all.Open(context.Background(), s.Location, s.Options)
	if err != nil {
		return nil, err
	}
	return subfolder.New(store, path.Join(key, name))
}

// uri is the address of a folder for Lance, which has one scheme for Azure.
func (s *Store) uri(key string) string {
	bucket, _ := s.split()
	if container, ok := strings.CutPrefix(bucket, "azblob://"); ok {
		bucket = "az://" + container
	}
	return strings.TrimRight(bucket, "/") + "/" + key
}

// disk returns the path of a folder of a store on disk, empty elsewhere.
func (s *Store) disk(name string) string {
	switch bucket, _ := s.split(); {
	case isFileURL(bucket):
		u, err := url.Parse(bucket)
		if err != nil {
			return ""
		}
		return filepath.Join(u.Path, name)
	case bucketURL.MatchString(bucket):
		return ""
	default:
		return filepath.Join(bucket, name)
	}
}
