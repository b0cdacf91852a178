package all

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/internal/intercept"
)

// common are the options of every cloud.
func (at *place) common() []option {
	return []option{custom(at.setTimeout, "timeout")}
}

// setTimeout takes a duration as Lance writes it: "30s", "1m 30s", "2 minutes".
func (at *place) setTimeout(value string) (err error) {
	if at.timeout, err = parseDuration(value); err == nil && at.timeout <= 0 {
		err = errDuration
	}
	return err
}

var errDuration = errors.New("is no time; write it as 30s or 1m 30s")

// units are the words for units of time, each with Go's.
var units = map[string]string{
	"ms": "ms", "msec": "ms", "millis": "ms", "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
	"m": "m", "min": "m", "mins": "m", "minute": "m", "minutes": "m", "h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
}

var (
	amount  = regexp.MustCompile(`(\d{1,9})\s*([a-z]+)\s*`)
	amounts = regexp.MustCompile(`^(` + amount.String() + `)+$`)
)

func parseDuration(value string) (time.Duration, error) {
	value = strings.ToLower(strings.TrimSpace(value))
	if !amounts.MatchString(value) {
		return 0, errDuration
	}
	var text strings.Builder
	for _, part := range amount.FindAllStringSubmatch(value, -1) {
		unit, known := units[part[2]]
		if !known {
			return 0, errDuration
		}
		text.WriteString(part[1] + unit)
	}
	d, err := time.ParseDuration(text.String())
	if err != nil {
		return 0, errDuration // not wrapped: it repeats the value
	}
	return d, nil
}

// within returns a store each of whose calls ends in a time. What else the store
// can do, the result can do.
func within(store Store, most time.Duration) Store {
	over := fmt.Errorf("the option timeout is %v", most)
	return intercept.Wrap(store, func(ctx context.Context, _ intercept.Call, do func(context.Context) error) error {
		ctx, cancel := context.WithTimeoutCause(ctx, most, over)
		defer cancel()
		err := do(ctx)
		if err != nil && context.Cause(ctx) == over {
			return fmt.Errorf("%w (%w)", err, over)
		}
		return err
	}).(Store)
}
