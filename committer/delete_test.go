package committer_test

import (
	"encoding/json"
	"math"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// everything asks for all versions through the latest.
var everything = []committer.VersionRange{{Start: 0, End: -1}}

func TestADeleteRemovesTheVersionsOfItsRangesAndNothingElse(t *testing.T) {
	for _, tc := range []struct {
		name    string
		chain   []uint64
		ranges  []committer.VersionRange
		deleted int
		left    []uint64
		latest  bool // the latest is in a range
	}{
		{"the end is not part of a range", upTo(12), []committer.VersionRange{{Start: 1, End: 10}}, 9, []uint64{10, 11, 12}, false},
		{"one version", upTo(12), []committer.VersionRange{{Start: 9, End: 10}}, 1, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12}, false},
		{"a start of 0", upTo(4), []committer.VersionRange{{Start: 0, End: 3}}, 2, []uint64{3, 4}, false},
		{"-1 goes through the latest, which stays", upTo(12), []committer.VersionRange{{Start: 3, End: -1}}, 9, []uint64{1, 2, 12}, true},
		{"an end behind the latest", upTo(12), []committer.VersionRange{{Start: 11, End: 100}}, 1, append(upTo(10), 12), true},
		{"above the latest", upTo(3), []committer.VersionRange{{Start: 4, End: 100}}, 0, upTo(3), false},
		{"through the latest from above it", upTo(3), []committer.VersionRange{{Start: 9, End: -1}}, 0, upTo(3), false},
		{"only the latest is there", []uint64{7}, everything, 0, []uint64{7}, true},
		{
			"ranges that overlap count once, in any order", upTo(12),
			[]committer.VersionRange{{Start: 4, End: 8}, {Start: 1, End: 3}, {Start: 2, End: 5}, {Start: 4, End: 8}}, 7, []uint64{8, 9, 10, 11, 12}, false,
		},
		{
			"a range inside another one", upTo(12),
			[]committer.VersionRange{{Start: 1, End: 11}, {Start: 2, End: 4}}, 10, []uint64{11, 12}, false,
		},
		{
			"ranges with a gap", upTo(12),
			[]committer.VersionRange{{Start: 9, End: 11}, {Start: 2, End: 4}}, 4, []uint64{1, 4, 5, 6, 7, 8, 11, 12}, false,
		},
		{"versions that are gone are not counted", []uint64{3, 8, 9, 20}, []committer.VersionRange{{Start: 1, End: 20}}, 3, []uint64{20}, false},
		{
			"the highest version there is", []uint64{5, naming.MaxVersion - 1, naming.MaxVersion},
			[]committer.VersionRange{{Start: math.MaxInt64 - 1, End: math.MaxInt64}}, 1, []uint64{5, naming.MaxVersion}, false,
		},
		{
			"through the highest version there is", []uint64{naming.MaxVersion - 1, naming.MaxVersion},
			[]committer.VersionRange{{Start: math.MaxInt64 - 1, End: -1}}, 1, []uint64{naming.MaxVersion}, true,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, k kind) {
				store := k.settled(tc.chain...)
				// What is no version stays.
				noise := []string{
					k.final(2) + "-00000000-0000-0000-0000-000000000000", "d9223372036854775809.manifest", ".tmp_2.manifest_x",
					"x.manifest", naming.Hint, "sub/" + k.final(2),
				}
				for _, name := range noise {
					store.Inject(k.versions()+name, nil)
				}
				other := kind{k.scheme, map[string]string{"": branch, branch: ""}[k.branch], k.opts}
				other.lay(store, tc.chain...)

				got, err := k.table(store).DeleteVersions(t.Context(), tc.ranges, committer.DeleteOptions{})
				require.NoError(t, err)
				want := committer.DeleteResult{Deleted: tc.deleted}
				if tc.latest {
					want.Kept = []committer.KeptVersion{{Number: tc.chain[len(tc.chain)-1], Reason: committer.KeptLatest}}
				}
				require.Equal(t, want, got)
				require.Equal(t, tc.left, k.left(t, store))
				require.Equal(t, tc.chain, other.left(t, store), "another branch is untouched")
				for _, name := range noise {
					_, err := store.Head(t.Context(), k.versions()+name)
					require.NoError(t, err, name)
				}
			})
		})
	}
}

