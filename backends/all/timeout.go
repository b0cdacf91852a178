package all

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/backends"
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
	s := timed{store, most}
	over, overwrites := store.(backends.Overwriter)
	bulk, deletes := store.(backends.BulkDeleter)
	switch {
	case overwrites && deletes:
		return struct {
			timed
			timedOverwriter
			timedBulkDeleter
		}{s, timedOverwriter{over, most}, timedBulkDeleter{bulk, most}}
	case overwrites:
		return struct {
			timed
			timedOverwriter
		}{s, timedOverwriter{over, most}}
	case deletes:
		return struct {
			timed
			timedBulkDeleter
		}{s, timedBulkDeleter{bulk, most}}
	}
	return s
}

type timed struct {
	Store
	most time.Duration
}

var _ backends.Located = timed{}

type timedOverwriter struct {
	over backends.Overwriter
	most time.Duration
}

type timedBulkDeleter struct {
	bulk backends.BulkDeleter
	most time.Duration
}

// bound calls do with a context that ends in time.
func bound(ctx context.Context, most time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("the option timeout is %v", most))
	defer cancel()
	err := do(ctx)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && context.Cause(ctx) != ctx.Err() {
		return fmt.Errorf("%w (%w)", err, context.Cause(ctx))
	}
	return err
}

func (s timed) PutIfAbsent(ctx context.Context, key string, body []byte, opts backends.PutOptions) (attrs backends.Attrs, err error) {
	err = bound(ctx, s.most, func(ctx context.Context) error {
		attrs, err = s.Store.PutIfAbsent(ctx, key, body, opts)
		return err
	})
	return attrs, err
}

func (s timed) Get(ctx context.Context, key string) (body []byte, attrs backends.Attrs, err error) {
	err = bound(ctx, s.most, func(ctx context.Context) error {
		body, attrs, err = s.Store.Get(ctx, key)
		return err
	})
	return body, attrs, err
}

func (s timed) Head(ctx context.Context, key string) (attrs backends.Attrs, err error) {
	err = bound(ctx, s.most, func(ctx context.Context) error {
		attrs, err = s.Store.Head(ctx, key)
		return err
	})
	return attrs, err
}

func (s timed) List(ctx context.Context, in backends.ListInput) (page backends.Page, err error) {
	err = bound(ctx, s.most, func(ctx context.Context) error {
		page, err = s.Store.List(ctx, in)
		return err
	})
	return page, err
}

func (s timed) Delete(ctx context.Context, key string) error {
	return bound(ctx, s.most, func(ctx context.Context) error { return s.Store.Delete(ctx, key) })
}

// URLs are those of the store, which make no request.
func (s timed) URLs() []string {
	if located, ok := s.Store.(backends.Located); ok {
		return located.URLs()
	}
	return nil
}

func (s timedOverwriter) Overwrite(ctx context.Context, key string, body []byte) error {
	return bound(ctx, s.most, func(ctx context.Context) error { return s.over.Overwrite(ctx, key, body) })
}

func (s timedBulkDeleter) BulkDelete(ctx context.Context, keys []string) error {
	return bound(ctx, s.most, func(ctx context.Context) error { return s.bulk.BulkDelete(ctx, keys) })
}

func (s timedBulkDeleter) BulkLimit() int { return s.bulk.BulkLimit() }
