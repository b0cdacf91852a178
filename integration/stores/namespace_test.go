package stores_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

// stagedName is the name of a manifest that is staged for a version, in the form
// that Lance has.
func stagedName(version uint64, n int) string {
	return naming.Staging(naming.V2.Final(version), fmt.Sprintf("00000000-0000-4000-8000-%012d", n))
}

// stage creates a staged manifest in the table at root, and returns the request
// that makes it a version.
func stage(ctx context.Context, t *testing.T, store backends.Store, version uint64, n int, body []byte) *committer.CreateTableVersionRequest {
	t.Helper()
	key := naming.Versions(root) + stagedName(version, n)
	_, err := store.PutIfAbsent(ctx, key, body, backends.PutOptions{})
	require.NoError(t, err)
	return &committer.CreateTableVersionRequest{ID: []string{"t"}, Version: int64(version), ManifestPath: key}
}

// commitUpTo makes versions of the table at root.
func commitUpTo(ctx context.Context, t *testing.T, store backends.Store, last uint64, opts ...committer.Option) *committer.Table {
	t.Helper()
	table := committer.NewTable(store, root, opts...)
	for v := uint64(1); v <= last; v++ {
		_, err := table.Commit(ctx, v, testmanifest.New(v, "", "mine"))
		require.NoError(t, err)
	}
	return table
}

// names lists _versions/ of the table at root.
func names(ctx context.Context, t *testing.T, store backends.Store) (all []string) {
	t.Helper()
	in := backends.ListInput{Prefix: naming.Versions(root)}
	for {
		page, err := store.List(ctx, in)
		require.NoError(t, err)
		for _, object := range page.Objects {
			if name := object.Key[len(in.Prefix):]; name != naming.Hint {
				all = append(all, name)
			}
		}
		if in.Token = page.Token; in.Token == "" {
			slices.Sort(all)
			return all
		}
	}
}

// everyAnswer runs calls at once and returns what they answered.
func everyAnswer(n int, call func(i int) (*committer.CreateTableVersionResponse, error)) ([]*committer.CreateTableVersionResponse, []error) {
	responses, errs := make([]*committer.CreateTableVersionResponse, n), make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { responses[i], errs[i] = call(i) })
	}
	all.Wait()
	return responses, errs
}

func TestOf200CreatesOfAVersionOneWinsAndTheOthersKeepWhatTheyStaged(t *testing.T) {
	const requests = 200
	eachPlace(t, func(t *testing.T, at place) {
		ctx, store := withDeadline(t), at.open(t)
		commitUpTo(ctx, t, store, 1)
		reqs := make([]*committer.CreateTableVersionRequest, requests)
		for i := range reqs {
			reqs[i] = stage(ctx, t, store, 2, i, testmanifest.New(2, "", fmt.Sprintf("writer %03d", i)))
		}
		// A server that is busy with 200 requests may take longer for a look than
		// a caller usually waits, and the winner would be told unknown.
		namespace := committer.NewNamespace(store, "db", committer.WithRetry(committer.RetryPolicy{
			Grace: time.Minute, MaxElapsed: 2 * time.Minute, AttemptTimeout: time.Minute,
		}))
		_, errs := everyAnswer(requests, func(i int) (*committer.CreateTableVersionResponse, error) {
			return namespace.CreateTableVersion(ctx, reqs[i])
		})
		winner := slices.Index(errs, nil)
		require.GreaterOrEqual(t, winner, 0)
		want := []string{naming.V2.Final(1), naming.V2.Final(2)}
		for i, err := range errs {
			if i != winner {
				require.Equal(t, committer.CodeConcurrentModification, committer.Code(err), "%d: %v", i, err)
				want = append(want, stagedName(2, i))
			}
		}
		slices.Sort(want)
		require.Equal(t, want, names(ctx, t, store), "nothing of a loser is removed, and nothing of the winner is left")
		body, _, err := store.Get(ctx, naming.Versions(root)+naming.V2.Final(2))
		require.NoError(t, err)
		require.Equal(t, testmanifest.New(2, "", fmt.Sprintf("writer %03d", winner)), body)
	})
}

