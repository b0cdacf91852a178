package fault_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/internal/fault"
)

func parse(t *testing.T, text string) *fault.Script {
	t.Helper()
	script, err := fault.Parse(text)
	require.NoError(t, err)
	return script
}

func TestAScriptDecidesForEachMethodApart(t *testing.T) {
	script := parse(t, "PUT=1,late:3s,denied HEAD=throttled:250ms LIST=short:2")
	for _, tc := range []struct {
		method string
		want   fault.Fault
	}{
		{"PUT", fault.Fault{}},
		{"HEAD", fault.Fault{Kind: fault.Throttled, Delay: 250 * time.Millisecond}},
		{"LIST", fault.Fault{Kind: fault.Short, Limit: 2}},
		{"HEAD", fault.Fault{}},
		{"PUT", fault.Fault{Kind: fault.Late, Delay: 3 * time.Second}},
		{"GET", fault.Fault{}},
		{"PUT", fault.Fault{Kind: fault.Denied}},
		{"PUT", fault.Fault{}},
	} {
		require.Equal(t, tc.want, script.Next(tc.method), "%s", tc.method)
	}
	require.Equal(t, "HEAD=throttled:250ms LIST=short:2 PUT=1,late:3s,denied", script.String())
	require.Equal(t, map[fault.Kind]int{fault.Late: 1, fault.Denied: 1, fault.Throttled: 1, fault.Short: 1}, script.Counts())
}

func TestAScriptThatMakesNoSenseIsRefused(t *testing.T) {
	for _, text := range []string{
		"PUT", "PUT=", "POST=after", "PUT=gone", "PUT=late", "PUT=late:x", "PUT=late:-1s", "PUT=after:3s", "PUT=-1",
		"HEAD=late:1s", "PUT=short:1", "LIST=short", "LIST=short:-1", "GET=contended", "PUT=9999999999", "PUT=after,,after",
	} {
		_, err := fault.Parse(text)
		require.Error(t, err, text)
	}
}

func TestASeedMakesTheSameScriptEveryTime(t *testing.T) {
	methods := strings.Fields("PUT LIST HEAD PUT GET DELETE OVERWRITE LIST PUT BULKDELETE")
	rates := fault.Rates{}
	for kind := fault.Before; kind <= fault.Shuffled; kind++ {
		rates[kind] = 0.08
	}
	play := func(script *fault.Script) (faults []fault.Fault) {
		for range 500 {
			for _, method := range methods {
				f := script.Next(method)
				require.True(t, f.Kind == fault.None || f.Kind.Meets(method), "%s cannot have %s", method, f)
				require.Less(t, f.Delay, 2*time.Second)
				faults = append(faults, f)
			}
		}
		return faults
	}
	script := fault.FromSeed(7, rates, 2*time.Second)
	played := play(script)
	require.Equal(t, played, play(fault.FromSeed(7, rates, 2*time.Second)))
	require.NotEqual(t, played, play(fault.FromSeed(8, rates, 2*time.Second)))
	require.Equal(t, played, play(parse(t, script.String())), "the text repeats the run")
	counts := script.Counts()
	for kind := fault.Before; kind <= fault.Shuffled; kind++ {
		require.Positive(t, counts[kind], "%s never happens", kind)
	}
}

func TestARateOfOneAlwaysHappens(t *testing.T) {
	script := fault.FromSeed(1, fault.Rates{fault.After: 1}, 0)
	for range 100 {
		require.Equal(t, fault.After, script.Next("PUT").Kind)
		require.Equal(t, fault.None, script.Next("GET").Kind)
	}
}

func FuzzScriptsRepeat(f *testing.F) {
	f.Add([]byte{}, "PUT")
	f.Add([]byte{0, 1, 2, 3, 4, 5, 250, 251}, "PUT LIST GET HEAD DELETE PUT")
	f.Fuzz(func(t *testing.T, data []byte, calls string) {
		methods := []string{"PUT", "GET", "HEAD", "LIST", "DELETE", "OVERWRITE", "BULKDELETE"}
		script := fault.FromBytes(data)
		var played []fault.Fault
		for _, c := range []byte(calls) {
			played = append(played, script.Next(methods[int(c)%len(methods)]))
		}
		again := parse(t, script.String())
		for i, c := range []byte(calls) {
			require.Equal(t, played[i], again.Next(methods[int(c)%len(methods)]))
		}
		require.Equal(t, script.String(), again.String())
		if again, err := fault.Parse(calls); err == nil {
			_ = fmt.Sprint(again, again.Next("PUT"))
		}
	})
}
