package committer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

const someUUID = "00000000-0000-0000-0000-000000000000"

// drawVersions draws the numbers of a chain that has holes: near one another,
// of every length, and at both ends.
func drawVersions(t *rapid.T, name string, least int) []uint64 {
	number := rapid.OneOf(
		rapid.Uint64Range(1, 30),
		rapid.Uint64Range(95, 125),
		rapid.Uint64Range(1_990, 2_010),
		rapid.Uint64Range(1, naming.MaxVersion),
		rapid.SampledFrom([]uint64{1, 9, 10, 99, 100, 1_999, 2_000, naming.MaxVersion - 1, naming.MaxVersion}),
	)
	return rapid.SliceOfNDistinct(number, least, 60, rapid.ID[uint64]).Draw(t, name)
}

// drawNoise draws names that lie among the versions and are none.
func drawNoise(t *rapid.T) []string {
	digits := rapid.StringMatching(`[0-9]{1,3}`)
	noise := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string { return naming.Staging(digits.Draw(t, "staged")+".manifest", someUUID) }),
		rapid.Custom(func(t *rapid.T) string {
			return naming.Staging(naming.V2.Final(rapid.Uint64Range(1, 30).Draw(t, "staged")), someUUID)
		}),
		rapid.Custom(func(t *rapid.T) string { return naming.Detached(rapid.Uint64Min(1<<63).Draw(t, "detached")) }),
		rapid.Custom(func(t *rapid.T) string {
			return digits.Draw(t, "digits") + rapid.SampledFrom([]string{
				"", ".", "/1.manifest", "/", ".manifest.bak", ".manifest#1", ".manifest/x", "-", "#2", ":", "x.manifest", "٣.manifest",
			}).Draw(t, "tail")
		}),
		rapid.SampledFrom([]string{"", "/", ".tmp_7.manifest_x", "-1.manifest", ":", "a", "zzz", naming.Hint, "٣.manifest", "05.manifest"}),
	)
	return rapid.SliceOfN(noise, 0, 30).Draw(t, "noise")
}

// versionsOf reads all of a table.
func versionsOf(ctx context.Context, table *committer.Table) (all []committer.Version, err error) {
	for v, err := range table.Versions(ctx, committer.VersionsOptions{}) {
		if err != nil {
			return all, err
		}
		all = append(all, v)
	}
	return all, nil
}

// inAPass is for tables that are listed a page after the other.
var inAPass = committer.WithStaleAfter(0)

func TestNamesThatAreReadSideBySideGiveTheAnswerOfAPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store := memory.New(memory.Options{PageSize: rapid.IntRange(1, 7).Draw(t, "page size")})
		inject := func(name string) { store.Inject(naming.Versions(root)+name, []byte(name)) }
		v1, v2 := drawVersions(t, "V1", 0), []uint64(nil)
		for _, v := range v1 {
			inject(naming.V1.Final(v))
		}
		if rapid.IntRange(0, 4).Draw(t, "mixed") == 0 {
			v2 = drawVersions(t, "V2", 1)
			for _, v := range v2 {
				inject(naming.V2.Final(v))
			}
		}
		for _, name := range drawNoise(t) {
			inject(name)
		}

		sideBySide, pass := committer.NewTable(store, root), committer.NewTable(store, root, inAPass)
		got, err := versionsOf(t.Context(), sideBySide)
		want, wantErr := versionsOf(t.Context(), pass)
		require.Equal(t, wantErr == nil, err == nil)
		require.Equal(t, want, got)

		latest, err := sideBySide.Latest(t.Context())
		wantLatest, wantErr := pass.Latest(t.Context())
		require.Equal(t, wantErr == nil, err == nil)
		require.Equal(t, wantLatest, latest)

		if len(v1) > 0 && len(v2) > 0 {
			_, err := versionsOf(t.Context(), sideBySide)
			require.ErrorIs(t, err, committer.ErrMixedSchemes)
			return
		}
		laid := append(v1, v2...)
		slices.Sort(laid)
		slices.Reverse(laid)
		numbers := []uint64{}
		for _, v := range got {
			numbers = append(numbers, v.Number)
		}
		require.Equal(t, laid, numbers)
	})
}

func TestAVersionBehindNoiseThatItsNumberBeginsIsFound(t *testing.T) {
	// "9#1" sorts before "9.manifest", which sorts before "90.manifest".
	for version := uint64(1); version <= 30; version++ {
		store := memory.New(memory.Options{PageSize: 2})
		for v := uint64(1); v <= 30; v++ {
			lay(store, naming.V1, v)
		}
		for i := range 10 {
			store.Inject(fmt.Sprintf("%s%d#%d", naming.Versions(root), version, i), nil)
		}
		all, err := versionsOf(t.Context(), committer.NewTable(store, root))
		require.NoError(t, err)
		require.Len(t, all, 30, "noise before %d", version)
	}
}