func TestOf200RepeatsOfOneCreateAllSucceedWithTheSameAnswer(t *testing.T) {
	const repeats = 200
	eachPlace(t, func(t *testing.T, at place) {
		ctx, store := withDeadline(t), at.open(t)
		commitUpTo(ctx, t, store, 1)
		if !store.Capabilities().Metadata {
			t.Fatal("the tests need a folder whose file system has extended attributes")
		}
		req := stage(ctx, t, store, 2, 1, testmanifest.New(2, "", "mine"))
		req.Metadata = map[string]string{"who": "me"}
		namespaces := []*committer.Namespace{committer.NewNamespace(store, "db"), committer.NewNamespace(store, "db")}
		responses, errs := everyAnswer(repeats, func(i int) (*committer.CreateTableVersionResponse, error) {
			return namespaces[i%2].CreateTableVersion(ctx, req)
		})
		for i := range responses {
			require.NoError(t, errs[i], i)
			// The time in the answer to the create is the store's clock in
			// whole seconds, that of the object may be the second before.
			require.InDelta(t, responses[0].Version.TimestampMillis, responses[i].Version.TimestampMillis, 2000)
			responses[i].Version.TimestampMillis = responses[0].Version.TimestampMillis
			require.Equal(t, responses[0], responses[i])
		}
		require.Equal(t, []string{naming.V2.Final(2), naming.V2.Final(1)}, names(ctx, t, store))
	})
}

func TestAStagedCreateOnTheWire(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		ctx := withDeadline(t)
		commitUpTo(ctx, t, w.store, 1)
		reqs := []*committer.CreateTableVersionRequest{nil, nil}
		for v := uint64(2); v <= 4; v++ {
			reqs = append(reqs, stage(ctx, t, w.store, v, 1, testmanifest.New(v, "", "mine")))
		}
		namespace := committer.NewNamespace(w.store, "db", append(w.alike(), committer.WithStaleAfter(time.Nanosecond))...)
		create := func(n *committer.Namespace, version int) []string {
			t.Helper()
			w.take()
			_, err := n.CreateTableVersion(ctx, reqs[version])
			require.NoError(t, err)
			requests := w.take()
			slices.Sort(requests)
			return requests
		}
		create(namespace, 2)
		warm := committer.NewNamespace(w.store, "db", w.alike()...)
		_, err := warm.DescribeTableVersion(ctx, &committer.DescribeTableVersionRequest{ID: []string{"t"}})
		require.NoError(t, err)
		require.Equal(t, []string{"DELETE", "GET", "PUT"}, create(warm, 3), "the end of the chain is known")

		cold := committer.NewNamespace(w.store, "db", w.alike()...)
		_, err = cold.ListTableVersions(ctx, &committer.ListTableVersionsRequest{ID: []string{"t"}})
		require.NoError(t, err)
		require.Equal(t, []string{"DELETE", "GET", "LIST", "PUT"}, create(cold, 4), "it is not")
	})
}

func TestACreateThatMustBeRefusedChangesNothing(t *testing.T) {
	valid := testmanifest.New(4, "", "mine")
	beyond := bytes.Clone(valid)
	beyond[len(beyond)-15] = 1
	for _, scheme := range []naming.Scheme{naming.V1, naming.V2} {
		t.Run(scheme.String(), func(t *testing.T) {
			eachPlace(t, func(t *testing.T, at place) {
				ctx, store := withDeadline(t), at.open(t)
				commitUpTo(ctx, t, store, 3, committer.WithScheme(scheme))
				namespace := committer.NewNamespace(store, "db")
				refused := func(req *committer.CreateTableVersionRequest, code int) {
					t.Helper()
					before := names(ctx, t, store)
					_, err := namespace.CreateTableVersion(ctx, req)
					require.Equal(t, code, committer.Code(err), err)
					require.Equal(t, before, names(ctx, t, store))
					if code != committer.CodeInvalidInput || req.Version < 1 {
						require.ErrorContains(t, err, "the latest version is 3")
					}
				}
				for i, body := range [][]byte{
					nil, valid[:len(valid)-5], append(bytes.Clone(valid[:len(valid)-1]), 'X'), beyond,
					testmanifest.New(5, "", "mine"), testmanifest.New(4, "exp", "mine"), make([]byte, 20<<20),
				} {
					refused(stage(ctx, t, store, 4, i, body), committer.CodeInvalidInput)
				}
				for i, version := range []int64{5, 3, 1, 0, -1} {
					req := stage(ctx, t, store, 4, 100+i, testmanifest.New(uint64(max(version, 1)), "", "other"))
					req.Version = version
					code := committer.CodeConcurrentModification
					if version < 1 {
						code = committer.CodeInvalidInput
					}
					refused(req, code)
				}
				for _, path := range []string{
					"db/other.lance/_versions/x", "../t.lance/_versions/x", "s3://elsewhere/db/t.lance/_versions/x", "/etc/passwd",
					"_versions/%2e%2e/%2e%2e/x", "db/t.lance/_versions/" + scheme.Final(3), "db/t.lance/_versions/" + scheme.Final(4),
				} {
					refused(&committer.CreateTableVersionRequest{ID: []string{"t"}, Version: 4, ManifestPath: path}, committer.CodeInvalidInput)
				}
			})
		})
	}
}

