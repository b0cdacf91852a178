package committer_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

func TestAVersionThatWasTheLatestLessThanAnHourAgoStays(t *testing.T) {
	young := func(number uint64) committer.KeptVersion {
		return committer.KeptVersion{Number: number, Reason: committer.KeptTooYoung}
	}
	eachKind(t, func(t *testing.T, k kind) {
		store := k.settled(1, 2, 3, 5)
		k.lay(store, 8, 9)
		// The successor of 3 is old, though it is beyond the range and 4 is a
		// hole. That of 5 is young.
		got, err := k.table(store).DeleteVersions(t.Context(), []committer.VersionRange{{Start: 1, End: 4}}, committer.DeleteOptions{DryRun: true})
		require.NoError(t, err)
		require.Equal(t, committer.DeleteResult{Deleted: 3}, got)
		got, err = k.table(store).DeleteVersions(t.Context(), []committer.VersionRange{{Start: 5, End: 7}, {Start: 2, End: 3}}, committer.DeleteOptions{DryRun: true})
		require.NoError(t, err)
		require.Equal(t, committer.DeleteResult{Deleted: 1, Kept: []committer.KeptVersion{young(5)}}, got)

		got, err = k.table(store).DeleteVersions(t.Context(), []committer.VersionRange{{Start: 1, End: 9}}, committer.DeleteOptions{})
		require.NoError(t, err)
		require.Equal(t, committer.DeleteResult{Deleted: 3, Kept: []committer.KeptVersion{young(5), young(8)}}, got)
		require.Equal(t, []uint64{5, 8, 9}, k.left(t, store))

		time.Sleep(time.Hour - time.Nanosecond)
		got, err = k.table(store).DeleteVersions(t.Context(), []committer.VersionRange{{Start: 1, End: 9}}, committer.DeleteOptions{})
		require.NoError(t, err)
		require.Zero(t, got.Deleted)
		time.Sleep(time.Nanosecond)
		got, err = k.table(store).DeleteVersions(t.Context(), []committer.VersionRange{{Start: 1, End: 9}}, committer.DeleteOptions{})
		require.NoError(t, err)
		require.Equal(t, committer.DeleteResult{Deleted: 2}, got)
	})
}

func TestTheAgeOfAVersionIsByTheClockOfTheStore(t *testing.T) {
	for _, ahead := range []time.Duration{0, 24 * time.Hour, -24 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			store := kind{}.settled(1, 2)
			kind{}.lay(store, 3)
			got, err := kind{}.table(ticking{store, ahead, false}).DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
			require.NoError(t, err)
			require.Equal(t, 1, got.Deleted, "version 1, whose successor is two hours old")
			require.Equal(t, []uint64{2, 3}, kind{}.left(t, store))
		})
	}
}

func TestAStoreThatTellsNoTimeIsAsLateAsItsNewestObject(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		store := k.settled(1, 2, 3)
		got, err := k.table(ticking{store, 0, true}).DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
		require.NoError(t, err)
		require.Zero(t, got.Deleted, "nothing shows that time has passed")

		k.lay(store, 4)
		got, err = k.table(ticking{store, 0, true}).DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
		require.NoError(t, err)
		require.Equal(t, committer.DeleteResult{Deleted: 2, Kept: []committer.KeptVersion{
			{Number: 3, Reason: committer.KeptTooYoung}, {Number: 4, Reason: committer.KeptLatest},
		}}, got)
	})
}

// A listing of many pages is answered by many servers, whose clocks differ.
func TestTheStoreIsAsLateAsItsSlowestClockTold(t *testing.T) {
	for _, told := range [][]time.Duration{{-90 * time.Minute, 0}, {0, -90 * time.Minute}, {0, math.MinInt64}, {math.MinInt64, 0}} {
		synctest.Test(t, func(t *testing.T) {
			k := kind{opts: memory.Options{PageSize: 2}}
			got, err := k.table(&clocks{k.settled(1, 2, 3, 4), told}).DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
			require.NoError(t, err)
			require.Zero(t, got.Deleted)
		})
	}
}

func TestDeletingFromADiskGoesByTheTimesOfTheFiles(t *testing.T) {
	dir := t.TempDir()
	store, err := file.Open(dir)
	require.NoError(t, err)
	defer store.Close()
	table := committer.NewTable(store, root)
	for v := uint64(1); v <= 6; v++ {
		_, err := table.Commit(t.Context(), v, manifestOf(v, "mine"))
		require.NoError(t, err)
		if v < 5 {
			old := time.Now().Add(-2 * time.Hour)
			require.NoError(t, os.Chtimes(filepath.Join(dir, kind{}.versions()+naming.V2.Final(v)), old, old))
		}
	}
	_, err = store.PutIfAbsent(t.Context(), tags+"v2.json", tagOf("null", 2), backends.PutOptions{})
	require.NoError(t, err)
	got, err := table.DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
	require.NoError(t, err)
	require.Equal(t, committer.DeleteResult{Deleted: 2, Kept: []committer.KeptVersion{
		{Number: 2, Reason: committer.KeptTagged, Name: "v2"}, {Number: 4, Reason: committer.KeptTooYoung},
		{Number: 5, Reason: committer.KeptTooYoung}, {Number: 6, Reason: committer.KeptLatest},
	}}, got)
	require.Equal(t, []uint64{2, 4, 5, 6}, kind{}.left(t, store))
}
