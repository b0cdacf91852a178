package committer

import "time"

// paceFor is for how long a sight of the chain tells how fast it goes on.
const paceFor = 5 * time.Second

// minSteps and maxSteps bound how many HEADs take the place of a LIST. On S3 twelve
// cost as much.
const minSteps, maxSteps = 2, 12

// pace is how fast a table goes on, as far as one writer has seen.
type pace struct {
	// put, head and list are how long these take, and each is how long the table
	// takes for a version, whoever commits it. They are moving averages.
	put, head, list, each time.Duration
	// end was the end of the chain when it was last seen, at seenAt.
	end    uint64
	seenAt time.Time
}

// tookPut records how long a PUT took. One that found its version there may have
// waited for the PUT that made it, so it counts while nothing better is known.
func (p *pace) tookPut(took time.Duration, created bool) {
	if created || p.put == 0 {
		average(&p.put, took)
	}
}

// tookHead records how long a HEAD took.
func (p *pace) tookHead(took time.Duration) { average(&p.head, took) }

// listed records the end of the chain that a LIST has shown, zero for none.
// When it was the end is not known better than half of the LIST ago.
func (p *pace) listed(end uint64, began time.Time) {
	took := time.Since(began)
	average(&p.list, took)
	if end != 0 {
		p.saw(end, began.Add(took/2))
	}
}

// saw records that a version was the end of the chain at a time.
func (p *pace) saw(end uint64, at time.Time) {
	since := at.Sub(p.seenAt)
	if since < 0 {
		// A LIST that was overtaken.
		return
	}
	if end > p.end && since < paceFor {
		average(&p.each, since/time.Duration(end-p.end))
	}
	p.end, p.seenAt = end, at
}

// until is how long it will take until a version is there.
func (p *pace) until(version uint64) time.Duration {
	if version <= p.end {
		return 0
	}
	return p.each*time.Duration(version-p.end) - elapsed(p.seenAt)
}

// steps is how many versions it is better to look for one by one than by a LIST.
// While a slow one runs, the table goes on.
func (p *pace) steps() uint64 {
	if p.head == 0 {
		return minSteps
	}
	return uint64(min(max(minSteps, p.list/p.head), maxSteps))
}

// puts is the time of so many PUTs.
func (p *pace) puts(n uint64) time.Duration { return p.put * time.Duration(n) }

// isBusy reports whether versions come about as fast as they can, one PUT after
// another, with the rests between runs.
func (p *pace) isBusy() bool { return p.each <= 2*p.put }

// average moves quickly to what is less, and slowly to what is more: one PUT that
// hung would otherwise have its writer wait so long for its turn that it sends
// none from which to learn better.
func average(of *time.Duration, took time.Duration) {
	switch {
	case *of == 0:
		*of = took
	case took < *of:
		*of -= (*of - took) / 2
	default:
		*of += (min(took, 2**of) - *of) / 4
	}
}