func TestADeletionKeepsWhatIsNeeded(t *testing.T) {
	for _, scheme := range []naming.Scheme{naming.V1, naming.V2} {
		t.Run(scheme.String(), func(t *testing.T) {
			eachPlace(t, func(t *testing.T, at place) {
				ctx, store := withDeadline(t), at.open(t)
				table := commitUpTo(ctx, t, store, 12, committer.WithScheme(scheme))
				for key, body := range map[string]string{
					root + "/_refs/tags/v1.json":            `{"branch":null,"version":2,"createdAt":"2026-01-01T00:00:00Z","manifestSize":100,"metadata":{}}`,
					root + "/_refs/branches/exp%2Fone.json": `{"parentBranch":null,"parentVersion":3,"createAt":1764000000,"manifestSize":100,"metadata":{}}`,
				} {
					_, err := store.PutIfAbsent(ctx, key, []byte(body), backends.PutOptions{})
					require.NoError(t, err)
				}
				namespace := committer.NewNamespace(store, "db")
				remove := func(ranges ...committer.VersionRange) (*committer.BatchDeleteTableVersionsResponse, error) {
					return namespace.BatchDeleteTableVersions(ctx, &committer.BatchDeleteTableVersionsRequest{ID: []string{"t"}, Ranges: ranges})
				}
				for _, bad := range []committer.VersionRange{{Start: 5, End: 2}, {Start: 5, End: 5}, {Start: 1, End: 1_000_000_000_000}, {Start: -1, End: 3}, {Start: 1, End: -2}} {
					_, err := remove(bad)
					require.Equal(t, committer.CodeInvalidInput, committer.Code(err), bad)
				}
				_, err := remove()
				require.Equal(t, committer.CodeInvalidInput, committer.Code(err))

				response, err := remove(committer.VersionRange{Start: 0, End: -1})
				require.NoError(t, err)
				require.Zero(t, response.DeletedCount, "all were the latest a moment ago")

				// Age cannot be made on a server, so force lifts the protections.
				result, err := table.DeleteVersions(ctx, []committer.VersionRange{{Start: 5, End: 9}, {Start: 7, End: 10}}, committer.DeleteOptions{Force: true})
				require.NoError(t, err)
				require.Equal(t, 5, result.Deleted)
				result, err = table.DeleteVersions(ctx, []committer.VersionRange{{Start: 5, End: -1}}, committer.DeleteOptions{Force: true})
				require.NoError(t, err)
				require.Equal(t, 2, result.Deleted, "what is gone is not counted")
				require.Equal(t, []committer.KeptVersion{{Number: 12, Reason: committer.KeptLatest}}, result.Kept)

				result, err = table.DeleteVersions(ctx, []committer.VersionRange{{Start: 2, End: 4}}, committer.DeleteOptions{})
				require.NoError(t, err)
				require.Zero(t, result.Deleted)
				require.Equal(t, []committer.KeptVersion{
					{Number: 2, Reason: committer.KeptTagged, Name: "v1"}, {Number: 3, Reason: committer.KeptForkPoint, Name: "exp/one"},
				}, result.Kept)
				latest, err := committer.NewTable(store, root).Latest(ctx)
				require.NoError(t, err)
				require.EqualValues(t, 12, latest.Number)
			})
		})
	}
}

func TestAReplayOnEveryStore(t *testing.T) {
	eachPlace(t, func(t *testing.T, at place) {
		ctx, store := withDeadline(t), at.open(t)
		commitUpTo(ctx, t, store, 1)
		body := testmanifest.New(2, "", "mine")
		req := stage(ctx, t, store, 2, 1, body)
		attrs, err := store.Head(ctx, req.ManifestPath)
		require.NoError(t, err)
		size := int64(len(body))
		req.ManifestSize, req.ETag = &size, attrs.ETag
		for _, again := range []bool{false, true, true} {
			namespace := committer.NewNamespace(store, "db")
			response, err := namespace.CreateTableVersion(ctx, req)
			require.NoError(t, err, "again: %t", again)
			require.EqualValues(t, 2, response.Version.Version)
			require.Equal(t, size, response.Version.ManifestSize)
			require.NotEmpty(t, response.Version.ETag)
			require.NotZero(t, response.Version.TimestampMillis)
		}
		stage(ctx, t, store, 2, 1, body)
		req.ETag = ""
		_, err = committer.NewNamespace(store, "db").CreateTableVersion(ctx, req)
		require.NoError(t, err, "with its staged manifest there again")
		require.Equal(t, []string{naming.V2.Final(2), naming.V2.Final(1)}, names(ctx, t, store))
	})
}

