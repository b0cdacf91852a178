package committer_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

// deleting returns a namespace whose deletes meet around.
func deleting(store backends.Store, around intercept.Around) *committer.Namespace {
	return committer.NewNamespace(intercept.Wrap(store, func(
		ctx context.Context, call intercept.Call, do func(context.Context) error,
	) error {
		if strings.HasSuffix(call.Method, "DELETE") {
			return around(ctx, call, do)
		}
		return do(ctx)
	}), namespaceRoot)
}

// deleteAll asks for all versions of the table.
func deleteAll(t *testing.T, n *committer.Namespace) (*committer.BatchDeleteTableVersionsResponse, error) {
	t.Helper()
	return n.BatchDeleteTableVersions(context.Background(), &committer.BatchDeleteTableVersionsRequest{ID: tableID, Ranges: everything})
}

// requireUnfinished requires the answer to a delete of which not all is known.
func requireUnfinished(t *testing.T, err error, deleted, unproven, total int) {
	t.Helper()
	require.ErrorIs(t, err, committer.ErrUnfinishedDelete)
	var unfinished *committer.UnfinishedDeleteError
	require.ErrorAs(t, err, &unfinished)
	require.Equal(t, []int{deleted, unproven, total}, []int{unfinished.Deleted, unfinished.Unproven, unfinished.Total})
	require.ErrorContains(t, err, fmt.Sprintf("at least %d of %d versions were deleted", deleted, total))
	require.Equal(t, committer.CodeInternal, committer.Code(err))
	require.Equal(t, http.StatusInternalServerError, committer.HTTPStatus(err))
	body := committer.ErrorResponse(err, "")
	require.Contains(t, body.Detail, "what is gone is not counted")
	require.NotContains(t, body.Detail, "Nothing was")
	require.NotContains(t, body.Detail, "Keep all files")
}

func TestADeleteWhoseRepliesAreLostIsNeverSaidToHaveDoneNothing(t *testing.T) {
	for name, reply := range map[string]error{
		"503":               &backends.Error{Op: "delete", Status: http.StatusServiceUnavailable, Code: "SlowDown", Err: errReset},
		"500":               &backends.Error{Op: "delete", Status: http.StatusInternalServerError, Err: errReset},
		"429":               &backends.Error{Op: "delete", Status: http.StatusTooManyRequests, Err: backends.ErrThrottled},
		"a reset":           errReset,
		"a deadline":        context.DeadlineExceeded,
		"a cancellation":    context.Canceled,
		"not made to last":  backends.ErrNotDurable,
		"nothing was kept":  backends.NotStored(errReset),
		"another exclusion": backends.ErrContended,
	} {
		for _, bulk := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, bulk %t", name, bulk), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					inner := kind{}.settled(upTo(2)...)
					store := backends.Store(single{inner})
					if bulk {
						store = inBatches{inner, 4}
					}
					lost := deleting(store, func(ctx context.Context, _ intercept.Call, do func(context.Context) error) error {
						require.NoError(t, do(ctx))
						return reply
					})
					response, err := deleteAll(t, lost)
					requireUnfinished(t, err, 0, 1, 1)
					require.ErrorIs(t, err, reply)
					require.Equal(t, []uint64{2}, kind{}.left(t, inner), "it took effect")
					require.Equal(t, &committer.BatchDeleteTableVersionsResponse{
						Context: map[string]string{committer.ContextKept: "2 latest"},
					}, response)

					response, err = deleteAll(t, committer.NewNamespace(store, namespaceRoot))
					require.NoError(t, err, "sent again")
					require.Zero(t, response.DeletedCount, "what is gone is not counted")
				})
			})
		}
	}
}

