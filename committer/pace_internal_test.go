package committer

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

func TestTheTimeOfAPutIsThatOfThoseThatCreated(t *testing.T) {
	var p pace
	p.tookPut(40*ms, false)
	require.Equal(t, 40*ms, p.put, "nothing better is known")
	p.tookPut(10*ms, true)
	require.Equal(t, 25*ms, p.put, "what is less counts at once")
	p.tookPut(500*ms, false)
	require.Equal(t, 25*ms, p.put, "it may have waited for another")
	p.tookPut(time.Hour, true)
	require.Equal(t, 25*ms+25*ms/4, p.put, "one that hung counts little")
}

func TestAsManyHEADsAsAListTakesLong(t *testing.T) {
	for _, tc := range []struct {
		head, list time.Duration
		want       uint64
	}{
		{0, 0, minSteps},
		{0, 50 * ms, minSteps},
		{10 * ms, 5 * ms, minSteps},
		{10 * ms, 55 * ms, 5},
		{10 * ms, time.Minute, maxSteps},
	} {
		require.Equal(t, tc.want, (&pace{head: tc.head, list: tc.list}).steps(), "%v, %v", tc.head, tc.list)
	}
}

func TestThePaceTellsWhenAVersionWillBeThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace
		p.saw(10, time.Now())
		time.Sleep(50 * ms)
		p.saw(20, time.Now())
		require.Equal(t, 5*ms, p.each)
		require.Equal(t, 40*ms, p.until(28))
		time.Sleep(15 * ms)
		require.Equal(t, 25*ms, p.until(28))
		require.Zero(t, p.until(20), "it is there")

		p.saw(15, time.Now().Add(-30*ms))
		require.Equal(t, 25*ms, p.until(28), "an older sight says nothing new")
		p.saw(20, time.Now())
		require.Equal(t, 40*ms, p.until(28), "nothing came since")

		time.Sleep(time.Minute)
		p.saw(21, time.Now())
		require.Equal(t, 5*ms, p.each, "nobody was at work")
		p.saw(3, time.Now())
		require.Equal(t, 25*ms, p.until(8), "the table was made again")
	})
}
