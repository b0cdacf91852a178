package answers_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/internal/answers"
)

func TestRetryAfter(t *testing.T) {
	const date = "Mon, 02 Jan 2006 15:04:05 GMT"
	for _, tc := range []struct {
		says   string
		header map[string]string
		want   time.Duration
	}{
		{"nothing", nil, 0},
		{"seconds", map[string]string{"Retry-After": "7"}, 7 * time.Second},
		{"milliseconds, as Azure has them", map[string]string{"x-ms-retry-after-ms": "1500", "Retry-After": "9"}, 1500 * time.Millisecond},
		{"milliseconds of the other name", map[string]string{"retry-after-ms": "20"}, 20 * time.Millisecond},
		{"a date, by the clock of the store", map[string]string{"Retry-After": "Mon, 02 Jan 2006 15:04:35 GMT", "Date": date}, 30 * time.Second},
		{"a date that has passed", map[string]string{"Retry-After": date, "Date": "Mon, 02 Jan 2006 15:04:35 GMT"}, 0},
		{"a date that has passed by the clock of this machine", map[string]string{"Retry-After": date}, 0},

		{"words", map[string]string{"Retry-After": "soon"}, 0},
		{"less than nothing", map[string]string{"Retry-After": "-1"}, 0},
		{"a date that means never", map[string]string{"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"}, time.Hour},
		{"more seconds than a duration has", map[string]string{"Retry-After": "9223372036854775807"}, time.Hour},
		{"more milliseconds than a duration has", map[string]string{"x-ms-retry-after-ms": "9223372036854775807"}, time.Hour},
		{"more than any number has", map[string]string{"Retry-After": "99999999999999999999"}, 0},
	} {
		t.Run(tc.says, func(t *testing.T) {
			header := http.Header{}
			for name, value := range tc.header {
				header.Set(name, value)
			}
			require.Equal(t, tc.want, answers.RetryAfter(header))
		})
	}
}
