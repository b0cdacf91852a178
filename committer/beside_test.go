package committer_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

// Each is answered only once the other has arrived, so that one after the other
// would wait until the time of a read is up.
func TestTheStagedManifestIsReadBesideTheListing(t *testing.T) {
	for _, held := range []string{"GET", "LIST"} {
		t.Run("the "+held+" waits for the other", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := laid(1, 2)
				req := stage(store, 3, "mine")
				other := make(chan struct{})
				namespace := committer.NewNamespace(intercept.Wrap(store, func(
					ctx context.Context, call intercept.Call, do func(context.Context) error,
				) error {
					isGet := call.Method == "GET" && call.Key == req.ManifestPath
					isList := call.Method == "LIST" && call.Key == naming.Versions(root)
					switch {
					case !isGet && !isList:
					case call.Method == held:
						select {
						case <-other:
						case <-ctx.Done():
							return ctx.Err()
						}
					default:
						close(other)
					}
					return do(ctx)
				}), namespaceRoot)
				began := time.Now()
				create(t, namespace, req)
				require.Zero(t, time.Since(began), "nothing was waited for in vain, and tried again")
			})
		})
	}
}

func TestAListingThatFailsEndsTheReadingBesideIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := laid(1, 2)
		req := stage(store, 3, "mine")
		var ended error
		namespace := committer.NewNamespace(intercept.Wrap(store, func(
			ctx context.Context, call intercept.Call, do func(context.Context) error,
		) error {
			switch {
			case call.Method == "GET" && call.Key == req.ManifestPath:
				<-ctx.Done()
				ended = ctx.Err()
				return ended
			case call.Method == "LIST" && call.Key == naming.Versions(root):
				return errReset
			}
			return do(ctx)
		}), namespaceRoot)
		_, err := namespace.CreateTableVersion(t.Context(), req)
		require.ErrorIs(t, err, errReset)
		require.ErrorIs(t, ended, context.Canceled, "and not because its time was up")
	})
}
