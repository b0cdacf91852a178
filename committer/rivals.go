package committer

import (
	"math/bits"
	"math/rand/v2"
	"time"
)

const (
	// fullRun is how many versions a run beside rivals has, and slowRun how many where
	// so many take longer than longRun.
	fullRun, slowRun = 16, 4
	longRun          = 250 * time.Millisecond
	// quickFactor is how many times as many it has at the most where these take no
	// longer than quickRun. At each end of a run all rivals ask for something.
	quickFactor, quickRun = 4, 150 * time.Millisecond
	// A writer that knows of no rival makes runs of loneFactor times fullRun, and
	// longer ones after each rest that let nobody in, up to loneFactor times longestRun.
	longestRun, loneFactor = 2 * time.Second, 4
	// rivalsFor is for how long a writer that met rivals thinks of them.
	rivalsFor = 5 * time.Second
	// fullTrust is how many ends of runs must fail to come before a writer doubts
	// that there are runs.
	fullTrust = 2
	// maxTurn bounds the wait before a writer uses the rest of another, in starts.
	maxTurn = 2
	// longRest is for how much longer nobody begins a run now and then, so that
	// Lance gets in. LanceDB appends in 5 to 25 ms on a local disk, and has to read
	// every version that it missed before. It is a part of the time, one in
	// runsPerLongRest.
	longRest, runsPerLongRest = 100 * time.Millisecond, 25
	// maxPausePuts bounds the pause after a lost race, in PUTs.
	maxPausePuts = 8
)

// rivals makes processes that update one table share it fairly. Goroutines of
// one process take turns already, and rivals is owned by the turn: only who has
// it may use this.
//
// The winner of a race knows the end of the chain at once, while the others have
// to look for it, and Lance to read what it missed. So the winner is likely to win
// again, and what the others send meanwhile is in vain. This makes use of it: a
// writer commits a run of versions, and then rests for as long as a rival needs
// to begin its own. A writer that meets a run waits for its end, and spends no PUT. Runs
// end at versions that their length divides, so all processes know where. The
// pace of the table tells about when, and a HEAD of that version when.
//
// Only a busy table has runs. Where processes commit now and then, even all at
// once, a writer that lost a race is through sooner when it simply tries again than
// when it waits for the end of a run that nobody is in. So only who has seen runs end as
// expected waits at once, and others after some losses in a row.
//
// A writer that has met no rival rests, too, though seldom: where rivals need
// longer to list than it needs to commit, it loses no race and would never learn
// of them.
type rivals struct {
	pace
	// met is when there was a rival last.
	met time.Time
	// last is the newest version of our own, won at lastAt.
	last   uint64
	lastAt time.Time
	// gaps are how many versions others committed between the last runs of our own.
	gaps [2]uint64
	// running says that neither a version of others nor a rest followed it.
	running bool
	// trust is fullTrust when the end of a run came as expected, and less by each
	// that did not since.
	trust int
	// unused is how many rests in a row let nobody in. Each of a lone writer doubles
	// its runs. Beside rivals every second one does: whose turn it was may be late.
	unused int
}

// won records a version of our own.
func (r *rivals) won(version uint64) {
	// The table may have been made again since.
	if r.last != 0 && version > r.last+1 {
		r.gaps[0], r.gaps[1] = version-r.last-1, r.gaps[0]
	}
	r.last, r.lastAt, r.running = version, time.Now(), true
	r.saw(version, r.lastAt)
}

// builtOn records the end of the chain that an update builds on.
func (r *rivals) builtOn(end uint64) {
	if r.last != 0 && end > r.last {
		r.meet()
	}
}

// meet records that there is a rival.
func (r *rivals) meet() {
	r.met, r.running, r.unused = time.Now(), false, 0
}

// hasMet reports whether there was a rival lately.
func (r *rivals) hasMet() bool { return !r.met.IsZero() && elapsed(r.met) < rivalsFor }

// knowUs reports whether rivals know of this writer, which won lately.
func (r *rivals) knowUs() bool { return r.last != 0 && elapsed(r.lastAt) < rivalsFor }

