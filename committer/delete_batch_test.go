package committer_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

func TestRequestsOfADelete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kind{}.settled(upTo(5000)...)
		table, log := counted(store)
		got, err := table.DeleteVersions(t.Context(), []committer.VersionRange{{Start: 4000, End: 4100}}, committer.DeleteOptions{})
		require.NoError(t, err)
		require.Equal(t, 100, got.Deleted)
		require.Equal(t, []string{
			"LIST _versions 1000", "LIST _versions 1000", "LIST tags 0", "LIST branches 0", "BULKDELETE 100",
		}, log.Take(), "the listing ends below the lowest start")

		got, err = table.DeleteVersions(t.Context(), []committer.VersionRange{{Start: 0, End: 2500}}, committer.DeleteOptions{Force: true})
		require.NoError(t, err)
		require.Equal(t, 2499, got.Deleted)
		require.Equal(t, []string{
			"LIST _versions 1000", "LIST _versions 1000", "LIST _versions 1000", "LIST _versions 1000", "LIST _versions 1000",
			"BULKDELETE 1000", "BULKDELETE 1000", "BULKDELETE 499",
		}, log.Take(), "force reads no tags and branches")
	})
}

func TestTheOldestVersionsGoFirstAndProgressIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kind{}.settled(upTo(12)...)
		var batches [][]string
		table := committer.NewTable(intercept.Wrap(inBatches{store, 4}, func(
			ctx context.Context, call intercept.Call, do func(context.Context) error,
		) error {
			if call.Method == "BULKDELETE" {
				batches = append(batches, call.Keys)
			}
			return do(ctx)
		}), root)
		var progress [][2]int
		_, err := table.DeleteVersions(t.Context(), everything, committer.DeleteOptions{
			Progress: func(done, total int) { progress = append(progress, [2]int{done, total}) },
		})
		require.NoError(t, err)
		require.Equal(t, [][2]int{{4, 11}, {8, 11}, {11, 11}}, progress)
		require.Len(t, batches, 3)
		require.Equal(t, kind{}.versions()+naming.V2.Final(1), batches[0][0])
		require.Equal(t, kind{}.versions()+naming.V2.Final(11), batches[2][2])
	})
}

func TestATagThatIsMadeDuringTheDeleteIsHonouredByTheNextBatch(t *testing.T) {
	for _, tc := range []struct {
		key    string
		ref    []byte
		reason committer.KeepReason
		name   string
	}{
		{tags + "v9.json", tagOf("null", 9), committer.KeptTagged, "v9"},
		{branches + "b.json", forkOf("null", 9), committer.KeptForkPoint, "b"},
	} {
		for _, bulk := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				inner := kind{}.settled(upTo(250)...)
				var store backends.Store = inBatches{inner, 4}
				if !bulk {
					store = single{inner}
				}
				var once sync.Once
				var progress [][2]int
				table := committer.NewTable(intercept.Wrap(store, func(
					ctx context.Context, call intercept.Call, do func(context.Context) error,
				) error {
					if strings.HasSuffix(call.Method, "DELETE") {
						once.Do(func() { inner.Inject(tc.key, tc.ref) })
					}
					return do(ctx)
				}), root)
				version := uint64(9)
				if !bulk {
					version = 200
					tc.ref = []byte(strings.ReplaceAll(string(tc.ref), "ersion\":9,", "ersion\":200,"))
				}
				got, err := table.DeleteVersions(t.Context(), everything, committer.DeleteOptions{
					Progress: func(done, total int) { progress = append(progress, [2]int{done, total}) },
				})
				require.NoError(t, err)
				require.Equal(t, committer.DeleteResult{Deleted: 248, Kept: []committer.KeptVersion{
					{Number: version, Reason: tc.reason, Name: tc.name}, {Number: 250, Reason: committer.KeptLatest},
				}}, got)
				require.Equal(t, []uint64{version, 250}, kind{}.left(t, inner))
				require.Equal(t, [2]int{248, 248}, progress[len(progress)-1])
			})
		}
	}
}

func TestARefThatBreaksDuringTheDeleteStopsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kind{}.settled(upTo(9)...)
		table := committer.NewTable(intercept.Wrap(inBatches{store, 4}, func(
			ctx context.Context, call intercept.Call, do func(context.Context) error,
		) error {
			if call.Method == "BULKDELETE" {
				store.Inject(tags+"v1.json", []byte("{"))
			}
			return do(ctx)
		}), root)
		got, err := table.DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
		require.ErrorIs(t, err, committer.ErrBadRef)
		require.ErrorContains(t, err, "4 of 8 versions were deleted")
		require.Equal(t, 4, got.Deleted)
		require.Equal(t, []uint64{5, 6, 7, 8, 9}, kind{}.left(t, store))
	})
}