func TestRangesThatMakeNoSenseAreRefusedBeforeAnythingIsDeleted(t *testing.T) {
	for _, tc := range []struct {
		name   string
		ranges []committer.VersionRange
		says   string
	}{
		{"none", nil, "there are no ranges"},
		{"a start below 0", []committer.VersionRange{{Start: -1, End: 3}}, "-1 to 3"},
		{"an end below -1", []committer.VersionRange{{Start: 1, End: -2}}, "1 to -2: the end is a version, or -1"},
		{"empty", []committer.VersionRange{{Start: 2, End: 2}}, "2 to 2"},
		{"empty at 0", []committer.VersionRange{{Start: 0, End: 0}}, "0 to 0"},
		{"inverted", []committer.VersionRange{{Start: 3, End: 2}}, "3 to 2"},
		{"empty at the highest number", []committer.VersionRange{{Start: math.MaxInt64, End: math.MaxInt64}}, "it is empty"},
		{"a good one and an inverted one", []committer.VersionRange{{Start: 1, End: 2}, {Start: 3, End: 1}}, "3 to 1"},
		{"10^12 versions", []committer.VersionRange{{Start: 1, End: 1_000_000_000_001}}, "1000000000000 versions, more than 1000000"},
		{"all numbers", []committer.VersionRange{{Start: 0, End: math.MaxInt64}}, "more than 1000000"},
		{"one too many", []committer.VersionRange{{Start: 0, End: 1_000_001}}, "1000001 versions"},
		{"too many in all", []committer.VersionRange{{Start: 0, End: 600_000}, {Start: 700_000, End: 1_200_000}}, "1100000 versions"},
		{"too many beside a range through the latest", []committer.VersionRange{{Start: 0, End: 1_000_001}, {Start: 0, End: -1}}, "1000001 versions"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, opts := range []committer.DeleteOptions{{}, {Force: true}, {DryRun: true}} {
					store := kind{}.settled(1, 2, 3, 4)
					got, err := kind{}.table(store).DeleteVersions(t.Context(), tc.ranges, opts)
					require.ErrorIs(t, err, committer.ErrInvalid)
					require.ErrorContains(t, err, tc.says)
					require.ErrorContains(t, err, "the latest version is 4")
					require.Zero(t, got)
					require.Equal(t, upTo(4), kind{}.left(t, store))
				}
			})
		})
	}
}

func TestARangeThroughTheLatestCountsUpToIt(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		store := k.settled(1, 2, 1_000_001)
		_, err := k.table(store).DeleteVersions(t.Context(), []committer.VersionRange{{Start: 1, End: -1}}, committer.DeleteOptions{})
		require.ErrorIs(t, err, committer.ErrInvalid)
		require.ErrorContains(t, err, "1000001 versions, more than 1000000; delete them in parts; the latest version is 1000001")
		require.Equal(t, []uint64{1, 2, 1_000_001}, k.left(t, store))

		got, err := k.table(store).DeleteVersions(t.Context(), []committer.VersionRange{{Start: 2, End: -1}}, committer.DeleteOptions{})
		require.NoError(t, err, "a million")
		require.Equal(t, 1, got.Deleted)
		require.Equal(t, []uint64{1, 1_000_001}, k.left(t, store))
	})
}

func TestForceKeepsTheLatestOnly(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		store := k.settled(1, 2, 3)
		k.lay(store, 4, 5)
		on := "null"
		if k.branch != "" {
			on = `"` + k.branch + `"`
		}
		store.Inject(tags+"v2.json", tagOf(on, 2))
		store.Inject(tags+"v5.json", tagOf(on, 5))
		store.Inject(branches+"b.json", forkOf(on, 3))
		store.Inject(tags+"broken.json", []byte("{"))
		_, err := k.table(store).DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
		require.ErrorIs(t, err, committer.ErrBadRef)
		require.NoError(t, store.Delete(t.Context(), tags+"broken.json"))

		got, err := k.table(store).DeleteVersions(t.Context(), everything, committer.DeleteOptions{DryRun: true})
		require.NoError(t, err)
		require.Equal(t, committer.DeleteResult{Deleted: 1, Kept: []committer.KeptVersion{
			{Number: 2, Reason: committer.KeptTagged, Name: "v2"}, {Number: 3, Reason: committer.KeptForkPoint, Name: "b"},
			{Number: 4, Reason: committer.KeptTooYoung}, {Number: 5, Reason: committer.KeptLatest},
		}}, got, "a tag of the latest does not hide that it is the latest")

		got, err = k.table(store).DeleteVersions(t.Context(), everything, committer.DeleteOptions{Force: true})
		require.NoError(t, err)
		require.Equal(t, committer.DeleteResult{Deleted: 4, Kept: []committer.KeptVersion{{Number: 5, Reason: committer.KeptLatest}}}, got)
		require.Equal(t, []uint64{5}, k.left(t, store))
	})
}

func TestADryRunDeletesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kind{}.settled(upTo(9)...)
		table, log := counted(store)
		got, err := table.DeleteVersions(t.Context(), everything, committer.DeleteOptions{
			DryRun: true, Progress: func(int, int) { t.Error("there is no progress") },
		})
		require.NoError(t, err)
		require.Equal(t, committer.DeleteResult{Deleted: 8, Kept: []committer.KeptVersion{{Number: 9, Reason: committer.KeptLatest}}}, got)
		require.Equal(t, []string{"LIST _versions 1000", "LIST tags 0", "LIST branches 0"}, log.Take())
		require.Equal(t, upTo(9), kind{}.left(t, store))
	})
}

func TestATableThatCannotBeToldIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mixed := kind{}.settled(1, 2, 3)
		kind{scheme: naming.V1}.lay(mixed, 1, 2)
		_, err := kind{}.table(mixed).DeleteVersions(t.Context(), everything, committer.DeleteOptions{Force: true})
		require.ErrorIs(t, err, committer.ErrMixedSchemes)
		require.Equal(t, []uint64{1, 1, 2, 2, 3}, kind{}.left(t, mixed))

		_, err = kind{}.table(memory.New(memory.Options{})).DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
		require.ErrorIs(t, err, committer.ErrTableNotFound)

		zombie := memory.New(memory.Options{})
		kind{branch: branch}.lay(zombie, 3, 4)
		_, err = kind{branch: branch}.table(zombie).DeleteVersions(t.Context(), everything, committer.DeleteOptions{Force: true})
		require.ErrorIs(t, err, committer.ErrBranchNotFound)
		require.Equal(t, []uint64{3, 4}, kind{branch: branch}.left(t, zombie))

		table, _ := refusing(kind{}.settled(1, 2, 3), "LIST", backends.ErrPermission)
		_, err = table.DeleteVersions(t.Context(), everything, committer.DeleteOptions{})
		require.ErrorIs(t, err, backends.ErrPermission)
	})
}

func TestADeletedVersionIsNotMadeAgainByTheHandleThatDeletedIt(t *testing.T) {
	store := laid(1, 2, 3)
	table := committer.NewTable(store, root)
	_, err := table.Latest(t.Context())
	require.NoError(t, err)
	lay(store, naming.V2, 4, 5, 6) // others commit
	_, err = table.DeleteVersions(t.Context(), everything, committer.DeleteOptions{Force: true})
	require.NoError(t, err)
	_, err = table.Commit(t.Context(), 4, manifestOf(4, "mine"))
	var conflict *committer.ConflictError
	require.ErrorAs(t, err, &conflict)
	require.EqualValues(t, 6, conflict.Latest)
	_, err = table.Commit(t.Context(), 7, manifestOf(7, "mine"))
	require.NoError(t, err)
}

func TestDeletingWhileAnotherCommitsNeverTakesTheLatest(t *testing.T) {
	const last = 300
	for name, opts := range map[string]memory.Options{"ordered": {PageSize: 5}, "unordered": {Unordered: true, PageSize: 5}} {
		t.Run(name, func(t *testing.T) {
			store := memory.New(opts)
			lay(store, naming.V2, 1)
			var committed error
			done := make(chan struct{})
			go func() {
				defer close(done)
				writer := committer.NewTable(store, root)
				for committed == nil {
					v, err := writer.Update(t.Context(), build)
					if committed = err; v.Number == last {
						return
					}
				}
			}()
			for running := true; running; {
				select {
				case <-done:
					running = false
				default:
				}
				table := committer.NewTable(store, root)
				before, err := table.Latest(t.Context())
				require.NoError(t, err)
				_, err = table.DeleteVersions(t.Context(), everything, committer.DeleteOptions{Force: true})
				require.NoError(t, err)
				after, err := committer.NewTable(store, root).Latest(t.Context())
				require.NoError(t, err, "there is always a latest")
				require.GreaterOrEqual(t, after.Number, before.Number, "it never goes back")
			}
			require.NoError(t, committed)
			require.Equal(t, []uint64{last}, kind{}.left(t, store))
		})
	}
}

func TestARangeInJSONHasBothItsEnds(t *testing.T) {
	var r committer.VersionRange
	require.NoError(t, json.Unmarshal([]byte(`{"start_version":0,"end_version":-1,"new":[1]}`), &r))
	require.Equal(t, committer.VersionRange{Start: 0, End: -1, Unknown: committer.UnknownFields{"new": []byte("[1]")}}, r)
	again, err := json.Marshal(r)
	require.NoError(t, err)
	require.JSONEq(t, `{"start_version":0,"end_version":-1,"new":[1]}`, string(again))

	for text, want := range map[string]string{
		`{}`:                                      "start_version: it is missing; end_version: it is missing",
		`{"end_version":-1}`:                      "start_version: it is missing",
		`{"start_version":1,"end_version":null}`:  "end_version: it is missing",
		`{"start_version":"1","end_version":2}`:   `start_version: "1" is not an integer of 64 bits`,
		`{"start_version":1.5,"end_version":2}`:   "start_version: 1.5 is not an integer of 64 bits",
		`{"Start_Version":1,"end_version":2}`:     "start_version: it is missing",
		`{"start_version":1,"end_version":1e400}`: "end_version: 1e400 is not",
	} {
		err := json.Unmarshal([]byte(text), new(committer.VersionRange))
		require.ErrorIs(t, err, committer.ErrInvalid, text)
		require.ErrorContains(t, err, want)
	}
}

func TestReasonsHaveNames(t *testing.T) {
	seen := make(map[string]bool)
	for reason := committer.KeptLatest; reason <= committer.KeptUnknownAge; reason++ {
		require.NotEqual(t, "unknown", reason.String())
		seen[reason.String()] = true
	}
	require.Len(t, seen, 6)
	require.Equal(t, "unknown", committer.KeepReason(0).String())
}