func TestADeleteThatIsRefusedAsAWholeDidNothingAndSaysSo(t *testing.T) {
	for code, refusal := range map[int]error{
		committer.CodePermissionDenied: backends.ErrPermission, committer.CodeUnauthenticated: backends.ErrUnauthenticated,
		committer.CodeNamespaceNotFound: backends.ErrNoBucket, committer.CodeInvalidInput: backends.ErrInvalid,
		committer.CodeUnsupported: backends.ErrUnsupported,
	} {
		for _, bulk := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				inner := kind{}.settled(upTo(5)...)
				store := backends.Store(single{inner})
				if bulk {
					store = inBatches{inner, 4}
				}
				refusing := deleting(store, func(_ context.Context, call intercept.Call, _ func(context.Context) error) error {
					if call.Method == "BULKDELETE" && code == committer.CodePermissionDenied {
						var failed []*backends.Error
						for _, key := range call.Keys {
							failed = append(failed, &backends.Error{Op: "delete", Key: key, Err: refusal})
						}
						return &backends.PartialDeleteError{Failed: failed}
					}
					return refusal
				})
				response, err := deleteAll(t, refusing)
				require.Nil(t, response)
				require.NotErrorIs(t, err, committer.ErrUnfinishedDelete)
				require.ErrorIs(t, err, refusal)
				require.ErrorContains(t, err, "nothing was deleted: ")
				require.Equal(t, code, committer.Code(err))
				require.Equal(t, upTo(5), kind{}.left(t, inner))
			})
		}
	}
}

func TestAPartialDeleteKeepsItsResponse(t *testing.T) {
	denied := func(key string) *backends.Error {
		return &backends.Error{Op: "delete", Key: key, Code: "AccessDenied", Err: backends.ErrPermission}
	}
	broken := func(key string) *backends.Error {
		return &backends.Error{Op: "delete", Key: key, Status: 500, Code: "InternalError", Err: errReset}
	}
	for _, tc := range []struct {
		name              string
		second            func(key string) *backends.Error // of the first batch
		batches           int                              // that are carried out
		deleted, unproven int
	}{
		{"one of the first batch is refused", denied, 1, 3, 0},
		{"of one of the first batch the outcome is not known", broken, 1, 3, 1},
		{"the second batch is refused", nil, 1, 4, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := kind{}.settled(upTo(9)...)
				store.Inject(tags+"v3.json", tagOf("null", 3))
				batch := 0
				namespace := deleting(inBatches{store, 4}, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
					if batch++; batch > tc.batches {
						return denied(call.Keys[0])
					}
					if tc.second == nil {
						return do(ctx)
					}
					require.NoError(t, store.BulkDelete(ctx, slices.Concat(call.Keys[:1], call.Keys[2:])))
					return &backends.PartialDeleteError{Failed: []*backends.Error{tc.second(call.Keys[1])}}
				})
				response, err := deleteAll(t, namespace)
				requireUnfinished(t, err, tc.deleted, tc.unproven, 7)
				require.Equal(t, &committer.BatchDeleteTableVersionsResponse{
					DeletedCount: int64(tc.deleted), Context: map[string]string{committer.ContextKept: "3 tagged v3; 9 latest"},
				}, response)
			})
		})
	}
}

func TestADeleteThatEndsBeforeItsFirstRequestDidNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kind{}.settled(upTo(5)...)
		store.Inject(tags+"v1.json", []byte("{"))
		response, err := deleteAll(t, committer.NewNamespace(store, namespaceRoot))
		require.Nil(t, response)
		require.ErrorIs(t, err, committer.ErrBadRef)
		require.NotErrorIs(t, err, committer.ErrUnfinishedDelete)
		require.ErrorContains(t, err, "nothing was deleted: ")

		_, err = deleteAll(t, committer.NewNamespace(failing(kind{}.settled(upTo(5)...), "LIST", backends.ErrThrottled), namespaceRoot))
		require.Equal(t, committer.CodeThrottling, committer.Code(err))
	})
}

