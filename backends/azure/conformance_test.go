package azure_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/azure"
	"github.com/lancecommit/lancecommit/backends/backendtest"
)

// azuriteVariable names the endpoint of an Azurite with its built-in account,
// such as http://127.0.0.1:10000/devstoreaccount1.
const azuriteVariable = "LANCECOMMIT_AZURITE_ENDPOINT"

// The key of Azurite is published and no secret.
const (
	azuriteAccount = "devstoreaccount1"
	azuriteKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

var containers atomic.Uint64

// newContainer makes a container for one test.
func newContainer(t testing.TB, endpoint string) (name string, client *container.Client) {
	t.Helper()
	key, err := container.NewSharedKeyCredential(azuriteAccount, azuriteKey)
	require.NoError(t, err)
	name = fmt.Sprintf("test-%d-%d", time.Now().UnixNano(), containers.Add(1))
	opts, sender := &container.ClientOptions{}, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	t.Cleanup(sender.CloseIdleConnections)
	opts.Transport = sender
	client, err = container.NewClientWithSharedKeyCredential(endpoint+"/"+name, key, opts)
	require.NoError(t, err)
	_, err = client.Create(t.Context(), nil)
	require.NoError(t, err)
	return name, client
}

func TestStore(t *testing.T) {
	endpoint := os.Getenv(azuriteVariable)
	if endpoint == "" {
		t.Skip("needs Azurite: set " + azuriteVariable + " to its endpoint, such as http://127.0.0.1:10000/devstoreaccount1")
	}
	backendtest.Run(t, backendtest.Config{
		New: func(t testing.TB) backends.Store {
			name, _ := newContainer(t, endpoint)
			return open(t, name, azure.Config{UseEmulator: true, Endpoint: endpoint})
		},
	})
	t.Run("with the client of a program", func(t *testing.T) {
		clients := map[backends.Store]*container.Client{}
		backendtest.Run(t, backendtest.Config{
			Keys: 20,
			New: func(t testing.TB) backends.Store {
				_, client := newContainer(t, endpoint)
				store, err := azure.New(client, azure.Options{})
				require.NoError(t, err)
				clients[store] = client
				return store
			},
			Inject: func(t testing.TB, store backends.Store, key string, body []byte) {
				_, err := clients[store].NewBlockBlobClient(key).UploadBuffer(t.Context(), body, &blockblob.UploadBufferOptions{})
				require.NoError(t, err)
			},
		})
	})
	t.Run("a container that is not there is ErrNoBucket", func(t *testing.T) {
		store := open(t, "no-such-container", azure.Config{UseEmulator: true, Endpoint: endpoint})
		_, err := store.PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
		requireOnly(t, backends.ErrNoBucket, err)
		for _, read := range reads {
			requireOnly(t, backends.ErrNoBucket, read.call(t.Context(), store))
		}
	})
	t.Run("a SAS token that may read, write and list is enough", func(t *testing.T) {
		name, client := newContainer(t, endpoint)
		url, err := client.GetSASURL(sas.ContainerPermissions{Read: true, Write: true, List: true}, time.Now().Add(time.Hour), nil)
		require.NoError(t, err)
		store := open(t, name, azure.Config{Endpoint: endpoint, AllowHTTP: true, SASToken: url[strings.Index(url, "?"):]})
		created, err := store.PutIfAbsent(t.Context(), "t/exp%2Fone.json", []byte("content"), backends.PutOptions{Metadata: "note"})
		require.NoError(t, err)
		head, err := store.Head(t.Context(), "t/exp%2Fone.json")
		require.NoError(t, err)
		require.Equal(t, created.ETag, head.ETag)
		page, err := store.List(t.Context(), backends.ListInput{Prefix: "t/"})
		require.NoError(t, err)
		require.Equal(t, []string{"t/exp%2Fone.json"}, entries(page))
		_, err = store.PutIfAbsent(t.Context(), "t/exp%2Fone.json", []byte("other"), backends.PutOptions{})
		requireOnly(t, backends.ErrExists, err)
		requireOnly(t, backends.ErrPermission, store.Delete(t.Context(), "t/exp%2Fone.json"))
	})
	t.Run("a wrong key is refused", func(t *testing.T) {
		name, _ := newContainer(t, endpoint)
		store := open(t, name, azure.Config{UseEmulator: true, Endpoint: endpoint, AccountKey: accountKey})
		_, err := store.PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
		refused(t, err)
		for _, read := range reads {
			refused(t, read.call(t.Context(), store))
		}
	})
}

// open opens a container for one test.
func open(t testing.TB, name string, cfg azure.Config) *azure.Store {
	t.Helper()
	store, err := azure.Open(t.Context(), name, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// refused allows what Azurite says of a signature that is wrong. Azure itself
// says AuthenticationFailed, which is ErrUnauthenticated.
func refused(t *testing.T, err error) {
	t.Helper()
	require.Truef(t, errors.Is(err, backends.ErrUnauthenticated) || errors.Is(err, backends.ErrPermission), "%v", err)
}
