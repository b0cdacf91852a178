package committer

import (
	"errors"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/backends"
)

// clockWarning is how far clocks may be apart without a warning.
const clockWarning = 5 * time.Minute

// A clockReading is the store's clock in the answer that came fastest.
type clockReading struct {
	known bool
	ahead time.Duration
	took  time.Duration
}

// read takes in what time the store said it is, in the answer to a request.
func (c *clockReading) read(said, sent time.Time) {
	took := time.Since(sent)
	if said.IsZero() || c.known && took >= c.took {
		return
	}
	*c = clockReading{known: true, ahead: said.Sub(sent.Add(took / 2).Round(0)), took: took}
}

// isClockOff reports whether the store's clock and that of this machine are known
// to be too far apart for signed requests.
func (p *probe) isClockOff() bool { return p.clock.known && p.clock.ahead.Abs() > clockWarning }

func (p *probe) judgeClock() {
	if !p.clock.known {
		return
	}
	ahead := p.clock.ahead
	p.report.Figures.ClockAhead = &ahead
	if p.isClockOff() {
		where := "ahead of"
		if ahead < 0 {
			where = "behind"
		}
		p.find(probeClockOff, "The store's clock is %v %s that of this machine.", ahead.Abs().Round(time.Second), where)
	}
}

// isClock reports whether credentials are refused for the time of the request.
// Azure has no code for it, so the backend says it in words.
func isClock(err error) bool {
	var answer *backends.Error
	if !errors.As(err, &answer) {
		return false
	}
	return answer.Code == "RequestTimeTooSkewed" || answer.Code == "RequestExpired" ||
		strings.Contains(answer.Err.Error(), "the clock of this machine")
}
