package bench_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// turnsInRun is how many turns make a run.
const turnsInRun = 15

// The goals beside the same requests by the SDK alone, for time and allocations.
const (
	bareMost       = 1.03
	bareMostAllocs = 1.08
)

// A side is one of the things that are compared.
type side struct {
	name string
	// prepare makes what do needs for the n-th time, from zero. It is not
	// measured. Nil is nothing.
	prepare func(n int)
	// do does it for the n-th time.
	do func(ctx context.Context, n int) error
	// every is for slow sides: they take part in each such turn only. Zero is 1.
	every int
	// most and least are the goal for its time as a multiple of the first
	// side's, mostAllocs that for its allocations. Zero is none.
	most, least, mostAllocs float64
	// also is another side that this one is compared with, without a goal.
	also string
	// bare is the side that asks no more of the store, with the SDK alone. A goal
	// that bare misses, too, is out of reach. So this one is to take bareMost
	// times as long at the most, and where it has a goal for its allocations,
	// bareMostAllocs times as many.
	bare string
	// inverse reports the time of the first side as a multiple of this one's:
	// how much faster this one is.
	inverse bool
}

// A sample is what one side cost in one turn.
type sample struct {
	took   time.Duration
	allocs uint64
}

// compare does the sides in turns and reports each beside the first. What it
// reports as ns/op and allocs/op are those of the second side, the subject.
func compare(b *testing.B, sides ...side) {
	b.Helper()
	compareSlow(b, turnsInRun, sides...)
}

// compareSlow is compare with so many turns in a run, for sides that take long.
// It returns the median time of each side.
func compareSlow(b *testing.B, turnsInRun int, sides ...side) []time.Duration {
	b.Helper()
	ctx := context.Background()
	samples := make([][]sample, len(sides))
	once := func(i int) {
		s, n := sides[i], len(samples[i])
		if s.prepare != nil {
			s.prepare(n)
		}
		took, err := measured(func() error { return s.do(ctx, n) })
		require.NoError(b, err, s.name)
		samples[i] = append(samples[i], took)
	}
	// By chance, since each pays for what the one before has left to be written.
	order := rand.New(rand.NewPCG(1, 2))
	turn := func(n int) {
		for _, i := range order.Perm(len(sides)) {
			if sides[i].every == 0 || n%sides[i].every == 0 {
				once(i)
			}
		}
	}
	// Connections are made and pools filled before.
	const warm = 3
	for i := range sides {
		for range warm {
			once(i)
		}
	}
	n := 0
	for b.Loop() {
		turn(n)
		n++
	}
	for ; judged() && n < least*turnsInRun; n++ {
		turn(n)
	}
	for i := range samples {
		samples[i] = samples[i][warm:]
	}
	if len(samples) > 1 {
		b.ReportMetric(float64(median(times(samples[1]))), "ns/op")
		b.ReportMetric(median(allocs(samples[1])), "allocs/op")
	}
	for _, r := range compared(turnsInRun, sides, samples) {
		report(b, unit(r.metric), r.figure)
	}
	medians := make([]time.Duration, len(sides))
	for i := range sides {
		medians[i] = median(times(samples[i]))
	}
	return medians
}

// measured does something once and says what it cost, all goroutines together.
func measured(do func() error) (sample, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	err := do()
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	return sample{took, after.Mallocs - before.Mallocs}, err
}

// A result is a figure and the name of its metric.
type result struct {
	metric string
	figure
}

// compared returns what the samples say of each side but the first, beside the
// first and beside the others that it names.
func compared(turnsInRun int, sides []side, samples [][]sample) (all []result) {
	of := func(name string) []sample {
		return samples[slices.IndexFunc(sides, func(s side) bool { return s.name == name })]
	}
	for i, s := range sides[1:] {
		mine := samples[i+1]
		var bare []sample
		if s.bare != "" {
			bare = of(s.bare)
		}
		all = append(all, s.beside(turnsInRun, sides[0].name, samples[0], mine, bare)...)
		if s.bare != "" {
			strict := s
			strict.most, strict.least, strict.inverse = bareMost, 0, false
			if s.mostAllocs != 0 {
				strict.mostAllocs = bareMostAllocs
			}
			all = append(all, strict.beside(turnsInRun, s.bare, bare, mine, nil)...)
		}
		if s.also != "" {
			shown := s
			shown.most, shown.least, shown.mostAllocs = 0, 0, 0
			all = append(all, shown.beside(turnsInRun, s.also, of(s.also), mine, nil)...)
		}
	}
	return all
}

// beside compares a side with the base. Bare are the samples of the side that
// asks no more of the store, with the SDK alone, if there is one.
func (s side) beside(turnsInRun int, base string, of0, of, bare []sample) []result {
	time, space := ratios(turnsInRun, s, of0, of)
	bareTime, bareSpace := ratios(turnsInRun, s, of0, bare)
	what, metric := s.name+" / "+base, s.name+"/"+base
	if s.inverse {
		what, metric = base+" / "+s.name, base+"/"+s.name
	}
	all := []result{{metric, figure{what: what, runs: time, bare: bareTime, most: s.most, least: s.least,
		detail: fmt.Sprintf("%s, %s", text(median(times(of))), text(median(times(of0))))}}}
	if s.mostAllocs != 0 {
		all = append(all, result{metric + "-allocs", figure{what: what + ", allocations", runs: space, bare: bareSpace, most: s.mostAllocs,
			detail: fmt.Sprintf("%.0f, %.0f", median(allocs(of)), median(allocs(of0)))}})
	}
	return all
}

// ratios returns, for each run, how much time and how many allocations a side
// takes as a multiple of the base, or the inverse of its time.
func ratios(turnsInRun int, s side, of0, of []sample) (time, space []float64) {
	n := runsOf(len(of), turnsInRun)
	for k := range n {
		// Runs of the same stretch of time, also where one side is done less
		// often.
		from, to := k*len(of)/n, (k+1)*len(of)/n
		from0, to0 := from*len(of0)/len(of), max(to*len(of0)/len(of), from*len(of0)/len(of)+1)
		ratio := float64(median(times(of[from:to]))) / float64(median(times(of0[from0:to0])))
		if s.inverse {
			ratio = 1 / ratio
		}
		time = append(time, ratio)
		space = append(space, median(allocs(of[from:to]))/max(median(allocs(of0[from0:to0])), 1))
	}
	return time, space
}

// runsOf is how many runs so many samples make.
func runsOf(samples, turnsInRun int) int {
	if !judged() {
		return min(samples, 1)
	}
	return max(min(samples/turnsInRun, 31), min(samples, least))
}

// unit makes a name of a metric, which has no spaces.
func unit(name string) string {
	out := []rune(name)
	for i, r := range out {
		if r == ' ' {
			out[i] = '-'
		}
	}
	return string(out)
}

func times(samples []sample) []time.Duration {
	out := make([]time.Duration, len(samples))
	for i, s := range samples {
		out[i] = s.took
	}
	return out
}

func allocs(samples []sample) []float64 {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = float64(s.allocs)
	}
	return out
}

// text writes a time with three digits.
func text(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.3g s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.3g ms", float64(d)/1e6)
	default:
		return fmt.Sprintf("%.3g µs", float64(d)/1e3)
	}
}
