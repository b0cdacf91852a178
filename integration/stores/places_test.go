package stores_test

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/backends/backendtest"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/integration/servers"
	"github.com/lancecommit/lancecommit/integration/stores/own"
)

// A place is somewhere that stores can be opened in.
type place struct {
	// open returns a new store, empty, closed with the test.
	open func(t testing.TB) backends.Store
	// suite is what the conformance suite has to know.
	suite backendtest.Config
}

// at is a place of which nothing more is known.
func at(open func(t testing.TB) backends.Store) place {
	return place{open: open, suite: backendtest.Config{New: open}}
}

// eachPlace runs a test in memory, on disk, on each chosen server, and on the
// store of whoever runs the tests if there is one.
func eachPlace(t *testing.T, test func(t *testing.T, at place)) {
	t.Run("memory", func(t *testing.T) {
		test(t, at(func(testing.TB) backends.Store { return memory.New(memory.Options{}) }))
	})
	t.Run("disk", func(t *testing.T) {
		test(t, at(func(t testing.TB) backends.Store { return openAt(t, t.TempDir(), nil) }))
	})
	eachServer(t, func(t *testing.T, server *servers.Server) { test(t, onServer(server)) })
	onOwn(t, func(t *testing.T, store *own.Store) { test(t, inFoldersOf(store)) })
}

// eachServer runs a test on each chosen server.
func eachServer(t *testing.T, test func(t *testing.T, server *servers.Server)) {
	for _, kind := range servers.Kinds() {
		t.Run(string(kind), func(t *testing.T) { test(t, servers.Require(t, kind)) })
	}
}

// onOwn runs a test on the store of whoever runs the tests. Without one there is
// no such test.
func onOwn(t *testing.T, test func(t *testing.T, store *own.Store)) {
	if own.Chosen() {
		t.Run("own", func(t *testing.T) { test(t, own.Require(t)) })
	}
}

// onServer is a server, with a bucket for each store.
func onServer(server *servers.Server) place {
	var last string // bucket
	on := at(func(t testing.TB) backends.Store {
		last = server.Bucket(t)
		return openAt(t, server.URI(last), optionsOf(server))
	})
	on.suite.Inject = func(t testing.TB, _ backends.Store, key string, body []byte) { lay(t, server, last, key, body) }
	on.suite.Address = func(t testing.TB, _ backends.Store) string {
		return address{Location: server.URI(last), Options: optionsOf(server)}.text(t)
	}
	return on
}

// inFoldersOf is a store of whoever runs the tests, with a folder for each store.
func inFoldersOf(store *own.Store) place {
	var last string // folder
	in := at(func(t testing.TB) backends.Store {
		folder := store.Folder(t)
		last = folder.Name
		return folder.Store
	})
	in.suite.New = func(t testing.TB) backends.Store {
		if strings.HasSuffix(t.Name(), "/a_key_of_1,024_bytes_is_stored") {
			t.Skip("in a folder the key would have more bytes; TestTheLongestKeyHasTheFolderInIt is about that")
		}
		return in.open(t)
	}
	in.suite.Address = func(t testing.TB, _ backends.Store) string { return address{Folder: last}.text(t) }
	return in
}

// optionsOf returns the storage options for a server.
func optionsOf(server *servers.Server) map[string]string {
	if server.Kind == servers.FakeGCS {
		return map[string]string{"google_base_url": server.Endpoint, "allow_http": "true"}
	}
	return maps.Clone(server.StorageOptions())
}

// An address tells another process of the tests where a store is: a bucket of a
// server, or a folder of the store that the environment names.
type address struct {
	Location string            `json:",omitempty"`
	Options  map[string]string `json:",omitempty"`
	Folder   string            `json:",omitempty"`
}

func (a address) text(t testing.TB) string {
	text, err := json.Marshal(a)
	require.NoError(t, err)
	return string(text)
}

func openAddress(text string) (backends.Store, error) {
	var a address
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return nil, err
	}
	if a.Folder != "" {
		return own.Open(a.Folder)
	}
	store, _, err := all.Open(context.Background(), a.Location, a.Options)
	return store, err
}
