package stores_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/integration/servers"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

// calls calls each method of a store once.
var calls = map[string]func(ctx context.Context, store backends.Store) error{
	"put": func(ctx context.Context, store backends.Store) error {
		_, err := store.PutIfAbsent(ctx, "t/1", []byte("body"), backends.PutOptions{})
		return err
	},
	"get":  func(ctx context.Context, store backends.Store) error { _, _, err := store.Get(ctx, "t/1"); return err },
	"head": func(ctx context.Context, store backends.Store) error { _, err := store.Head(ctx, "t/1"); return err },
	"list": func(ctx context.Context, store backends.Store) error {
		_, err := store.List(ctx, backends.ListInput{Prefix: "t/"})
		return err
	},
	"delete": func(ctx context.Context, store backends.Store) error { return store.Delete(ctx, "t/1") },
}

// blind are the calls to whose answers a server does not say that the bucket is
// what is missing: S3 has no body in an answer to HEAD, and fake-gcs-server looks
// for objects only.
var blind = map[servers.Kind][]string{
	servers.MinIO: {"head"}, servers.VersityGW: {"head"}, servers.FakeGCS: {"get", "head", "delete"},
}

func TestABucketThatIsNotThereIsNoEmptyStore(t *testing.T) {
	eachServer(t, func(t *testing.T, server *servers.Server) {
		ctx := withDeadline(t)
		store := openAt(t, server.URI("no-such-bucket"), optionsOf(server))
		for op, call := range calls {
			if !slices.Contains(blind[server.Kind], op) {
				err := call(ctx, store)
				require.ErrorIs(t, err, backends.ErrNoBucket, op)
				require.NotErrorIs(t, err, backends.ErrNotExist, op)
			}
		}
		_, err := committer.NewTable(store, root).Commit(ctx, 1, testmanifest.New(1, "", "mine"))
		require.ErrorIs(t, err, backends.ErrNoBucket)
	})
}

// wrongSecret is no server's, and looks like a key of Azure.
var wrongSecret = base64.StdEncoding.EncodeToString([]byte("this is the secret that no server has"))

// secretOf names the option that has the secret of a kind of server.
var secretOf = map[servers.Kind]string{
	servers.MinIO: "aws_secret_access_key", servers.VersityGW: "aws_secret_access_key", servers.Azurite: "azure_storage_account_key",
}

func TestAWrongSecretIsRefusedAndInNoError(t *testing.T) {
	for kind, secret := range secretOf {
		t.Run(string(kind), func(t *testing.T) {
			server := servers.Require(t, kind)
			ctx, options := withDeadline(t), optionsOf(server)
			options[secret] = wrongSecret
			store := openAt(t, server.URI(server.Bucket(t)), options)
			for op, call := range calls {
				err := call(ctx, store)
				// Azure itself says that the key is wrong, Azurite that it permits nothing.
				require.Truef(t, errors.Is(err, backends.ErrUnauthenticated) || errors.Is(err, backends.ErrPermission), "%s: %v", op, err)
				require.NotContains(t, err.Error(), wrongSecret)
			}
		})
	}
}

func TestASASTokenThatMayReadWriteAndListIsEnough(t *testing.T) {
	t.Run(string(servers.Azurite), func(t *testing.T) {
		server := servers.Require(t, servers.Azurite)
		ctx, name := withDeadline(t), server.Bucket(t)
		may := sas.ContainerPermissions{Read: true, Write: true, List: true}
		signed, err := azureClient(t, server, name).GetSASURL(may, time.Now().Add(time.Hour), nil)
		require.NoError(t, err)
		u, err := url.Parse(signed)
		require.NoError(t, err)
		store := openAt(t, server.URI(name), map[string]string{
			"azure_storage_endpoint": server.ServiceURL(), "allow_http": "true", "azure_storage_sas_token": u.RawQuery,
		})
		table := committer.NewTable(store, root)
		for version := uint64(1); version <= 3; version++ {
			_, err := table.Commit(ctx, version, testmanifest.New(version, "", "mine"))
			require.NoError(t, err)
		}
		_, err = committer.NewTable(store, root).Commit(ctx, 3, testmanifest.New(3, "", "other"))
		require.ErrorIs(t, err, committer.ErrConflict)
		latest, err := committer.NewTable(store, root).Latest(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 3, latest.Number)
		require.ErrorIs(t, store.Delete(ctx, latest.Key), backends.ErrPermission)
	})
}

func TestTheEmulatorOfAzureNeedsNoAccount(t *testing.T) {
	t.Run(string(servers.Azurite), func(t *testing.T) {
		server := servers.Require(t, servers.Azurite)
		store := openAt(t, server.URI(server.Bucket(t)), map[string]string{
			"azure_storage_use_emulator": "true", "azure_storage_endpoint": server.Endpoint,
		})
		_, err := committer.NewTable(store, root).Commit(withDeadline(t), 1, testmanifest.New(1, "", "mine"))
		require.NoError(t, err)
	})
}