func TestOnlyAsManyVersionsAreNamedAsKeptAsCanBeRead(t *testing.T) {
	for kept, more := range map[uint64]string{100: "", 101: "; and 1 more", 250: "; and 150 more"} {
		store := memory.New(memory.Options{}) // all are too young
		kind{}.lay(store, upTo(kept)...)
		response, err := deleteAll(t, committer.NewNamespace(store, namespaceRoot))
		require.NoError(t, err)
		require.Zero(t, response.DeletedCount)
		text, hasMore := strings.CutSuffix(response.Context[committer.ContextKept], more)
		require.True(t, hasMore, text)
		named := strings.Split(text, "; ")
		require.Len(t, named, 100)
		require.Equal(t, "1 too young", named[0])
		require.Equal(t, "100 "+map[bool]string{true: "latest", false: "too young"}[kept == 100], named[99])
	}
}

func TestEveryRangeThatMakesNoSenseIsNamed(t *testing.T) {
	store := laid(1, 2)
	request := committer.BatchDeleteTableVersionsRequest{ID: tableID, Ranges: []committer.VersionRange{
		{Start: 1, End: 2}, {Start: 5, End: 5}, {Start: -1, End: -2}, {Start: 2, End: -1}, {Start: 3, End: 1},
	}}
	const ranges = `ranges[1].end_version: the range 5 to 5: it is empty, since the end is not part of it; to delete the one version 5, end at 6; ` +
		`ranges[2].start_version: the range -1 to -2: a range starts at 0 or above; ` +
		`ranges[2].end_version: the range -1 to -2: the end is a version, or -1 for all through the latest; ` +
		`ranges[4].end_version: the range 3 to 1: it is empty, since the end is not part of it; to delete the one version 3, end at 4`
	const failed = "batch delete table versions: invalid request: "
	for _, tc := range []struct {
		name   string
		change func(*committer.BatchDeleteTableVersionsRequest)
		want   string
	}{
		{"beside nothing else", func(*committer.BatchDeleteTableVersionsRequest) {}, failed + ranges + "; the latest version is 2"},
		{
			"beside a malformed branch", func(r *committer.BatchDeleteTableVersionsRequest) { r.Branch = "a..b" },
			failed + `branch: BRANCH; ` + ranges,
		},
		{
			"beside a malformed id", func(r *committer.BatchDeleteTableVersionsRequest) { r.ID = []string{""} },
			failed + `id: a part of it is empty; ` + ranges,
		},
		{
			"beside an id of a child namespace", func(r *committer.BatchDeleteTableVersionsRequest) { r.ID = []string{"a", "b"} },
			failed + `id: not supported: ["a" "b"] is a table of a child namespace, whose folder only the catalog knows; use the table's own location; ` + ranges,
		},
		{
			"none", func(r *committer.BatchDeleteTableVersionsRequest) { r.Ranges = nil },
			failed + "ranges: there are no ranges of versions to delete; for all that may go, ask for the range 0 to -1; the latest version is 2",
		},
		{
			"too many versions", func(r *committer.BatchDeleteTableVersionsRequest) {
				r.Ranges = []committer.VersionRange{{Start: 0, End: 600_000}, {Start: 700_000, End: 1_200_000}}
			},
			failed + "ranges: the ranges have 1100000 versions, more than 1000000; delete them in parts; the latest version is 2",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			req := request
			tc.change(&req)
			response, err := committer.NewNamespace(store, namespaceRoot).BatchDeleteTableVersions(t.Context(), &req)
			require.Nil(t, response)
			want := strings.ReplaceAll(tc.want, "BRANCH", fmt.Sprint(naming.CheckBranch("a..b")))
			require.EqualError(t, err, want)
			require.Equal(t, committer.CodeInvalidInput, committer.Code(err))
		})
	}
	_, err := kind{}.table(store).DeleteVersions(t.Context(), request.Ranges, committer.DeleteOptions{})
	require.ErrorIs(t, err, committer.ErrInvalid)
	for _, says := range []string{"the range 5 to 5", "the range -1 to -2: a range starts", "the range -1 to -2: the end", "the range 3 to 1", "the latest version is 2"} {
		require.ErrorContains(t, err, says)
	}
}
