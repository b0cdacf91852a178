//go:build linux || darwin

package crash

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/naming"
)

// The steps inside a create are forced beside it, in backends/file.
func TestAWriterKilledBetweenAnyTwoRequests(t *testing.T) {
	const before, after = false, true // the version is there
	for _, c := range []struct {
		step string
		call int
		made bool
	}{
		{ready, 0, before},
		{"LIST", 1, before}, {"list", 1, before}, {built, 1, before}, {"PUT", 1, before},
		{"put", 1, after}, {"OVERWRITE", 1, after}, {"overwrite", 1, after}, {committed, 1, after},
		{built, 2, before}, {"PUT", 2, before},
		{"put", 2, after}, {"OVERWRITE", 2, after}, {"overwrite", 2, after}, {committed, 2, after},
	} {
		for _, updates := range []bool{false, true} {
			t.Run(fmt.Sprintf("at %s of call %d, updates %v", c.step, c.call, updates), func(t *testing.T) {
				t.Parallel()
				w := watch(order{Dir: t.TempDir(), Root: "t", Scheme: naming.V2})
				o := w.order
				o.ID, o.Updates, o.StopAt, o.StopIn = "killed", updates, c.step, c.call
				p, err := start(o)
				require.NoError(t, err)
				require.NoError(t, p.follow(func(told word) {
					if told.Step == c.step && told.Call == c.call {
						p.kill()
					}
				}))
				require.True(t, p.wasKilled())
				require.Equal(t, c.step, p.last().Step, "it went no further")

				_, err = w.afterDeath(t.Context(), p)
				require.NoError(t, err)
				want := max(c.call-1, 0)
				if c.made {
					want = c.call
				}
				require.Len(t, w.versions, want)
				require.Empty(t, w.leftovers)
				w.requireWhole(t)
			})
		}
	}
}

// What a kill can leave of a hint: the file that was just made, and the end of a
// longer text behind a shorter one.
func TestTheNextCommitMendsAHint(t *testing.T) {
	for _, left := range []string{"", `{"version":2}}`, `{"version":1}0}`} {
		w := watch(order{Dir: t.TempDir(), Root: "t", Scheme: naming.V2})
		w.layVersions(t, 2)
		w.layHint(t, left)
		w.requireWhole(t)
	}
}

func TestAFileSizeLimitStoresNothing(t *testing.T) {
	w := watch(order{Dir: t.TempDir(), Root: "t", Scheme: naming.V2})
	w.layVersions(t, 1)
	o := w.order
	o.ID, o.Calls, o.MaxFile = "limited", 2, 50_000
	p, err := start(o)
	require.NoError(t, err)
	require.NoError(t, p.follow(func(word) {}))
	var answers []word
	for _, told := range p.words {
		if told.Step == failed || told.Step == committed {
			answers = append(answers, told)
		}
	}
	require.Len(t, answers, 2)
	require.Equal(t, notStored, answers[0].Kind)
	require.Contains(t, answers[0].Text, "file too large")
	require.Contains(t, answers[0].Text, naming.V2.Final(2))
	require.Equal(t, word{Step: committed, Call: 2, Version: 2}, answers[1], "without the limit")
	_, err = w.examine(true)
	require.NoError(t, err)
	require.NoError(t, w.bury(p))
	w.requireWhole(t)
	w.requireCommits(t, "limited", 1)
}
