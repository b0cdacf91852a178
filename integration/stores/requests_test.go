package stores_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/integration/servers"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

func asConflict(err error, to **committer.ConflictError) bool { return errors.As(err, to) }

func TestRequestsOnTheWire(t *testing.T) {
	eachServer(t, func(t *testing.T, server *servers.Server) {
		ctx := withDeadline(t)
		proxy := servers.StartProxy(t, server.Endpoint)
		store := openAt(t, server.URI(server.Bucket(t)), optionsOf(server.At(proxy.Endpoint)))
		operations := func() (names []string) {
			for _, request := range proxy.Take() {
				names = append(names, request.Operation())
			}
			return names
		}
		table := committer.NewTable(store, root)
		commit := func(version uint64) []string {
			t.Helper()
			_, err := table.Commit(ctx, version, testmanifest.New(version, "", "mine"))
			require.NoError(t, err)
			return operations()
		}
		require.Equal(t, []string{"LIST", "PUT"}, commit(1), "cold")
		require.Equal(t, []string{"PUT"}, commit(2), "the end is known")
		require.Equal(t, []string{"PUT"}, commit(3), "the end is known")

		cold := committer.NewTable(store, root)
		latest := func() []string {
			t.Helper()
			v, err := cold.Latest(ctx)
			require.NoError(t, err)
			require.EqualValues(t, 3, v.Number)
			return operations()
		}
		require.Equal(t, []string{"LIST"}, latest(), "cold")
		require.Equal(t, []string{"HEAD"}, latest(), "warm")

		_, err := cold.Version(ctx, 2)
		require.NoError(t, err)
		require.Equal(t, []string{"HEAD"}, operations())
	})
}

func TestALostReplyIsNoConflict(t *testing.T) {
	eachServer(t, func(t *testing.T, server *servers.Server) {
		ctx := withDeadline(t)
		proxy := servers.StartProxy(t, server.Endpoint)
		store := openAt(t, server.URI(server.Bucket(t)), optionsOf(server.At(proxy.Endpoint)))
		puts := 0
		proxy.SetFault(func(request servers.Request) servers.Fault {
			if request.Operation() != "PUT" {
				return servers.Fault{}
			}
			puts++
			return servers.Fault{DropReply: puts%2 == 1}
		})
		table := committer.NewTable(store, root)
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
