package committer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

const week = 7 * 24 * time.Hour

// staged is the name of a manifest that is staged for a version.
func (k kind) staged(version uint64, n int) string {
	return naming.Staging(k.final(version), fmt.Sprintf("6e0c1c1e-0000-0000-0000-%012d", n))
}

// ofLance is the name of a temporary manifest of Lance on disk.
func (k kind) ofLance(version uint64) string {
	return ".tmp_" + k.final(version) + "_6e0c1c1e-0000-0000-0000-000000000000"
}

// names returns the last parts of the keys of objects, in order.
func names(k kind, objects []committer.SweptObject) (names []string) {
	for _, object := range objects {
		names = append(names, object.Key[len(k.versions()):])
	}
	slices.Sort(names)
	return names
}

// keptBy returns the names of the objects that were kept for a reason, in order.
func keptBy(k kind, result committer.SweepResult, reason committer.KeepReason) []string {
	var kept []committer.SweptObject
	for _, object := range result.Kept {
		if object.Reason == reason {
			kept = append(kept, object.SweptObject)
		}
	}
	return names(k, kept)
}

// all lists what is in the table's _versions/.
func (k kind) all(t *testing.T, store backends.Store) (all []string) {
	t.Helper()
	in := backends.ListInput{Prefix: k.versions()}
	for {
		page, err := store.List(context.Background(), in)
		require.NoError(t, err)
		for _, object := range page.Objects {
			all = append(all, object.Key[len(in.Prefix):])
		}
		if in.Token = page.Token; in.Token == "" {
			slices.Sort(all)
			return all
		}
	}
}

func sorted(names ...string) []string {
	slices.Sort(names)
	return names
}

func TestASweepTakesOldLeftoversOfVersionsThatAreCommitted(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		store := k.settled(3, 4, 5, 6)
		inject := func(names ...string) {
			for _, name := range names {
				store.Inject(k.versions()+name, []byte("leftover"))
			}
		}
		old := []string{k.staged(1, 1), k.staged(4, 1), k.staged(6, 1), k.staged(6, 2), k.ofLance(5), file.TempPrefix + "ABC"}
		above := []string{k.staged(7, 1), k.staged(1000, 1), k.ofLance(7)}
		others := []string{
			k.final(9) + ".bak", ".tmp_other", ".tmp_" + k.final(2), ".tmp_" + k.final(2) + "_x", k.final(2) + "#1",
			".tmp_7_6e0c1c1e-0000-0000-0000-000000000000", k.final(2) + "-x", naming.Hint, "d9223372036854775809.manifest",
			k.staged(2, 1) + ".x", "x.manifest-6e0c1c1e-0000-0000-0000-000000000000", "sub/" + k.staged(2, 1),
		}
		inject(old...)
		inject(above...)
		inject(others...)
		time.Sleep(week)
		young := []string{k.staged(6, 3), file.TempPrefix + "DEF"}
		inject(young...)
		time.Sleep(time.Nanosecond)
		before := k.all(t, store)

		for _, dry := range []bool{true, false} {
			got, err := k.table(store).Sweep(t.Context(), week, committer.SweepOptions{DryRun: dry})
			require.NoError(t, err)
			require.Equal(t, sorted(old...), names(k, got.Removed))
			require.EqualValues(t, 8*len(old), got.Bytes)
			require.Equal(t, sorted(above...), keptBy(k, got, committer.KeptAboveEnd))
			require.Equal(t, sorted(young...), keptBy(k, got, committer.KeptTooYoung))
			require.Len(t, got.Kept, len(above)+len(young))
			if dry {
				require.Equal(t, before, k.all(t, store), "a dry run deletes nothing")
			}
		}
		want := slices.DeleteFunc(before, func(name string) bool { return slices.Contains(old, name) })
		require.Equal(t, want, k.all(t, store))
		_, err := store.Head(t.Context(), k.versions()+"sub/"+k.staged(2, 1))
		require.NoError(t, err)
	})
}

func TestWhatASweepTellsOfAnObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kind{}.settled(1, 2)
		written := time.Now()
		store.Inject(kind{}.versions()+kind{}.staged(2, 1), []byte("12345"))
		store.Inject(kind{}.versions()+kind{}.staged(9, 1), []byte("1"))
		store.Inject(kind{}.versions()+file.TempPrefix+"X", nil)
		time.Sleep(30 * 24 * time.Hour)
		got, err := kind{}.table(store).Sweep(t.Context(), week, committer.SweepOptions{})
		require.NoError(t, err)
		object := func(name string, version uint64, size int64) committer.SweptObject {
			return committer.SweptObject{Key: kind{}.versions() + name, Version: version, Size: size, Modified: written.Round(0)}
		}
		require.ElementsMatch(t, []committer.SweptObject{object(kind{}.staged(2, 1), 2, 5), object(file.TempPrefix+"X", 0, 0)}, got.Removed)
		require.EqualValues(t, 5, got.Bytes)
		require.Equal(t, []committer.KeptObject{{SweptObject: object(kind{}.staged(9, 1), 9, 1), Reason: committer.KeptAboveEnd}}, got.Kept)
	})
}

