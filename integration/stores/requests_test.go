package stores_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/integration/servers"
	"github.com/lancecommit/lancecommit/integration/stores/own"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

// A wire is a store whose requests a test sees, and whose replies it can lose.
type wire struct {
	store backends.Store
	// take returns the requests since the last take.
	take func() []string
	// lose asks about every PUT from now on whether its reply is to be lost.
	lose func(lost func() bool)
}

// eachWire runs a test on each chosen server, and on the store of whoever runs
// the tests if there is one.
func eachWire(t *testing.T, test func(t *testing.T, w wire)) {
	eachServer(t, func(t *testing.T, server *servers.Server) {
		proxy := servers.StartProxy(t, server.Endpoint)
		test(t, through(proxy, openAt(t, server.URI(server.Bucket(t)), optionsOf(server.At(proxy.Endpoint)))))
	})
	onOwn(t, func(t *testing.T, store *own.Store) {
		if endpoint := store.Endpoint(); endpoint != "" {
			proxy := servers.StartProxy(t, endpoint)
			test(t, through(proxy, store.Through(proxy.Endpoint).Folder(t).Store))
			return
		}
		test(t, above(store.Folder(t).Store))
	})
}

// through is a store behind a proxy.
func through(proxy *servers.Proxy, store backends.Store) wire {
	return wire{
		store: store,
		take: func() (names []string) {
			for _, request := range proxy.Take() {
				names = append(names, request.Operation())
			}
			return names
		},
		lose: func(lost func() bool) {
			proxy.SetFault(func(request servers.Request) servers.Fault {
				return servers.Fault{DropReply: request.Operation() == "PUT" && lost()}
			})
		},
	}
}

// above is a store whose connections cannot be seen into. What it is asked is
// seen instead.
func above(store backends.Store) wire {
	var mu sync.Mutex
	var seen []string
	lost := func() bool { return false }
	return wire{
		store: intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, call.Method)
			err := do(ctx)
			if call.Method == "PUT" && lost() {
				return errors.New("the reply was lost")
			}
			return err
		}),
		take: func() (names []string) {
			mu.Lock()
			defer mu.Unlock()
			names, seen = seen, nil
			return names
		},
		lose: func(decide func() bool) {
			mu.Lock()
			defer mu.Unlock()
			lost = decide
		},
	}
}

// alike makes the requests the same in every store: those that list in no order
// get a hint file beside each version, and here do not.
func (w wire) alike() []committer.Option {
	if w.store.Capabilities().OrderedList {
		return nil
	}
	return []committer.Option{committer.WithVersionHint(false)}
}

func TestRequestsOnTheWire(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		ctx := withDeadline(t)
		table := committer.NewTable(w.store, root, w.alike()...)
		commit := func(version uint64) []string {
			t.Helper()
			_, err := table.Commit(ctx, version, testmanifest.New(version, "", "mine"))
			require.NoError(t, err)
			return w.take()
		}
		require.Equal(t, []string{"LIST", "PUT"}, commit(1), "cold")
		require.Equal(t, []string{"PUT"}, commit(2), "the end is known")
		require.Equal(t, []string{"PUT"}, commit(3), "the end is known")

		cold := committer.NewTable(w.store, root, w.alike()...)
		latest := func() []string {
			t.Helper()
			v, err := cold.Latest(ctx)
			require.NoError(t, err)
			require.EqualValues(t, 3, v.Number)
			return w.take()
		}
		require.Equal(t, []string{"LIST"}, latest(), "cold")
		require.Equal(t, []string{"HEAD"}, latest(), "warm")

		_, err := cold.Version(ctx, 2)
		require.NoError(t, err)
		require.Equal(t, []string{"HEAD"}, w.take())
	})
}

func TestALostReplyIsNoConflict(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		ctx := withDeadline(t)
		puts := 0
		w.lose(func() bool {
			puts++
			return puts%2 == 1
		})
		table := committer.NewTable(w.store, root, w.alike()...)
		for version := uint64(1); version <= 20; version++ {
			v, err := table.Update(ctx, func(ctx context.Context, base committer.Version) ([]byte, error) {
				return testmanifest.New(base.Number+1, "", "same"), nil
			})
			require.NoError(t, err)
			require.Equal(t, version, v.Number, "each update is there once")
		}
		require.Equal(t, 20, puts)
	})
}
