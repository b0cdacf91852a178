package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// day is how long a day is taken to be.
const day = 24 * time.Hour

// mostDays is how many of them a duration has room for.
const mostDays = uint64(math.MaxInt64 / day)

// A span is a flag that is a duration, in days, too.
type span time.Duration

var (
	errSpan     = errors.New("it is a time as 7d, 12h or 1h30m")
	errLongSpan = fmt.Errorf("it is %dd at the most", mostDays)
)

// Set implements the interface of flags. It reads what time.ParseDuration reads,
// and days in front of it.
func (s *span) Set(text string) error {
	days, rest, hasDays := strings.Cut(text, "d")
	var sum time.Duration
	if hasDays {
		n, err := strconv.ParseUint(days, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange) || n > mostDays:
			return errLongSpan
		case err != nil:
			return errSpan
		}
		sum = time.Duration(n) * day
	} else {
		rest = text
	}
	if rest != "" || !hasDays {
		d, err := time.ParseDuration(rest)
		switch {
		case err != nil || d < 0:
			return errSpan
		case d > math.MaxInt64-sum:
			return errLongSpan
		}
		sum += d
	}
	*s = span(sum)
	return nil
}

// String implements the interface of flags.
func (s *span) String() string {
	d := time.Duration(*s)
	if d >= day && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	return d.String()
}

// Type implements the interface of flags.
func (s *span) Type() string { return "duration" }