func TestAStoreWithoutBulkDeletesGetsSingleOnes(t *testing.T) {
	refused := fmt.Errorf("%w: no such request", backends.ErrUnsupported)
	for name, bulk := range map[string]bool{"it has no such method": false, "it refuses the request": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := kind{}.settled(upTo(150)...)
				var store backends.Store = single{inner}
				if bulk {
					store = inBatches{inner, 50}
				}
				var mu sync.Mutex
				count, now, most := make(map[string]int), 0, 0
				table := committer.NewTable(intercept.Wrap(store, func(
					ctx context.Context, call intercept.Call, do func(context.Context) error,
				) error {
					mu.Lock()
					count[call.Method]++
					now++
					most = max(most, now)
					mu.Unlock()
					defer func() { mu.Lock(); now--; mu.Unlock() }()
					time.Sleep(time.Millisecond)
					if call.Method == "BULKDELETE" {
						return refused
					}
					return do(ctx)
				}), root)
				got, err := table.DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
				require.NoError(t, err)
				require.Equal(t, 149, got.Deleted)
				require.Equal(t, []uint64{150}, kind{}.left(t, inner))
				require.Equal(t, 149, count["DELETE"])
				require.Equal(t, 8, most, "requests side by side")
				if bulk {
					require.Equal(t, 1, count["BULKDELETE"], "it is asked once")
				}
			})
		})
	}
}

func TestWhatTheStoreRefusesToDeleteIsToldWithTheCount(t *testing.T) {
	denied := func(key string) *backends.Error {
		return &backends.Error{Op: "delete", Key: key, Code: "AccessDenied", Err: backends.ErrPermission}
	}
	for _, tc := range []struct {
		name  string
		store func(*memory.Store) backends.Store
		// fails is the answer to the delete of version 6.
		fails   func(store *memory.Store, call intercept.Call) error
		deleted int
		left    []uint64
	}{
		{
			"some of a batch", func(s *memory.Store) backends.Store { return inBatches{s, 4} },
			func(store *memory.Store, call intercept.Call) error {
				_ = store.BulkDelete(context.Background(), []string{call.Keys[0], call.Keys[2], call.Keys[3]})
				return &backends.PartialDeleteError{Failed: []*backends.Error{denied(call.Keys[1])}}
			}, 7, []uint64{6, 9, 10, 11, 12},
		},
		{
			"a whole batch", func(s *memory.Store) backends.Store { return inBatches{s, 4} },
			func(_ *memory.Store, call intercept.Call) error { return denied(call.Keys[0]) }, 4, []uint64{5, 6, 7, 8, 9, 10, 11, 12},
		},
		{
			"one by one", func(s *memory.Store) backends.Store { return single{s} },
			func(_ *memory.Store, call intercept.Call) error { return denied(call.Key) }, 10, []uint64{6, 12},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := kind{}.settled(upTo(12)...)
				six := kind{}.versions() + naming.V2.Final(6)
				table := committer.NewTable(intercept.Wrap(tc.store(store), func(
					ctx context.Context, call intercept.Call, do func(context.Context) error,
				) error {
					if call.Method == "DELETE" && call.Key != six {
						// So that all but the sixth have begun when it fails.
						return do(ctx)
					}
					if call.Key == six || slices.Contains(call.Keys, six) {
						time.Sleep(time.Second)
						return tc.fails(store, call)
					}
					return do(ctx)
				}), root)
				got, err := table.DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
				require.ErrorIs(t, err, backends.ErrPermission)
				require.ErrorContains(t, err, fmt.Sprintf("%d of 11 versions were deleted", tc.deleted))
				require.Equal(t, tc.deleted, got.Deleted)
				require.Equal(t, tc.left, kind{}.left(t, store))
				require.Equal(t, []committer.KeptVersion{{Number: 12, Reason: committer.KeptLatest}}, got.Kept)

				got, err = kind{}.table(store).DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
				require.NoError(t, err, "called again")
				require.Equal(t, len(tc.left)-1, got.Deleted)
			})
		})
	}
}

func TestADeleteEndsWithItsContextAndLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kind{}.settled(upTo(300)...)
		ctx, cancel := context.WithCancel(t.Context())
		got, err := kind{}.table(single{store}).DeleteVersions(ctx, everything, committer.DeleteOptions{
			Progress: func(int, int) { cancel() },
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 100, got.Deleted, "the first batch")
		require.Len(t, kind{}.left(t, store), 200)
	})
}

// repeating is a store without an order that lists names twice.
type repeating struct{ backends.Store }

func (s repeating) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	page, err := s.Store.List(ctx, in)
	page.Objects = append(page.Objects, page.Objects...)
	return page, err
}

func TestAVersionThatIsListedTwiceIsDeletedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		unordered := kind{opts: memory.Options{Unordered: true}}
		store := unordered.settled(1, 2, 3)
		var last [2]int
		got, err := committer.NewTable(repeating{store}, root).DeleteVersions(t.Context(), everything, committer.DeleteOptions{
			Progress: func(done, total int) { last = [2]int{done, total} },
		})
		require.NoError(t, err)
		require.Equal(t, 2, got.Deleted)
		require.Equal(t, [2]int{2, 2}, last)
		require.Equal(t, []uint64{3}, unordered.left(t, store))
	})
}
