package fault_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/backendtest"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/internal/fault"
)

func TestAStoreWithoutFaultsKeepsTheContract(t *testing.T) {
	backendtest.Run(t, backendtest.Config{
		New: func(testing.TB) backends.Store {
			return fault.New(parse(t, "")).Store(memory.New(memory.Options{}))
		},
	})
}

func TestFaultsOfACreate(t *testing.T) {
	for _, tc := range []struct {
		script string
		// there is whether the object is there when the call returns, later
		// whether it is in the end.
		there, later bool
		want         error
		definite     bool
		status       int
		wait         time.Duration
	}{
		{script: "", there: true, later: true},
		{script: "PUT=before", status: http.StatusInternalServerError},
		{script: "PUT=after", there: true, later: true},
		{script: "PUT=late:3s", later: true},
		{script: "PUT=duplicate", there: true, later: true, want: backends.ErrExists, definite: true},
		{script: "PUT=contended", want: backends.ErrContended, definite: true, status: http.StatusConflict},
		{
			script: "PUT=throttled:2s", want: backends.ErrThrottled, definite: true,
			status: http.StatusTooManyRequests, wait: 2 * time.Second,
		},
		{script: "PUT=stall", want: context.DeadlineExceeded},
		{script: "PUT=denied", want: backends.ErrPermission, definite: true, status: http.StatusForbidden},
	} {
		t.Run(tc.script, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := memory.New(memory.Options{})
				injector := fault.New(parse(t, tc.script))
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				body := []byte("body")
				attrs, err := injector.Store(inner).PutIfAbsent(ctx, "k", body, backends.PutOptions{Metadata: "m"})
				copy(body, "used")
				require.Equal(t, tc.there, is(t, inner, "k"))
				if tc.script == "" {
					require.NoError(t, err)
					require.NotEmpty(t, attrs.ETag)
				} else {
					require.Error(t, err)
					require.Empty(t, attrs)
					var answer *backends.Error
					require.ErrorAs(t, err, &answer)
					require.Equal(t, tc.definite, backends.IsDefinite(err))
					require.Equal(t, tc.status, answer.Status)
					require.Equal(t, tc.wait, answer.RetryAfter)
					require.Equal(t, "put", answer.Op)
				}
				if tc.want != nil {
					require.ErrorIs(t, err, tc.want)
				}
				cancel()
				injector.Wait()
				require.Equal(t, tc.later, is(t, inner, "k"))
				if tc.later {
					content, attrs, err := inner.Get(t.Context(), "k")
					require.NoError(t, err)
					require.Equal(t, "body", string(content), "the caller's bytes are not kept")
					require.Equal(t, "m", attrs.Metadata)
				}
			})
		})
	}
}

func is(t *testing.T, store backends.Store, key string) bool {
	t.Helper()
	_, err := store.Head(t.Context(), key)
	if err != nil {
		require.ErrorIs(t, err, backends.ErrNotExist)
	}
	return err == nil
}

func TestFaultsOfReads(t *testing.T) {
	for _, tc := range []struct {
		script string
		want   error
	}{
		{"GET=before HEAD=before LIST=before", nil},
		{"GET=denied HEAD=denied LIST=denied", backends.ErrPermission},
		{"GET=throttled:1s HEAD=throttled:1s LIST=throttled:1s", backends.ErrThrottled},
		{"GET=stall HEAD=stall LIST=stall", context.DeadlineExceeded},
	} {
		synctest.Test(t, func(t *testing.T) {
			store := fault.New(parse(t, tc.script)).Store(laid("k"))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, _, get := store.Get(ctx, "k")
			_, head := store.Head(ctx, "k")
			_, list := store.List(ctx, backends.ListInput{})
			for _, err := range []error{get, head, list} {
				require.Error(t, err)
				require.NotErrorIs(t, err, backends.ErrNotExist)
				if tc.want != nil {
					require.ErrorIs(t, err, tc.want)
				}
			}
			require.True(t, is(t, store, "k"), "the next one goes through")
		})
	}
}

