package committer_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// list reads a page and returns the numbers in it.
func list(t *testing.T, n *committer.Namespace, limit int64, token string) (numbers []int64, next string) {
	t.Helper()
	req := &committer.ListTableVersionsRequest{ID: tableID, PageToken: token}
	if limit != 0 {
		req.Limit = &limit
	}
	response, err := n.ListTableVersions(context.Background(), req)
	require.NoError(t, err)
	for _, v := range response.Versions {
		numbers = append(numbers, v.Version)
		require.Empty(t, v.Metadata)
		require.NotZero(t, v.ManifestSize)
	}
	return numbers, response.PageToken
}

func TestListReturnsPagesNewestFirst(t *testing.T) {
	for _, scheme := range []naming.Scheme{naming.V1, naming.V2} {
		for _, unordered := range []bool{false, true} {
			for _, limit := range []int64{0, 1, 3, 11, 12, 5000} {
				t.Run(fmt.Sprintf("%s, unordered %t, limit %d", scheme, unordered, limit), func(t *testing.T) {
					store := memory.New(memory.Options{Unordered: unordered})
					// Holes, and more digits from one to the next.
					chain := []uint64{1, 2, 3, 5, 8, 9, 10, 11, 12, 99, 100, 101}
					lay(store, scheme, chain...)
					for i := range 20 {
						store.Inject(naming.Versions(root)+stagedName(102, i), nil)
					}
					namespace, _ := inNamespace(store)
					var got []int64
					token := ""
					for pages := 1; ; pages++ {
						numbers, next := list(t, namespace, limit, token)
						got = append(got, numbers...)
						if limit != 0 {
							require.LessOrEqual(t, int64(len(numbers)), limit)
						}
						if next == "" {
							break
						}
						require.NotEmpty(t, numbers, "a page with a token has versions")
						token = next
						require.Less(t, pages, 30)
					}
					want := []int64{101, 100, 99, 12, 11, 10, 9, 8, 5, 3, 2, 1}
					require.Equal(t, want, got)
				})
			}
		}
	}
}

func TestPagesOfAV1TableGoOnWhereNoNameSortsBehindTheLast(t *testing.T) {
	store := memory.New(memory.Options{})
	lay(store, naming.V1, 10, 11, 12, 100, 101)
	namespace, _ := inNamespace(store)
	first, token := list(t, namespace, 2, "")
	second, token := list(t, namespace, 2, token)
	third, end := list(t, namespace, 2, token)
	require.Equal(t, []int64{101, 100, 12, 11, 10}, append(append(first, second...), third...))
	require.Empty(t, end)
}

func TestPagesHoldWhileOthersCommit(t *testing.T) {
	for _, scheme := range []naming.Scheme{naming.V1, naming.V2} {
		t.Run(scheme.String(), func(t *testing.T) {
			store := memory.New(memory.Options{})
			lay(store, scheme, 1, 2, 3, 4, 5, 6, 7, 8, 9)
			namespace, _ := inNamespace(store)
			first, token := list(t, namespace, 4, "")
			lay(store, scheme, 10, 11, 12)
			fresh, _ := inNamespace(store)
			second, token := list(t, fresh, 4, token)
			require.NoError(t, store.Delete(t.Context(), naming.Versions(root)+scheme.Final(5)))
			third, end := list(t, namespace, 4, token)
			require.Equal(t, []int64{9, 8, 7, 6, 5, 4, 3, 2, 1}, append(append(first, second...), third...))
			require.Empty(t, end)
		})
	}
}

func TestAPageHasAtMostAThousandVersions(t *testing.T) {
	const all = 1005
	for _, scheme := range []naming.Scheme{naming.V1, naming.V2} {
		for _, unordered := range []bool{false, true} {
			for _, limit := range []int64{0, 1001, 5000, math.MaxInt64} {
				store := memory.New(memory.Options{Unordered: unordered})
				for v := uint64(1); v <= all; v++ {
					lay(store, scheme, v)
				}
				namespace, _ := inNamespace(store)
				first, token := list(t, namespace, limit, "")
				require.Len(t, first, 1000, "%s, unordered %t, limit %d", scheme, unordered, limit)
				second, end := list(t, namespace, limit, token)
				require.Len(t, second, all-1000)
				require.Empty(t, end)
			}
		}
	}
}

