package committer_test

import (
	"context"
	"crypto/md5"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

// The namespace of these tests is "db", its table ["t"] is at root.
const namespaceRoot = "db"

var tableID = []string{"t"}

// inNamespace returns the namespace in a store, and the log of its requests.
func inNamespace(store backends.Store, opts ...committer.Option) (*committer.Namespace, *intercept.Log) {
	log := new(intercept.Log)
	return committer.NewNamespace(intercept.Wrap(store, log.Around), namespaceRoot, opts...), log
}

// stagedName is the name of a manifest that is staged for a version, in the form
// that Lance has.
func stagedName(version uint64, n int) string {
	return naming.Staging(naming.V2.Final(version), fmt.Sprintf("00000000-0000-4000-8000-%012d", n))
}

// stage lays a staged manifest for main and returns the request that creates it.
func stage(store *memory.Store, version uint64, note string) *committer.CreateTableVersionRequest {
	return stageAs(store, root, "", version, note)
}

// stageAs lays a staged manifest for a branch of the table at a root.
func stageAs(store *memory.Store, table, branch string, version uint64, note string) *committer.CreateTableVersionRequest {
	key := naming.Versions(naming.BranchRoot(table, branch)) + stagedName(version, 1)
	store.Inject(key, testmanifest.New(version, branch, note))
	return &committer.CreateTableVersionRequest{ID: tableID, Version: int64(version), Branch: branch, ManifestPath: key}
}

// registerBranch writes the ref of a branch as LanceDB does.
func registerBranch(store *memory.Store, branch string, parentVersion uint64) {
	store.Inject(naming.BranchRefs(root, branch)[0], fmt.Appendf(nil,
		`{"parentBranch":null,"identifier":{},"parentVersion":%d,"createAt":1764000000,"manifestSize":600,"metadata":{}}`, parentVersion))
}

// stagedLeft lists the staged manifests of main.
func stagedLeft(t *testing.T, store backends.Store) []string {
	t.Helper()
	var left []string
	for _, name := range keys(t, store) {
		if naming.Parse(name).Kind == naming.StagingManifest {
			left = append(left, name)
		}
	}
	return left
}

// create calls CreateTableVersion and requires success.
func create(t *testing.T, n *committer.Namespace, req *committer.CreateTableVersionRequest) *committer.CreateTableVersionResponse {
	t.Helper()
	response, err := n.CreateTableVersion(context.Background(), req)
	require.NoError(t, err)
	return response
}

func md5Of(content []byte) [md5.Size]byte { return md5.Sum(content) }

// onPut returns a store whose every PUT meets the next step.
func onPut(store backends.Store, next func() step) backends.Store {
	return intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
		if call.Method == "PUT" {
			return next()(ctx, do)
		}
		return do(ctx)
	})
}

func TestANamespaceWithoutAStoreSaysSo(t *testing.T) {
	n := committer.NewNamespace(nil, root)
	_, err := n.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{ID: []string{"t"}})
	require.ErrorIs(t, err, committer.ErrInvalid)
	require.NotContains(t, err.Error(), "catalog")
	require.ErrorContains(t, err, "there is no store")
}
