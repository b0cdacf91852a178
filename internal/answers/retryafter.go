// Package answers reads what the HTTP answers of all stores say alike.
package answers

import (
	"net/http"
	"strconv"
	"time"
)

// longestWait bounds what a store can ask for. Longer is a date that means never,
// or a number that is none of seconds, and as many nanoseconds would overflow.
const longestWait = time.Hour

// RetryAfter returns how long an answer asks to wait, zero where it does not and at
// the most an hour. It reads Azure's headers in milliseconds, and Retry-After as
// seconds or as a date by the clock of the answering server.
func RetryAfter(header http.Header) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		text := header.Get(name)
		if text == "" {
			continue
		}
		if n, err := strconv.ParseUint(text, 10, 63); err == nil && n > 0 {
			return bounded(n, time.Millisecond)
		}
	}
	text := header.Get("Retry-After")
	if text == "" {
		return 0
	}
	if n, err := strconv.ParseUint(text, 10, 63); err == nil {
		return bounded(n, time.Second)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(0, at.Sub(now)), longestWait)
}

func bounded(n uint64, unit time.Duration) time.Duration {
	return time.Duration(min(n, uint64(longestWait/unit))) * unit
}