func TestAVersionThatStaysIsFoundWhateverLandsAndGoesMeanwhile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.Uint64Range(1, 130).Draw(t, "end")
		store := memory.New(memory.Options{PageSize: rapid.IntRange(1, 5).Draw(t, "page size")})
		for v := uint64(1); v <= end; v++ {
			lay(store, naming.V1, v)
		}
		// What happens as the n-th request arrives: a version lands, or an old one
		// goes.
		events := rapid.SliceOfN(rapid.Uint64Range(0, end), 0, 40).Draw(t, "events")
		var mu sync.Mutex
		landed := end
		table := committer.NewTable(intercept.Wrap(store, func(
			ctx context.Context, _ intercept.Call, do func(context.Context) error,
		) error {
			mu.Lock()
			if len(events) > 0 {
				switch event := events[0]; event {
				case 0, end:
					landed++
					lay(store, naming.V1, landed)
				default:
					_ = store.Delete(ctx, naming.Versions(root)+naming.V1.Final(event))
				}
				events = events[1:]
			}
			mu.Unlock()
			return do(ctx)
		}), root)
		latest, err := table.Latest(t.Context())
		require.NoError(t, err)
		require.GreaterOrEqual(t, latest.Number, end)
		require.LessOrEqual(t, latest.Number, landed)
	})
}

func TestATableWhoseNewestVersionsAreRemovedIsListedInAPass(t *testing.T) {
	// As the n-th request arrives, a version lands, and a clean-up leaves no other.
	for n := int32(1); n <= 12; n++ {
		synctest.Test(t, func(t *testing.T) {
			store := memory.New(memory.Options{PageSize: 2})
			lay(store, naming.V1, 15, 16, 17, 18, 19)
			var lists atomic.Int32
			table := committer.NewTable(intercept.Wrap(store, func(
				ctx context.Context, call intercept.Call, do func(context.Context) error,
			) error {
				if call.Key == naming.Versions(root)+"1" {
					// Side by side, the names with 2 can be read before these.
					time.Sleep(time.Second)
				}
				if lists.Add(1) == n {
					lay(store, naming.V1, 20)
					for v := uint64(15); v < 20; v++ {
						_ = store.Delete(ctx, naming.Versions(root)+naming.V1.Final(v))
					}
				}
				return do(ctx)
			}), root, committer.WithStaleAfter(0))
			latest, err := table.Latest(t.Context())
			require.NoError(t, err, "at request %d", n)
			require.GreaterOrEqual(t, latest.Number, uint64(19), "at request %d", n)
		})
	}
}

func TestAV2NameAnywhereInAV1TableIsFound(t *testing.T) {
	for _, version := range []uint64{0, 1, 1_000_000, 1 << 62, 1<<63 - 5_000_000_000_000_000_000, naming.MaxVersion - 1, naming.MaxVersion} {
		store := memory.New(memory.Options{PageSize: 10})
		for v := uint64(1); v <= 300; v++ {
			lay(store, naming.V1, v)
		}
		v2 := naming.Versions(root) + naming.V2.Final(version)
		store.Inject(v2, nil)
		for _, opts := range [][]committer.Option{nil, {inAPass}} {
			_, err := versionsOf(t.Context(), committer.NewTable(store, root, opts...))
			var mixed *committer.MixedSchemesError
			require.ErrorAs(t, err, &mixed, naming.V2.Final(version))
			require.Equal(t, v2, mixed.V2)
		}
	}
}

// chainOf returns a store with a long chain. The names are laid in their order,
// which is much faster.
func chainOf(scheme naming.Scheme, versions uint64) *memory.Store {
	names := make([]string, 0, versions)
	for v := uint64(1); v <= versions; v++ {
		names = append(names, scheme.Final(v))
	}
	slices.Sort(names)
	store := memory.New(memory.Options{})
	for _, name := range names {
		store.Inject(naming.Versions(root)+name, nil)
	}
	return store
}

