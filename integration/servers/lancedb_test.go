package servers

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/integration/lancedb"
)

func TestLanceDBMakesATableAndAppendsToItThroughAProxy(t *testing.T) {
	for _, kind := range []Kind{MinIO, VersityGW, Azurite} {
		t.Run(string(kind), func(t *testing.T) {
			db := lancedb.Start(t)
			s := Require(t, kind)
			p := StartProxy(t, s.Endpoint)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()

			bucket := s.Bucket(t)
			at := lancedb.Location{URI: s.URI(bucket) + "/db", Table: "t", StorageOptions: s.At(p.Endpoint).StorageOptions()}
			table, err := db.Create(ctx, at, "V2", lancedb.Row{ID: 1, Text: "one"})
			require.NoError(t, err)
			version, err := table.Append(ctx, lancedb.Row{ID: 2, Text: "two"})
			require.NoError(t, err)
			require.EqualValues(t, 2, version)

			at.StorageOptions = s.StorageOptions()
			table, err = db.Open(ctx, at, lancedb.OpenOptions{})
			require.NoError(t, err)
			rows, err := table.Rows(ctx)
			require.NoError(t, err)
			require.Equal(t, []lancedb.Row{{ID: 1, Text: "one"}, {ID: 2, Text: "two"}}, rows)

			var created []string
			for _, request := range p.Requests() {
				if strings.Contains(request.Path, "/t.lance/_versions/") && request.Header.Get("If-None-Match") == "*" {
					created = append(created, request.Operation())
				}
			}
			require.Equal(t, []string{"PUT", "PUT"}, created, "a version is one conditional PUT")
		})
	}
}