func TestATokenIsGoodForTheStoreThatItWasMadeFor(t *testing.T) {
	at := func(urls ...string) *committer.Namespace {
		store := memory.New(memory.Options{})
		for v := uint64(1); v <= 5; v++ {
			store.Inject("_versions/"+naming.V2.Final(v), manifestOf(v, "laid"))
		}
		return committer.NewNamespace(addressed{store, urls}, "", committer.AtTable())
	}
	first, token := list(t, at("s3://a/"), 2, "")
	require.Equal(t, []int64{5, 4}, first)
	for name, tc := range map[string]struct {
		other *committer.Namespace
		taken bool
	}{
		"the same store, opened again":                      {at("s3://a/"), true},
		"another store":                                     {at("s3://b/"), false},
		"another account with a container of the same name": {at("s3://a/", "abfss://a@two.dfs.core.windows.net/"), false},
		"one that does not know its address":                {at(), false},
	} {
		t.Run(name, func(t *testing.T) {
			limit := int64(2)
			response, err := tc.other.ListTableVersions(t.Context(), &committer.ListTableVersionsRequest{PageToken: token, Limit: &limit})
			if tc.taken {
				require.NoError(t, err)
				require.EqualValues(t, 3, response.Versions[0].Version)
				return
			}
			require.Equal(t, committer.CodeInvalidInput, committer.Code(err))
			require.ErrorContains(t, err, "page_token")
		})
	}
	_, token = list(t, at(), 2, "")
	next, _ := list(t, at(), 2, token)
	require.Equal(t, []int64{3, 2}, next, "nothing tells stores without addresses apart")
}

func TestAPageOfAV2TableCostsOneList(t *testing.T) {
	store := memory.New(memory.Options{})
	for v := uint64(1); v <= 3000; v++ {
		lay(store, naming.V2, v)
	}
	namespace, log := inNamespace(store)
	_, token := list(t, namespace, 0, "")
	log.Take()
	for _, limit := range []int64{1, 10, 0, 500} {
		_, token = list(t, namespace, limit, token)
		require.Len(t, log.Take(), 1)
	}
}

func TestAForeignPageTokenIsRefused(t *testing.T) {
	store := laid(1, 2, 3)
	registerBranch(store, "exp", 1)
	store.Inject("db/t.lance/tree/exp/_versions/"+naming.V2.Final(1), nil)
	store.Inject("db/u.lance/_versions/"+naming.V2.Final(1), nil)
	namespace, log := inNamespace(store)
	_, token := list(t, namespace, 1, "")
	require.NotEmpty(t, token)
	log.Take()
	bad := func(req committer.ListTableVersionsRequest) {
		t.Helper()
		_, err := namespace.ListTableVersions(t.Context(), &req)
		require.Equal(t, committer.CodeInvalidInput, committer.Code(err), err)
		require.ErrorContains(t, err, "page_token")
		require.Empty(t, log.Take(), "nothing is asked of the store")
	}
	bad(committer.ListTableVersionsRequest{ID: []string{"u"}, PageToken: token})
	bad(committer.ListTableVersionsRequest{ID: tableID, Branch: "exp", PageToken: token})
	for i := range token {
		damaged := token[:i] + string(token[i]^1) + token[i+1:]
		bad(committer.ListTableVersionsRequest{ID: tableID, PageToken: damaged})
	}
	for _, text := range []string{"1", "lc1.", "lc1.e30", "lc1." + strings.Repeat("A", 1000), "\x00", token + "A", token[:len(token)-1]} {
		bad(committer.ListTableVersionsRequest{ID: tableID, PageToken: text})
	}
}

func TestAnImpossibleLimitIsRefused(t *testing.T) {
	namespace, _ := inNamespace(laid(1))
	for _, limit := range []int64{0, -1} {
		_, err := namespace.ListTableVersions(t.Context(), &committer.ListTableVersionsRequest{ID: tableID, Limit: &limit})
		require.Equal(t, committer.CodeInvalidInput, committer.Code(err))
	}
}

func TestListOnABranch(t *testing.T) {
	store := laid(1, 2, 3)
	registerBranch(store, "exp/one", 3)
	for _, v := range []uint64{3, 4} {
		store.Inject("db/t.lance/tree/exp/one/_versions/"+naming.V2.Final(v), nil)
	}
	namespace, _ := inNamespace(store)
	response, err := namespace.ListTableVersions(t.Context(), &committer.ListTableVersionsRequest{ID: tableID, Branch: "exp/one"})
	require.NoError(t, err)
	require.Len(t, response.Versions, 2)
	require.Equal(t, "db/t.lance/tree/exp/one/_versions/"+naming.V2.Final(4), response.Versions[0].ManifestPath)
	_, err = namespace.ListTableVersions(t.Context(), &committer.ListTableVersionsRequest{ID: tableID, Branch: "exp"})
	require.Equal(t, committer.CodeTableBranchNotFound, committer.Code(err))
}

func TestATableThatMixesSchemesIsSaidToBe(t *testing.T) {
	store := laid(1, 2)
	lay(store, naming.V1, 3)
	namespace, _ := inNamespace(store)
	_, err := namespace.ListTableVersions(t.Context(), &committer.ListTableVersionsRequest{ID: tableID})
	require.Equal(t, committer.CodeInvalidTableState, committer.Code(err))
}
