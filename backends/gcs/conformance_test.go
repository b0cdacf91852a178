package gcs_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/option"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/backendtest"
	"github.com/lancecommit/lancecommit/backends/gcs"
)

// endpointVariable names an emulator, such as http://127.0.0.1:4443.
const endpointVariable = "LANCECOMMIT_GCS_ENDPOINT"

func TestStore(t *testing.T) {
	endpoint := os.Getenv(endpointVariable)
	if endpoint == "" {
		t.Skip("needs an emulator of GCS: set " + endpointVariable + " to its endpoint, such as http://127.0.0.1:4443")
	}
	for name, reads := range map[string]option.ClientOption{
		"reads through the XML API": storage.WithXMLReads(), "reads through the JSON API": storage.WithJSONReads(),
	} {
		// Close ends the connections only of a client that has its own.
		connections := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
		client, err := storage.NewClient(t.Context(), reads, option.WithHTTPClient(connections),
			option.WithEndpoint(endpoint+"/storage/v1/"), option.WithoutAuthentication())
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, client.Close()) })
		t.Run(name, func(t *testing.T) {
			buckets := make(map[backends.Store]string)
			backendtest.Run(t, backendtest.Config{
				New: func(t testing.TB) backends.Store {
					bucket := newBucket(t, client)
					store, err := gcs.New(client, bucket, gcs.Options{})
					require.NoError(t, err)
					buckets[store] = bucket
					return store
				},
				Inject: func(t testing.TB, store backends.Store, key string, body []byte) {
					w := client.Bucket(buckets[store]).Object(key).NewWriter(context.Background())
					_, err := w.Write(body)
					require.NoError(t, err)
					require.NoError(t, w.Close())
				},
				Address: func(_ testing.TB, store backends.Store) string { return endpoint + " " + buckets[store] },
			})
		})
	}
}

var bucketCount atomic.Int64

// newBucket makes a bucket that no other test has.
func newBucket(t testing.TB, client *storage.Client) string {
	bucket := fmt.Sprintf("lancecommit-%d-%d", time.Now().UnixNano(), bucketCount.Add(1))
	require.NoError(t, client.Bucket(bucket).Create(context.Background(), "project", nil))
	return bucket
}
