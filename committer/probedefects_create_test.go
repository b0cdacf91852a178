package committer_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
)

// createDefects are those of creates.
func createDefects() []defectiveStore {
	return []defectiveStore{
		// Creates, one after the other.
		{name: "the condition is ignored", defect: ignoresTheCondition, want: "ignored",
			also: []string{"metadata-lost"}, says: "same bytes"},
		{name: "a second create says that it succeeded, and wrote nothing", want: "ignored", says: "the first are still there",
			defect: creates(func(_ context.Context, _ string, body []byte, through func() error) error {
				if err := through(); bytes.Contains(body, []byte("second")) {
					return nil
				} else {
					return err
				}
			})},
		{name: "a second create succeeds and writes", want: "ignored", says: "replaced the bytes of the first",
			defect: func(s *scriptedStore) {
				creates(func(_ context.Context, key string, body []byte, through func() error) error {
					if bytes.Contains(body, []byte("second")) {
						s.Inject(key, body)
						return nil
					}
					return through()
				})(s)
			}},
		{name: "a second create says that it lost, and replaced the bytes", want: "ignored", says: "that was refused, replaced the bytes",
			defect: func(s *scriptedStore) {
				creates(func(_ context.Context, key string, body []byte, through func() error) error {
					err := through()
					if err != nil {
						s.Inject(key, body)
					}
					return err
				})(s)
			}},
		{name: "a second create has no answer, and replaced the bytes", want: "ignored", says: "without a usable answer, replaced the bytes",
			also: []string{"unknown-outcomes"},
			defect: func(s *scriptedStore) {
				creates(func(_ context.Context, key string, body []byte, through func() error) error {
					if err := through(); err != nil {
						s.Inject(key, body)
						return errReset
					}
					return nil
				})(s)
			}},
		{name: "a create of equal bytes succeeds", want: "ignored", says: "the same bytes as the first",
			defect: func(s *scriptedStore) {
				creates(func(_ context.Context, key string, body []byte, through func() error) error {
					if s.holds(key, body) {
						return nil
					}
					return through()
				})(s)
			}},
		{name: "the condition is inverted", defect: inverts, want: "inverted", says: "One of a name that is there succeeded."},
		{name: "every create is refused as taken", defect: fails("create", backends.ErrExists), want: "inverted",
			says: "One of a name that is there was refused, too."},
		{name: "a proxy repeats creates", want: "repeated", says: "its own bytes are there",
			defect: creates(func(_ context.Context, _ string, _ []byte, through func() error) error {
				_ = through()
				return through()
			})},
		{name: "conditional creates are not supported", defect: fails("create", answer(backends.ErrUnsupported, "NotImplemented", "A header")),
			want: "unsupported", says: "NotImplemented"},

		{name: "a read is not supported", defect: fails("head", answer(backends.ErrUnsupported, "NotImplemented", "A key")),
			want: "unsupported", says: "asked for to read: op"},
		{name: "a listing is not supported, which an answer without a code says", want: "unsupported", says: "asked for to list: op",
			defect: fails("list", &backends.Error{Op: "op", Key: "key", Status: 501, Err: fmt.Errorf("Not Implemented")})},
		{name: "a text of the backend's speaks of creates, and it was a read", want: "unsupported", says: "not supported by the store: A key.",
			defect: fails("get", answer(backends.ErrUnsupported, "NotImplemented", "the store cannot create conditionally, and a commit needs it: A key."))},

		// Creates at once.
		{name: "there is time between the look and the write", defect: looksThenWrites, want: "racy",
			also: []string{"metadata-lost"}, says: "In 20 of 20 rounds more than one of 8 creates at once succeeded"},
		{name: "endpoints do not agree at once", defect: farAway, others: 7, want: "racy", also: []string{"metadata-lost"}, says: "more than one"},
		{name: "the bytes of one that lost a race stay", want: "racy", says: "not those of the one that succeeded",
			defect: func(s *scriptedStore) {
				createsOf("race", func(_ context.Context, key string, body []byte, through func() error) error {
					err := through()
					if err != nil {
						s.Inject(key, body)
					}
					return err
				})(s)
			}},
		{name: "after a race the bytes change", want: "racy", says: "A GET at the end gives other bytes",
			defect: func(s *scriptedStore) {
				first := firstTime()
				s.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
					body, attrs, err := s.Store.Get(ctx, key)
					if strings.Contains(key, "race-") && !first(key) {
						body = []byte("of one that lost")
					}
					return body, attrs, err
				}
			}},
		{name: "races are repeated", want: "repeated", says: "the bytes are there of one that was refused",
			defect: createsOf("race", func(_ context.Context, _ string, _ []byte, through func() error) error {
				_ = through()
				return through()
			})},
		{name: "some races have no winner", want: "enforced", also: []string{"no-winner"}, safe: true,
			says: "In 4 of 20 rounds of creates at once all were refused, and nothing is there.",
			defect: createsOf("race", func(_ context.Context, key string, _ []byte, through func() error) error {
				if key[len(key)-1]%5 == 0 {
					return backends.ErrExists
				}
				return through()
			})},
		{name: "the winner of a race is not there", want: "stale-reads", says: "after a race",
			defect: func(s *scriptedStore) {
				first := firstTime()
				createsOf("race", func(_ context.Context, key string, _ []byte, _ func() error) error {
					if first(key) {
						return nil
					}
					return backends.ErrExists
				})(s)
			}},

		// Answers that prove nothing.
		{name: "every answer to a create is lost", want: "unstable", says: "Only in 0 of 5 cases",
			also: []string{"unknown-outcomes"}, defect: creates(func(_ context.Context, _ string, _ []byte, through func() error) error {
				_ = through()
				return errReset
			})},
		{name: "the answers to races are lost", want: "enforced", safe: true, also: []string{"unknown-outcomes"},
			says: "160 creates had no answer that proves anything.",
			defect: createsOf("race", func(_ context.Context, _ string, _ []byte, through func() error) error {
				_ = through()
				return errReset
			})},
		{name: "races are lost on the way", want: "unstable", says: "Only 0 of 20 rounds", also: []string{"unknown-outcomes"},
			defect: createsOf("race", func(context.Context, string, []byte, func() error) error { return errReset })},
		{name: "names for the listing are lost on the way", want: "unstable", says: "Only 0 of 13 names", also: []string{"unknown-outcomes"},
			defect: creates(func(_ context.Context, key string, _ []byte, through func() error) error {
				if strings.Contains(key, "/list/") {
					return errReset
				}
				return through()
			})},
		{name: "the store says that it decided nothing, at first", want: "enforced", safe: true,
			defect: func(s *scriptedStore) {
				var tried times
				next := s.put
				s.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
					nothing := []error{backends.ErrContended, backends.ErrThrottled, backends.ErrNotStored}
					if n := tried.next(string(body)); n <= len(nothing) {
						return backends.Attrs{}, nothing[n-1]
					}
					return next(ctx, key, body, opts)
				}
			}},
	}
}