func TestListPagesOnEveryStore(t *testing.T) {
	eachPlace(t, func(t *testing.T, at place) {
		ctx, store := withDeadline(t), at.open(t)
		const versions = 60
		var all []string
		for v := uint64(1); v <= versions; v++ {
			all = append(all, naming.V2.Final(v))
		}
		for i := range 9 {
			all = append(all, stagedName(versions+1, i))
		}
		createAll(ctx, t, store, all)
		for _, limit := range []int64{1, 7, 25, 60, 1000} {
			namespace := committer.NewNamespace(store, "db")
			next, token := int64(versions), ""
			for {
				response, err := namespace.ListTableVersions(ctx, &committer.ListTableVersionsRequest{ID: []string{"t"}, Limit: &limit, PageToken: token})
				require.NoError(t, err)
				for _, v := range response.Versions {
					require.Equal(t, next, v.Version)
					next--
				}
				if token = response.PageToken; token == "" {
					break
				}
			}
			require.Zero(t, next, "limit %d", limit)
		}
	})
}

func TestLanceDBOpensAtTheVersionThatWasCreated(t *testing.T) {
	eachShared(t, func(t *testing.T, ctx context.Context, on shared) {
		latest, err := on.table.Latest(ctx)
		require.NoError(t, err)
		body, err := on.sameRows(ctx, latest)
		require.NoError(t, err)
		number := latest.Number + 1
		key := naming.Versions(on.table.Root()) + stagedName(number, 1)
		_, err = on.store.PutIfAbsent(ctx, key, body, backends.PutOptions{})
		require.NoError(t, err)
		response, err := committer.NewNamespace(on.store, "lake").CreateTableVersion(ctx, &committer.CreateTableVersionRequest{
			ID: []string{"t"}, Version: int64(number), Branch: on.table.Branch(), ManifestPath: key,
		})
		require.NoError(t, err)
		require.EqualValues(t, number, response.Version.Version)

		require.NoError(t, on.lance.CheckoutLatest(ctx))
		version, err := on.lance.Version(ctx)
		require.NoError(t, err)
		require.Equal(t, number, version)
		rows, err := on.lance.Rows(ctx)
		require.NoError(t, err)
		require.Equal(t, rowsOf(1, 2), rows)
		appended, err := on.lance.Append(ctx, rowsOf(3)...)
		require.NoError(t, err)
		require.Equal(t, number+1, appended)
	})
}

func TestWhatACleanUpRemovedIsNotMadeAgain(t *testing.T) {
	eachPlace(t, func(t *testing.T, at place) {
		ctx, store := withDeadline(t), at.open(t)
		table := commitUpTo(ctx, t, store, 2)
		namespace := committer.NewNamespace(store, "db")
		third := stage(ctx, t, store, 3, 1, testmanifest.New(3, "", "mine"))
		first, err := namespace.CreateTableVersion(ctx, third)
		require.NoError(t, err)
		result, err := table.DeleteVersions(ctx, []committer.VersionRange{{Start: 1, End: 3}}, committer.DeleteOptions{Force: true})
		require.NoError(t, err)
		require.Equal(t, 2, result.Deleted)

		again := committer.NewNamespace(store, "db")
		_, err = again.CreateTableVersion(ctx, stage(ctx, t, store, 1, 1, testmanifest.New(1, "", "mine")))
		require.Equal(t, committer.CodeConcurrentModification, committer.Code(err), err)
		require.ErrorContains(t, err, "the latest version is 3")
		replay, err := again.CreateTableVersion(ctx, third)
		require.NoError(t, err, "its predecessor is gone")
		require.Equal(t, first.Version.ManifestPath, replay.Version.ManifestPath)
		require.Equal(t, []string{naming.V2.Final(3), stagedName(1, 1)}, names(ctx, t, store))
	})
}

func TestASweepListsWhatIsStagedAboveTheEndAndNeverTakesIt(t *testing.T) {
	eachPlace(t, func(t *testing.T, at place) {
		ctx, store := withDeadline(t), at.open(t)
		table := commitUpTo(ctx, t, store, 2)
		stage(ctx, t, store, 2, 1, testmanifest.New(2, "", "left"))
		stage(ctx, t, store, 3, 1, testmanifest.New(3, "", "mine"))
		before := names(ctx, t, store)
		result, err := table.Sweep(ctx, 7*24*time.Hour, committer.SweepOptions{})
		require.NoError(t, err)
		require.Empty(t, result.Removed, "all of it is young")
		reasons := make(map[string]committer.KeepReason)
		for _, kept := range result.Kept {
			reasons[kept.Key[len(naming.Versions(root)):]] = kept.Reason
		}
		require.Equal(t, map[string]committer.KeepReason{
			stagedName(2, 1): committer.KeptTooYoung, stagedName(3, 1): committer.KeptAboveEnd,
		}, reasons)
		require.Equal(t, before, names(ctx, t, store))
	})
}