func TestAnObjectIsSweptWhenItIsOlderThanAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, age := range []time.Duration{week, 30 * 24 * time.Hour} {
			store := kind{}.settled(1, 2)
			store.Inject(kind{}.versions()+kind{}.staged(2, 1), nil)
			time.Sleep(age)
			got, err := kind{}.table(store).Sweep(t.Context(), age, committer.SweepOptions{})
			require.NoError(t, err)
			require.Empty(t, got.Removed, "just as old is not older")
			time.Sleep(time.Nanosecond)
			got, err = kind{}.table(store).Sweep(t.Context(), age, committer.SweepOptions{})
			require.NoError(t, err)
			require.Len(t, got.Removed, 1)
		}
	})
}

func TestWhatIsYoungerThanAWeekCannotBeAskedFor(t *testing.T) {
	table, log := counted(laid(1))
	for _, age := range []time.Duration{week - 1, 0, -week} {
		_, err := table.Sweep(t.Context(), age, committer.SweepOptions{})
		require.ErrorIs(t, err, committer.ErrInvalid)
		require.ErrorContains(t, err, age.String())
		require.ErrorContains(t, err, "168h0m0s")
	}
	require.Empty(t, log.Take())
}

func TestAgesInASweepAreByTheClockOfTheStore(t *testing.T) {
	for _, ahead := range []time.Duration{365 * 24 * time.Hour, -365 * 24 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			store := kind{}.settled(1, 2)
			store.Inject(kind{}.versions()+kind{}.staged(2, 1), nil)
			time.Sleep(2 * week)
			store.Inject(kind{}.versions()+kind{}.staged(2, 2), nil)
			got, err := kind{}.table(ticking{store, ahead, false}).Sweep(t.Context(), week, committer.SweepOptions{})
			require.NoError(t, err)
			require.Equal(t, []string{kind{}.staged(2, 1)}, names(kind{}, got.Removed))
		})
	}
}

func TestWhereTheStoreTellsNoTimeTheNewestObjectStandsForIt(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		store := k.settled(3, 4)
		store.Inject(k.versions()+k.staged(4, 1), nil)
		time.Sleep(100 * week)
		before := k.all(t, store)
		sweep := func() committer.SweepResult {
			got, err := k.table(ticking{store, 0, true}).Sweep(t.Context(), week, committer.SweepOptions{})
			require.NoError(t, err)
			return got
		}
		got := sweep()
		require.Empty(t, got.Removed)
		require.Equal(t, []string{k.staged(4, 1)}, keptBy(k, got, committer.KeptTooYoung))
		require.Equal(t, before, k.all(t, store))

		k.lay(store, 5)
		require.Len(t, sweep().Removed, 1, "the new version shows that the leftover is old")
	})
}

func TestASweepOfATableThatCannotBeToldTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mixed := kind{}.settled(1, 2)
		kind{scheme: naming.V1}.lay(mixed, 1)
		mixed.Inject(kind{}.versions()+kind{}.staged(1, 1), nil)
		time.Sleep(2 * week)
		before := kind{}.all(t, mixed)
		_, err := kind{}.table(mixed).Sweep(t.Context(), week, committer.SweepOptions{})
		require.ErrorIs(t, err, committer.ErrMixedSchemes)
		require.Equal(t, before, kind{}.all(t, mixed))

		_, err = kind{}.table(memory.New(memory.Options{})).Sweep(t.Context(), week, committer.SweepOptions{})
		require.ErrorIs(t, err, committer.ErrTableNotFound)

		zombie := memory.New(memory.Options{})
		kind{branch: branch}.lay(zombie, 3, 4)
		_, err = kind{branch: branch}.table(zombie).Sweep(t.Context(), week, committer.SweepOptions{})
		require.ErrorIs(t, err, committer.ErrBranchNotFound)

		table, _ := refusing(kind{}.settled(1), "LIST", backends.ErrPermission)
		_, err = table.Sweep(t.Context(), week, committer.SweepOptions{})
		require.ErrorIs(t, err, backends.ErrPermission)
	})
}

func TestInATableWithoutVersionsAllStagedManifestsAreAboveTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(memory.Options{})
		store.Inject(kind{}.versions()+kind{}.staged(1, 1), nil)
		store.Inject(kind{}.versions()+file.TempPrefix+"X", nil)
		time.Sleep(2 * week)
		got, err := kind{}.table(store).Sweep(t.Context(), week, committer.SweepOptions{})
		require.NoError(t, err)
		require.Equal(t, []string{kind{}.staged(1, 1)}, keptBy(kind{}, got, committer.KeptAboveEnd))
		require.Equal(t, []string{file.TempPrefix + "X"}, names(kind{}, got.Removed), "it has no version")
	})
}

func TestRequestsAndProgressOfASweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kind{opts: memory.Options{PageSize: 10}}.settled(upTo(14)...)
		for n := range 11 {
			store.Inject(kind{}.versions()+kind{}.staged(14, n), nil)
		}
		time.Sleep(2 * week)
		table, log := counted(inBatches{store, 4})
		var progress [][2]int
		got, err := table.Sweep(t.Context(), week, committer.SweepOptions{
			Progress: func(done, total int) { progress = append(progress, [2]int{done, total}) },
		})
		require.NoError(t, err)
		require.Len(t, got.Removed, 11)
		require.Equal(t, [][2]int{{4, 11}, {8, 11}, {11, 11}}, progress)
		require.Equal(t, []string{listAll, listAll, listAll, "BULKDELETE 4", "BULKDELETE 4", "BULKDELETE 3"}, log.Take())
		require.Equal(t, upTo(14), kind{}.left(t, store))
	})
}

func TestWhatTheStoreRefusesToSweepIsToldWithTheCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, wrap := range map[string]func(*memory.Store) backends.Store{
			"in bulk": func(s *memory.Store) backends.Store { return s }, "one by one": func(s *memory.Store) backends.Store { return single{s} },
		} {
			store := kind{}.settled(1, 2)
			for n := range 5 {
				store.Inject(kind{}.versions()+kind{}.staged(2, n), []byte("12"))
			}
			time.Sleep(2 * week)
			refused := kind{}.versions() + kind{}.staged(2, 3)
			failure := &backends.Error{Op: "delete", Key: refused, Err: backends.ErrPermission}
			table := committer.NewTable(intercept.Wrap(wrap(store), func(
				ctx context.Context, call intercept.Call, do func(context.Context) error,
			) error {
				switch {
				case call.Method == "DELETE" && call.Key == refused:
					time.Sleep(time.Second)
					return failure
				case call.Method == "BULKDELETE":
					rest := slices.DeleteFunc(slices.Clone(call.Keys), func(key string) bool { return key == refused })
					require.NoError(t, store.BulkDelete(ctx, rest))
					return &backends.PartialDeleteError{Failed: []*backends.Error{failure}}
				}
				return do(ctx)
			}), root)
			got, err := table.Sweep(t.Context(), week, committer.SweepOptions{})
			require.ErrorIs(t, err, backends.ErrPermission, name)
			require.ErrorContains(t, err, "4 of 5 leftovers were deleted")
			require.Len(t, got.Removed, 4)
			require.EqualValues(t, 8, got.Bytes)
			require.NotContains(t, names(kind{}, got.Removed), kind{}.staged(2, 3))
		}
	})
}

func TestASweepOfADiskGoesByTheTimesOfTheFiles(t *testing.T) {
	dir := t.TempDir()
	store, err := file.Open(dir)
	require.NoError(t, err)
	defer store.Close()
	table := committer.NewTable(store, root)
	for v := uint64(1); v <= 2; v++ {
		_, err := table.Commit(t.Context(), v, manifestOf(v, "mine"))
		require.NoError(t, err)
	}
	lay := func(name string, age time.Duration) {
		path := filepath.Join(dir, kind{}.versions()+name)
		require.NoError(t, os.WriteFile(path, []byte("half"), 0o666))
		written := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(path, written, written))
	}
	// What a killed process leaves, old and new, and what is no leftover.
	lay(file.TempPrefix+"OLD", 8*24*time.Hour)
	lay(file.TempPrefix+"NEW", time.Hour)
	lay(kind{}.ofLance(2), 8*24*time.Hour)
	lay(kind{}.staged(2, 1), 8*24*time.Hour)
	lay(kind{}.staged(3, 1), 8*24*time.Hour)
	lay(naming.V2.Final(1)+"#1", 8*24*time.Hour)
	lay(".tmp_other", 8*24*time.Hour)

	got, err := table.Sweep(t.Context(), week, committer.SweepOptions{})
	require.NoError(t, err)
	require.Equal(t, sorted(file.TempPrefix+"OLD", kind{}.ofLance(2), kind{}.staged(2, 1)), names(kind{}, got.Removed))
	require.Equal(t, []string{kind{}.staged(3, 1)}, keptBy(kind{}, got, committer.KeptAboveEnd))
	require.Equal(t, []string{file.TempPrefix + "NEW"}, keptBy(kind{}, got, committer.KeptTooYoung))
	require.Equal(t, sorted(naming.V2.Final(1), naming.V2.Final(2), naming.Hint, file.TempPrefix+"NEW", kind{}.staged(3, 1),
		naming.V2.Final(1)+"#1", ".tmp_other"), kind{}.all(t, store))
}
