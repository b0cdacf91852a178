package history

import (
	"fmt"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawHistory draws operations on few versions and contents, so that they meet.
// Right and wrong histories are both common.
func drawHistory(t *rapid.T) (operations []Operation) {
	version, content := rapid.Uint64Range(1, 3), rapid.SampledFrom([]string{"a", "b"})
	for i := range rapid.IntRange(1, 9).Draw(t, "operations") {
		label := fmt.Sprint(i)
		v, c := version.Draw(t, label), content.Draw(t, label)
		o := rapid.SampledFrom([]Operation{
			commit(v, c, Done), commit(v, c, Done), update(v, c, Done), commit(v, c, Unknown), update(v, c, Unknown), commit(v, c, Failed),
			refused(v, c), {Kind: Commit, Version: v, Content: c, Result: Conflict, End: v - 1},
			{Kind: Commit, Version: v, Content: c, Result: Conflict, End: 1}, latest(v), latest(v - 1), read(v, c), read(v, ""), missing(v),
			resolve(v, c, Done), resolve(v, c, Conflict), resolve(v, c, Absent), resolve(v, c, Unknown),
		}).Draw(t, label)
		call := rapid.IntRange(0, 30).Draw(t, label)
		end := call + rapid.IntRange(0, 30).Draw(t, label)
		operations = append(operations, o.from(time.Duration(call), time.Duration(end)))
	}
	return operations
}

func TestAHistoryCanBeExplainedExactlyWhenItsEssenceCan(t *testing.T) {
	right, wrong := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		operations := drawHistory(t)
		want := explained(operations)
		got := Check(operations, time.Minute)
		if want != (got.Result == porcupine.Ok) {
			t.Fatalf("the whole can be explained: %v; the essence: %s\n%v\n%v", want, got.Result, operations, essence(operations))
		}
		if want && len(got.Broken) > 0 {
			t.Fatalf("it can be explained, and is called broken: %v", got.Broken)
		}
		if want {
			right++
		} else {
			wrong++
		}
	})
	require.Positive(t, right)
	require.Positive(t, wrong)
	t.Logf("%d right, %d wrong", right, wrong)
}

// Eighty clients at once, half of which read what the other half writes, are too
// many to search through; what decides is little.
func TestManyClientsAtOnceAreCheckedInTime(t *testing.T) {
	var operations []Operation
	for round := range time.Duration(300) {
		version, began := uint64(round)+1, 100*round
		operations = append(operations, commit(version, "winner", Done).from(began, began+90))
		for i := range time.Duration(40) {
			operations = append(operations, refused(version, fmt.Sprint("loser ", i)).from(began+i, began+150+i))
			operations = append(operations, latest(version-1).from(began+1+i, began+45+i))
		}
	}
	report := Check(operations, time.Minute)
	require.True(t, report.OK(), report.Broken)
	require.Less(t, report.Decisive, 4*300)

	operations = append(operations, latest(200).from(25_000, 25_001))
	require.Equal(t, porcupine.Illegal, Check(operations, time.Minute).Result)
}
