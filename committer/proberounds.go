package committer

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/lancecommit/lancecommit/backends"
)

// A racer is one of those that create a name at the same time.
type racer struct {
	body []byte
	err  error
}

func (r racer) won() bool     { return r.err == nil }
func (r racer) unknown() bool { return r.err != nil && !backends.IsDefinite(r.err) }

// A tally counts the rounds that went wrong, by how.
type tally struct {
	severalWon, notTheWinners, noneWon int
}

// rounds has names raced for. A store that is proven to be unsafe in sequence is
// spared that.
func (p *probe) rounds(ctx context.Context) error {
	if p.found(ProbeIgnored) {
		return nil
	}
	var wrong tally
	err := p.raceAll(ctx, &wrong)
	p.judgeRounds(wrong)
	if figures := p.report.Figures; err == nil && 2*figures.DecidedRounds <= figures.Rounds {
		p.find(ProbeUnstable, "Only %d of %d rounds of creates at once were decided.", figures.DecidedRounds, figures.Rounds)
	}
	return err
}

func (p *probe) raceAll(ctx context.Context, wrong *tally) error {
	figures := &p.report.Figures
	for r := range p.opts.Rounds {
		if ctx.Err() != nil {
			return p.end(ctx, mayCreate, ctx.Err())
		}
		racers := p.race(ctx, r)
		figures.Rounds++
		decided, err := p.decide(ctx, r, racers, wrong)
		if err != nil {
			return err
		}
		if decided {
			figures.DecidedRounds++
		}
		p.step()
	}
	return nil
}

// race sends creates of one name over all handles at the same moment.
func (p *probe) race(ctx context.Context, r int) []racer {
	racers := make([]racer, p.report.Figures.Writers)
	start := make(chan struct{})
	var ready, running sync.WaitGroup
	ready.Add(len(racers))
	for w := range racers {
		running.Go(func() {
			racers[w].body = probeBody("race", r, w)
			ready.Done()
			<-start
			_, _, racers[w].err = p.create(ctx, w, p.name("race", r), racers[w].body)
		})
	}
	ready.Wait()
	close(start)
	running.Wait()
	return racers
}

// decide finds out who won, and whether that is what each was told. It reports
// whether exactly one won, and all others are not told that they did.
func (p *probe) decide(ctx context.Context, r int, racers []racer, wrong *tally) (decided bool, err error) {
	key := p.name("race", r)
	winners, unknown := 0, 0
	for _, one := range racers {
		switch {
		case one.won():
			winners++
		case one.unknown():
			unknown++
		case errors.Is(one.err, backends.ErrExists) || decidedNothing(one.err):
		default:
			return false, p.end(ctx, mayCreate, one.err)
		}
	}
	p.report.Figures.Unknown += unknown
	got, err := p.get(ctx, r, key)
	absent := errors.Is(err, backends.ErrNotExist)
	if err != nil && !absent {
		return false, p.end(ctx, mayRead, err)
	}
	holder := slices.IndexFunc(racers, func(one racer) bool { return !absent && bytes.Equal(one.body, got) })
	switch {
	case winners > 1:
		wrong.severalWon++
		return false, nil
	case absent && winners == 1:
		p.find(ProbeStaleReads, "A GET after a race says that the object is not there, and one of the racers was told that it created it.")
		return false, nil
	case absent && unknown > 0:
		p.unresolved += unknown
		return false, nil
	case absent:
		wrong.noneWon++
		return false, nil
	case holder < 0 || winners == 1 && !racers[holder].won():
		wrong.notTheWinners++
		return false, nil
	case !racers[holder].won() && !racers[holder].unknown():
		p.find(ProbeRepeated, "In a race that nobody was told to have won, the bytes are there of one that was refused.")
		return false, nil
	}
	p.held[key] = got
	return true, nil
}

// judgeRounds finds what the tally means.
func (p *probe) judgeRounds(wrong tally) {
	figures := p.report.Figures
	if wrong.severalWon > 0 {
		p.find(ProbeRacy, "In %d of %d rounds more than one of %d creates at once succeeded.",
			wrong.severalWon, figures.Rounds, figures.Writers)
	}
	if wrong.notTheWinners > 0 {
		p.find(ProbeRacy, "In %d of %d rounds of creates at once the bytes that are there are not those of the one that succeeded.",
			wrong.notTheWinners, figures.Rounds)
	}
	if wrong.noneWon > 0 {
		p.find(probeNoWinner, "In %d of %d rounds of creates at once all were refused, and nothing is there.", wrong.noneWon, figures.Rounds)
	}
}

// readAgain requires that all names still have the bytes that they had first: a
// store that agrees late would show others now.
func (p *probe) readAgain(ctx context.Context) error {
	for i, key := range slices.Sorted(maps.Keys(p.held)) {
		if err := p.holds(ctx, i+1, key, ProbeRacy, "A GET at the end"); err != nil {
			return err
		}
	}
	p.step()
	return nil
}