func TestFaultsOfOtherWrites(t *testing.T) {
	for _, tc := range []struct {
		script      string
		there, late bool
	}{
		{"DELETE=before", true, true},
		{"DELETE=after", false, false},
		{"DELETE=late:3s", true, false},
		{"OVERWRITE=before", true, true},
		{"BULKDELETE=after", false, false},
	} {
		t.Run(tc.script, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := laid("k")
				injector := fault.New(parse(t, tc.script))
				store := injector.Store(inner)
				switch tc.script[0] {
				case 'D':
					require.Error(t, store.Delete(t.Context(), "k"))
				case 'B':
					require.Error(t, store.(backends.BulkDeleter).BulkDelete(t.Context(), []string{"k"}))
				default:
					require.Error(t, store.(backends.Overwriter).Overwrite(t.Context(), "k", []byte("new")))
				}
				require.Equal(t, tc.there, is(t, inner, "k"))
				injector.Wait()
				require.Equal(t, tc.late, is(t, inner, "k"))
			})
		})
	}
}

func laid(keys ...string) *memory.Store {
	store := memory.New(memory.Options{})
	for _, key := range keys {
		store.Inject(key, []byte(key))
	}
	return store
}

func listed(t *testing.T, store backends.Store, in backends.ListInput) (keys []string, pages int) {
	t.Helper()
	for {
		page, err := store.List(t.Context(), in)
		require.NoError(t, err)
		pages++
		for _, object := range page.Objects {
			keys = append(keys, object.Key)
		}
		if page.Token == "" {
			return keys, pages
		}
		in.Token = page.Token
	}
}

func TestAStaleListingIsTheOneBefore(t *testing.T) {
	inner := laid("a", "b")
	store := fault.New(parse(t, "LIST=1,stale,1,stale")).Store(inner)
	for _, want := range []string{"ab", "ab", "abc", "abc"} {
		keys, _ := listed(t, store, backends.ListInput{})
		got := ""
		for _, key := range keys {
			got += key
		}
		require.Equal(t, want, got)
		inner.Inject("c", nil)
	}
}

func TestShortPagesLeaveNothingOut(t *testing.T) {
	store := fault.New(parse(t, "LIST=short:1,short:0,short:0,short:2,short:0")).Store(laid("a", "b", "c", "d", "e"))
	keys, pages := listed(t, store, backends.ListInput{StartAfter: "a"})
	require.Equal(t, []string{"b", "c", "d", "e"}, keys)
	require.Equal(t, 6, pages)

	store = fault.New(parse(t, "LIST=short:0")).Store(laid("a", "b"))
	keys, pages = listed(t, store, backends.ListInput{StartAfter: "a"})
	require.Equal(t, []string{"b"}, keys, "an empty first page does not forget where to start")
	require.Equal(t, 2, pages)
}

func TestOnlyAStoreWithoutOrderIsShuffled(t *testing.T) {
	keys := []string{"a", "b", "c", "d", "e", "f"}
	ordered, _ := listed(t, fault.New(parse(t, "LIST=shuffled")).Store(laid(keys...)), backends.ListInput{})
	require.Equal(t, keys, ordered)

	inner := memory.New(memory.Options{Unordered: true})
	for _, key := range keys {
		inner.Inject(key, nil)
	}
	store := fault.New(parse(t, "LIST=1,shuffled")).Store(inner)
	before, _ := listed(t, store, backends.ListInput{})
	after, _ := listed(t, store, backends.ListInput{})
	require.ElementsMatch(t, before, after)
	require.False(t, slices.Equal(before, after))
}

func TestALateRequestIsMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		marks := make(chan bool, 2)
		injector := fault.New(parse(t, "PUT=1,late:1s"))
		store := injector.Store(marking{laid(), marks})
		_, err := store.PutIfAbsent(t.Context(), "a", nil, backends.PutOptions{})
		require.NoError(t, err)
		_, err = store.PutIfAbsent(t.Context(), "b", nil, backends.PutOptions{})
		require.Error(t, err)
		injector.Wait()
		require.Equal(t, []bool{false, true}, []bool{<-marks, <-marks})
	})
}

type marking struct {
	backends.Store
	marks chan bool
}

func (m marking) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	m.marks <- fault.IsLate(ctx)
	return m.Store.PutIfAbsent(ctx, key, body, opts)
}
