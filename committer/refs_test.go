package committer_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

// tagOf and forkOf are what Lance writes. The branch is JSON: null or a text in
// quotes.
func tagOf(branch string, version uint64) []byte {
	return fmt.Appendf(nil, `{"branch":%s,"version":%d,"createdAt":"2026-11-29T12:00:00Z","updatedAt":"2026-11-29T12:00:00Z",`+
		`"manifestSize":300,"metadata":{}}`, branch, version)
}

func forkOf(parent string, version uint64) []byte {
	return fmt.Appendf(nil, `{"parentBranch":%s,"parentVersion":%d,"createAt":1764400000,"manifestSize":300,`+
		`"identifier":{"version_mapping":[[%d,"6e0c1c1e"]]},"metadata":{}}`, parent, version, version)
}

const (
	tags     = root + "/_refs/tags/"
	branches = root + "/_refs/branches/"
)

func TestTagsAndForksProtectTheVersionsOfTheirBranch(t *testing.T) {
	for _, tc := range []struct {
		name   string
		key    string
		ref    []byte
		on     string // the branch that is cleaned up
		reason committer.KeepReason
		says   string // the name in the result, "" where the version is free
	}{
		{"a tag of main", tags + "v1.json", tagOf("null", 5), "", committer.KeptTagged, "v1"},
		{"a tag of main that spells it out", tags + "v1.json", tagOf(`"main"`, 5), "", committer.KeptTagged, "v1"},
		{"a tag from before there were branches", tags + "v1.json", []byte(`{"version":5,"manifestSize":9}`), "", committer.KeptTagged, "v1"},
		{"a tag with an escaped name", tags + "%C3%A4.json", tagOf("null", 5), "", committer.KeptTagged, "ä"},
		{"a tag of a branch", tags + "v1.json", tagOf(`"exp/one"`, 5), branch, committer.KeptTagged, "v1"},
		{"a tag of a branch, for main", tags + "v1.json", tagOf(`"exp/one"`, 5), "", 0, ""},
		{"a tag of main, for a branch", tags + "v1.json", tagOf("null", 5), branch, 0, ""},
		{"a tag of another branch, for a branch", tags + "v1.json", tagOf(`"exp"`, 5), branch, 0, ""},
		{"a tag of a detached version", tags + "v1.json", tagOf("null", 1<<63+5), "", 0, ""},
		{"a fork of main", branches + "b.json", forkOf("null", 5), "", committer.KeptForkPoint, "b"},
		{"a fork of main that spells it out", branches + "b.json", forkOf(`"main"`, 5), "", committer.KeptForkPoint, "b"},
		{"a fork whose name has an escaped slash", branches + "a%2Fb.json", forkOf("null", 5), "", committer.KeptForkPoint, "a/b"},
		{"a fork whose name has slashes", branches + "a/b/c.json", forkOf("null", 5), "", committer.KeptForkPoint, "a/b/c"},
		{"a fork of a branch", branches + "b.json", forkOf(`"exp/one"`, 5), branch, committer.KeptForkPoint, "b"},
		{"a fork of a branch, for main", branches + "b.json", forkOf(`"exp/one"`, 5), "", 0, ""},
		{"a fork of main, for a branch", branches + "b.json", forkOf("null", 5), branch, 0, ""},
		{"a file beside the tags", tags + "v1.json#1", []byte("{"), "", 0, ""},
		{"a temporary file beside the branches", branches + ".tmp_lancecommit_X", []byte("{"), "", 0, ""},
		{"refs of a table in a table", root + "/tree/b/_refs/tags/v1.json", tagOf("null", 5), "", 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, opts := range []memory.Options{{}, {Unordered: true}, {PageSize: 1}} {
					k := kind{branch: tc.on, opts: opts}
					store := k.settled(3, 4, 5, 6, 7)
					store.Inject(tc.key, tc.ref)
					got, err := k.table(store).DeleteVersions(t.Context(), []committer.VersionRange{{Start: 4, End: 7}}, committer.DeleteOptions{})
					require.NoError(t, err)
					if tc.says == "" {
						require.Equal(t, committer.DeleteResult{Deleted: 3}, got)
						require.Equal(t, []uint64{3, 7}, k.left(t, store))
						continue
					}
					require.Equal(t, committer.DeleteResult{
						Deleted: 2, Kept: []committer.KeptVersion{{Number: 5, Reason: tc.reason, Name: tc.says}},
					}, got)
					require.Equal(t, []uint64{3, 5, 7}, k.left(t, store))
				}
			})
		})
	}
}

func TestOfSeveralNamesTheFirstIsGivenAndTagsComeBeforeBranches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kind{}.settled(1, 2, 3, 4)
		store.Inject(tags+"b.json", tagOf("null", 2))
		store.Inject(tags+"a.json", tagOf("null", 2))
		store.Inject(branches+"A.json", forkOf("null", 2))
		store.Inject(branches+"z.json", forkOf("null", 3))
		store.Inject(branches+"y.json", forkOf("null", 3))
		got, err := kind{}.table(store).DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
		require.NoError(t, err)
		require.Equal(t, []committer.KeptVersion{
			{Number: 2, Reason: committer.KeptTagged, Name: "a"},
			{Number: 3, Reason: committer.KeptForkPoint, Name: "y"},
			{Number: 4, Reason: committer.KeptLatest},
		}, got.Kept)
	})
}