func TestRequestsOfLatestByTheLengthOfTheChain(t *testing.T) {
	for _, tc := range []struct {
		scheme   naming.Scheme
		versions uint64
		// most are the requests at most, or all of them where pass is set.
		most int
		pass bool
	}{
		{naming.V2, 100_000, 1, false},
		{naming.V1, 8, 1, false},
		{naming.V1, 900, 2, false},
		{naming.V1, 1_000, 2, false},
		{naming.V1, 1_008, 2, false},
		{naming.V1, 5_000, 20, false},
		{naming.V1, 10_000, 19, false},
		{naming.V1, 19_999, 45, false},
		{naming.V1, 100_000, 110, false},
		{naming.V1, 10_000, 11, true},
	} {
		t.Run(fmt.Sprintf("%s, %d versions, in a pass: %t", tc.scheme, tc.versions, tc.pass), func(t *testing.T) {
			var opts []committer.Option
			if tc.pass {
				opts = append(opts, inAPass)
			}
			table, log := counted(chainOf(tc.scheme, tc.versions), opts...)
			latest, err := table.Latest(t.Context())
			require.NoError(t, err)
			require.Equal(t, tc.versions, latest.Number)
			lists := log.Take()
			require.LessOrEqual(t, len(lists), tc.most)
			t.Log(len(lists), "requests")
			if tc.pass {
				require.Len(t, lists, tc.most)
				require.False(t, slices.ContainsFunc(lists, func(l string) bool { return !strings.HasPrefix(l, "LIST _versions ") }))
			}
		})
	}
}

func TestTheRestOfAV1TableIsListedByDigits(t *testing.T) {
	digits := func(of ...string) (lists []string) {
		for _, prefix := range of {
			lists = append(lists, "LIST "+prefix+" 1000")
		}
		return lists
	}
	// The first full page ends at 1899.manifest.
	table, log := counted(chainOf(naming.V1, 10_000))
	_, err := table.Latest(t.Context())
	require.NoError(t, err)
	lists := log.Take()
	require.Equal(t, []string{listFirst, listMore}, lists[:2])
	require.ElementsMatch(t, digits("1", "2", "3", "4", "5", "6", "7", "8", "9"), lists[2:11])
	require.ElementsMatch(t, digits("2", "3", "4", "5", "6", "7", "8", "9"), lists[11:], "the rest of each")

	// A clean-up left 150,000 and up, where one digit would have them all.
	store := memory.New(memory.Options{})
	for v := uint64(150_000); v < 160_000; v++ {
		store.Inject(naming.Versions(root)+naming.V1.Final(v), nil)
	}
	table, log = counted(store)
	_, err = table.Latest(t.Context())
	require.NoError(t, err)
	lists = log.Take()
	require.Subset(t, lists, digits("153", "154", "155", "156", "157", "158", "159"), "cut again, and again")
	require.Less(t, len(lists), 40)
}

func TestSoManyListsAreUnderWayAsTheStoreAnswersInTime(t *testing.T) {
	chain := chainOf(naming.V1, 10_000)
	for _, tc := range []struct {
		page time.Duration
		most int
	}{
		{100 * time.Millisecond, 10}, {time.Second, 10}, {3 * time.Second, 5}, {5 * time.Second, 3}, {10 * time.Second, 1}, {20 * time.Second, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			now, most, lists := 0, 0, 0
			// Names of nine digits are left, and a page of each is read in a round.
			table := committer.NewTable(intercept.Wrap(chain, func(
				ctx context.Context, _ intercept.Call, do func(context.Context) error,
			) error {
				mu.Lock()
				now++
				lists++
				most = max(most, now)
				mu.Unlock()
				time.Sleep(tc.page)
				mu.Lock()
				now--
				mu.Unlock()
				return do(ctx)
			}), root)
			latest, err := table.Latest(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 10_000, latest.Number)
			require.Equal(t, min(tc.most, 9), most, "at %v a page", tc.page)
			if tc.most == 1 {
				require.Equal(t, 11, lists, "a pass")
			}
		})
	}
}

func TestTheFirstErrorEndsTheRequestsBesideIt(t *testing.T) {
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		end  func(cancel context.CancelFunc) error
		want error
	}{
		"an error of the store":  {func(context.CancelFunc) error { return broken }, broken},
		"the end of the context": {func(cancel context.CancelFunc) error { cancel(); return nil }, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var ended atomic.Int32
				table := committer.NewTable(intercept.Wrap(chainOf(naming.V1, 3_000), func(
					ctx context.Context, call intercept.Call, do func(context.Context) error,
				) error {
					switch call.Key {
					case naming.Versions(root):
						return do(ctx)
					case naming.Versions(root) + "5":
						synctest.Wait()
						if err := tc.end(cancel); err != nil {
							return err
						}
					}
					<-ctx.Done()
					ended.Add(1)
					return ctx.Err()
				}), root)
				began := time.Now()
				_, err := versionsOf(ctx, table)
				require.ErrorIs(t, err, tc.want)
				require.GreaterOrEqual(t, ended.Load(), int32(8), "none is under way any more")
				require.Zero(t, time.Since(began))
			})
		})
	}
}
