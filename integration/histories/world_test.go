package histories_test

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/integration/servers"
	"github.com/lancecommit/lancecommit/internal/fault"
)

// A world is a store that several processes, or what stands for them, work on.
type world struct {
	// tables are the processes.
	tables []handle
	// readers are processes that only read.
	readers []handle
	// auditor sees the store as it is, whatever the network does.
	auditor handle
	// settle waits until every request has landed that was given up.
	settle func()
	// pause is the longest that a client makes between its calls.
	pause time.Duration
}

const (
	// processes is how many tables there are, each with several writers.
	processes = 4
	// onlyReaders is how many there are that never write.
	onlyReaders = 4
)

// retry gives an attempt up after a second, which is before the latest requests
// land.
var retry = committer.RetryPolicy{AttemptTimeout: time.Second, Grace: 2 * time.Second}

// tableOn returns a handle of a table of its own in a store.
func tableOn(store backends.Store) handle {
	return on(committer.NewTable(store, root, committer.WithRetry(retry)))
}

// inMemory is a world in this process, whose requests a script makes fail.
func inMemory(seed uint64, rates fault.Rates, decorate func(backends.Store) backends.Store) world {
	store := backends.Store(memory.New(memory.Options{}))
	injector := fault.New(fault.FromSeed(seed, rates, slowest))
	w := world{auditor: tableOn(store), settle: injector.Wait, pause: 10 * time.Millisecond}
	if decorate != nil {
		store = decorate(store)
	}
	faulty := injector.Store(store)
	for range processes {
		w.tables = append(w.tables, tableOn(faulty))
	}
	for range onlyReaders {
		w.readers = append(w.readers, tableOn(faulty))
	}
	return w
}

// onDisk is a world of processes of the operating system, and readers in this one.
func onDisk(t *testing.T) world {
	folder := t.TempDir()
	w := world{settle: func() {}, pause: 10 * time.Millisecond, auditor: tableOn(openAt(t, folder, nil))}
	for range processes {
		w.tables = append(w.tables, startProcess(t, folder))
	}
	for range onlyReaders {
		w.readers = append(w.readers, tableOn(openAt(t, folder, nil)))
	}
	return w
}

// onServer is a world behind a network that loses and delays.
func onServer(t *testing.T, server *servers.Server, seed uint64) world {
	bucket := server.URI(server.Bucket(t))
	between := newNetwork(t, server, seed)
	open := func() handle { return tableOn(openAt(t, bucket, optionsOf(between.server))) }
	w := world{settle: between.settle, pause: 200 * time.Millisecond, auditor: tableOn(openAt(t, bucket, optionsOf(server)))}
	for range processes {
		w.tables = append(w.tables, open())
	}
	for range onlyReaders {
		w.readers = append(w.readers, open())
	}
	return w
}

// eachServer runs a test on each chosen server.
func eachServer(t *testing.T, test func(t *testing.T, server *servers.Server)) {
	for _, kind := range servers.Kinds() {
		t.Run(string(kind), func(t *testing.T) { test(t, servers.Require(t, kind)) })
	}
}

func openAt(t *testing.T, location string, options map[string]string) backends.Store {
	t.Helper()
	store, _, err := all.Open(t.Context(), location, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func optionsOf(server *servers.Server) map[string]string {
	if server.Kind == servers.FakeGCS {
		return map[string]string{"google_base_url": server.Endpoint, "allow_http": "true"}
	}
	return maps.Clone(server.StorageOptions())
}
