package gcs_test

import (
	"context"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/backendtest"
	"github.com/lancecommit/lancecommit/backends/gcs"
)

func TestMain(m *testing.M) {
	backendtest.Child(func(address string) (backends.Store, error) {
		endpoint, bucket, _ := strings.Cut(address, " ")
		return gcs.Open(context.Background(), bucket, gcs.Config{Endpoint: endpoint})
	})
	goleak.VerifyTestMain(m)
}