// foresaw records whether the end of a run came as expected. On a table that is not
// busy it came by chance.
func (r *rivals) foresaw(came bool) {
	if came && r.isBusy() {
		r.trust = fullTrust
	} else {
		r.trust = max(0, r.trust-1)
	}
}

// takeRuns reports whether rivals take runs, and know of this writer.
func (r *rivals) takeRuns() bool { return r.trust > 0 && r.knowUs() }

// due returns for how long to rest before the next update, mostly not at all,
// and whether a HEAD should tell first that nobody else has gone on. A rest that
// is due begins.
func (r *rivals) due() (rest time.Duration, listen bool) {
	if !r.running || elapsed(r.lastAt) > r.put {
		// A gap lets others in by itself.
		r.running = false
		return 0, r.hasMet()
	}
	run := loneFactor * r.shortest() << r.unused
	// Until a rival has looked and committed, and a HEAD has seen it.
	rest = r.start() + 2*r.put + r.forLance(r.last)
	if r.hasMet() {
		run = r.length() << (r.unused / 2)
		// Those who wait for their turn do so before.
		rest += maxTurn * r.start()
	}
	if r.last%run != 0 {
		return 0, false
	}
	r.running = false
	return rest, false
}

// wasted records that a rest let nobody in.
func (r *rivals) wasted() {
	if r.puts(r.shortest()<<(r.unused+1)) < longestRun {
		r.unused++
	}
}

// length is that of the runs beside rivals. It is a power of two, so that
// processes which measure other times still have ends in common.
func (r *rivals) length() uint64 {
	length := r.shortest()
	for factor := uint64(quickFactor); factor > 1; factor /= 2 {
		if r.puts(factor*length) <= quickRun {
			return factor * length
		}
	}
	return length
}

// shortest is the length of the runs where PUTs are not that quick.
func (r *rivals) shortest() uint64 {
	length := uint64(fullRun)
	for length > slowRun && r.puts(length) > longRun {
		length /= 2
	}
	return length
}

// powerOfTwo returns the greatest one up to n, which is not less than 1.
func powerOfTwo(n time.Duration) uint64 { return 1 << (bits.Len64(uint64(n)) - 1) }

// runEnd returns the version at which the run of a version ends, or one of the
// next runs: about as many rivals as the last times go before it is our turn
// again, and to look at each of their runs would cost requests for nothing. The
// last sixth is looked at, and of two gaps the shorter counts, or two writers that
// take each other for many would wait for nobody.
func (r *rivals) runEnd(version uint64) uint64 {
	length := r.length()
	end := (version + length - 1) / length * length
	if r.knowUs() && r.last < version {
		end = max(end, (r.last+min(r.gaps[0], r.gaps[1])*5/6)/length*length)
	}
	return end
}

// start is what it takes to begin a run, a HEAD and a PUT. Two that begin within
// that time of each other race, and one of them does so in vain.
func (r *rivals) start() time.Duration { return r.head + r.put }

// handover is how long to wait, once a run has ended at a version, before beginning
// another: at least half of a time that is shorter the more runs one has waited
// for, and jitter keeps apart those who have waited for as many. All measure it by
// the pace of the table, which is the same for all, and not by PUTs of their own: of
// these, who seldom has a turn knows little, and would wait the longer for it.
func (r *rivals) handover(version uint64) time.Duration {
	waited := max(1, (version-r.last)/r.length())
	half := maxTurn * (r.head + r.each) / time.Duration(2*waited)
	pause := half + rand.N(half+1)
	if r.knowUs() {
		// Otherwise the others may not know of this writer, and not rest as long.
		pause += r.forLance(version)
	}
	return pause
}

// forLance is for how much longer nobody begins a run after a version. Lance
// does not take part in this, and among writers that hand over in a few
// milliseconds it would never get in.
func (r *rivals) forLance(version uint64) time.Duration {
	if r.put == 0 || version%powerOfTwo(max(1, runsPerLongRest*longRest/r.put)) != 0 {
		return 0
	}
	return longRest
}

// pause is how long to wait after so many lost races in a row: in proportion to
// the time of a PUT, growing, with jitter, and bounded so that a writer presses
// on rather than starves.
func (r *rivals) pause(losses int) time.Duration {
	return rand.N(r.put*time.Duration(min(losses, maxPausePuts)) + time.Millisecond)
}