func TestARefThatMakesNoSenseStopsTheDelete(t *testing.T) {
	for _, key := range []string{tags + "v1.json", branches + "b.json", branches + "a/b.json"} {
		for _, content := range []string{
			"", "{", "null", "[]", `"v1"`, "{}", `{"version":"5","parentVersion":"5"}`, `{"version":-5,"parentVersion":-5}`,
			`{"version":0,"parentVersion":0}`, `{"version":5.5,"parentVersion":5.5}`, `{"version":null,"parentVersion":null}`,
			`{"branch":7,"version":5,"parentBranch":7,"parentVersion":5}`, `{"version":5,"parentVersion":5}trailing`,
			"\xef\xbb\xbf" + `{"version":5,"parentVersion":5}`, "\x00\x01",
		} {
			synctest.Test(t, func(t *testing.T) {
				store := kind{}.settled(1, 2, 3)
				store.Inject(key, []byte(content))
				got, err := kind{}.table(store).DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
				require.ErrorIs(t, err, committer.ErrBadRef, content)
				require.ErrorContains(t, err, key)
				require.ErrorContains(t, err, "nothing was deleted")
				require.Zero(t, got)
				require.Equal(t, []uint64{1, 2, 3}, kind{}.left(t, store))
			})
		}
	}
}

func TestARefThatCannotBeReadStopsTheDelete(t *testing.T) {
	for _, cause := range []error{backends.ErrPermission, backends.ErrThrottled, errReset} {
		for _, failing := range []intercept.Call{
			{Method: "GET", Key: tags + "v1.json"}, {Method: "LIST", Key: tags}, {Method: "LIST", Key: branches},
			{Method: "LIST", Key: branches + "a/"},
		} {
			synctest.Test(t, func(t *testing.T) {
				store := kind{}.settled(1, 2, 3)
				store.Inject(tags+"v1.json", tagOf("null", 2))
				store.Inject(branches+"a/b.json", forkOf("null", 2))
				table := committer.NewTable(intercept.Wrap(store, func(
					ctx context.Context, call intercept.Call, do func(context.Context) error,
				) error {
					if call.Method == failing.Method && call.Key == failing.Key {
						return &backends.Error{Op: "read", Key: call.Key, Err: cause}
					}
					return do(ctx)
				}), root)
				got, err := table.DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
				require.ErrorIs(t, err, cause)
				require.ErrorContains(t, err, failing.Key)
				require.Zero(t, got)
				require.Equal(t, []uint64{1, 2, 3}, kind{}.left(t, store))
			})
		}
	}
}

func TestARefThatVanishesBetweenItsListingAndItsReadingIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kind{}.settled(1, 2, 3)
		store.Inject(tags+"v1.json", tagOf("null", 1))
		store.Inject(tags+"v2.json", tagOf("null", 2))
		table := committer.NewTable(intercept.Wrap(store, func(
			ctx context.Context, call intercept.Call, do func(context.Context) error,
		) error {
			if call.Method == "GET" && call.Key == tags+"v1.json" {
				require.NoError(t, store.Delete(ctx, call.Key))
			}
			return do(ctx)
		}), root)
		got, err := table.DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
		require.NoError(t, err)
		require.Equal(t, 1, got.Deleted)
		require.Equal(t, []uint64{2, 3}, kind{}.left(t, store))
	})
}

func TestFoldersOfRefsAreListedWithinABound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kind{}.settled(1, 2, 3)
		for i := range 1000 {
			store.Inject(fmt.Sprintf("%sd%04d/x.txt", branches, i), nil)
		}
		_, err := kind{}.table(store).DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
		require.ErrorIs(t, err, committer.ErrBadRef)
		require.Equal(t, []uint64{1, 2, 3}, kind{}.left(t, store))
	})
}

func TestARefIsReadAgainOnlyWhenItChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kind{}.settled(1, 2, 3, 4, 5, 6)
		store.Inject(tags+"still.json", tagOf("null", 6))
		store.Inject(tags+"moves.json", tagOf("null", 6))
		log := new(intercept.Log)
		batch := 0
		table := committer.NewTable(intercept.Wrap(inBatches{store, 2}, func(
			ctx context.Context, call intercept.Call, do func(context.Context) error,
		) error {
			if call.Method == "BULKDELETE" {
				if batch++; batch == 1 {
					store.Inject(tags+"moves.json", tagOf("null", 3))
				}
			}
			return log.Around(ctx, call, do)
		}), root)
		got, err := table.DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
		require.NoError(t, err)
		require.Equal(t, committer.DeleteResult{Deleted: 4, Kept: []committer.KeptVersion{
			{Number: 3, Reason: committer.KeptTagged, Name: "moves"}, {Number: 6, Reason: committer.KeptLatest},
		}}, got)
		calls := log.Take()
		require.ElementsMatch(t, []string{
			"LIST _versions 1000", "LIST tags 0", "LIST branches 0", "GET still.json", "GET moves.json", "BULKDELETE 2",
			"LIST tags 0", "LIST branches 0", "GET moves.json", "BULKDELETE 1",
			"LIST tags 0", "LIST branches 0", "BULKDELETE 1",
		}, calls)
	})
}
