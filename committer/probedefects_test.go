package committer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
)

// folderOfProbe is where the stores of these tests are probed.
const folderOfProbe = "some/folder"

const bystander = folderOfProbe + "/t.lance/_versions/1.manifest"

// below returns the keys of a store but that of the bystander.
func below(t *testing.T, store *memory.Store, prefix string) (keys []string) {
	t.Helper()
	page, err := store.List(context.Background(), backends.ListInput{Prefix: prefix})
	require.NoError(t, err)
	for _, object := range page.Objects {
		if object.Key != bystander {
			keys = append(keys, object.Key)
		}
	}
	for token := page.Token; token != ""; token = page.Token {
		page, err = store.List(context.Background(), backends.ListInput{Prefix: prefix, Token: token})
		require.NoError(t, err)
		for _, object := range page.Objects {
			keys = append(keys, object.Key)
		}
	}
	for _, folder := range page.Prefixes {
		keys = append(keys, below(t, store, folder)...)
	}
	return keys
}

// named returns the findings by name.
func named(report committer.ProbeReport) map[string]committer.ProbeFinding {
	byName := make(map[string]committer.ProbeFinding)
	for _, f := range report.Findings {
		byName[f.Name] = f
	}
	return byName
}

// answer is an error as a backend returns it.
func answer(sentinel error, code, text string) error {
	return &backends.Error{Op: "op", Key: "key", Status: 403, Code: code, Err: fmt.Errorf("%w: %s", sentinel, text)}
}

var (
	errDenied = answer(backends.ErrPermission, "AccessDenied", "Access Denied")
	// noCode is what a HEAD is answered, which has no body.
	noCode  = answer(backends.ErrPermission, "", "Forbidden")
	errDial = &backends.Error{Op: "op", Key: "key", Err: &net.OpError{Op: "dial", Err: fmt.Errorf("connection refused")}}
)

// absentIsDenied is what S3 answers to who may not list.
func absentIsDenied(s *scriptedStore) {
	next := s.head
	s.head = func(ctx context.Context, key string) (backends.Attrs, error) {
		if !s.has(key) {
			return backends.Attrs{}, errDenied
		}
		return next(ctx, key)
	}
}

// A times counts what happens to each key.
type times struct {
	mu    sync.Mutex
	count map[string]int
}

// next counts one more time, from 1.
func (n *times) next(key string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.count == nil {
		n.count = make(map[string]int)
	}
	n.count[key]++
	return n.count[key]
}

// firstTime reports whether it is called for the first time with a key.
func firstTime() func(key string) bool {
	var seen times
	return func(key string) bool { return seen.next(key) == 1 }
}

func TestProbeTellsEachDefectByItsName(t *testing.T) {
	ordered := func(s *scriptedStore) { s.caps.OrderedList = true }
	hour := func(d time.Duration) func(*scriptedStore) {
		return pages(func(_ backends.ListInput, page *backends.Page) { page.Now = page.Now.Add(d) })
	}
	for _, tc := range []struct {
		name   string
		store  memory.Options
		defect func(*scriptedStore)
		// others is how many further endpoints there are.
		others int
		want   committer.ProbeVerdict
		// also are the other findings.
		also []string
		// says is in the text of the finding that the verdict has, or of the
		// first one of also.
		says string
		safe bool
	}{
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

		// Who may what.
		{name: "listing is denied", defect: all(absentIsDenied, fails("list", errDenied)), want: "no-permission", says: "refuses to list:"},
		{name: "creating is denied", defect: fails("create", errDenied), want: "no-permission", says: "refuses to create:"},
		{name: "reading is denied", defect: fails("get", errDenied), want: "no-permission", says: "refuses to read:"},
		{name: "looking is denied", defect: fails("head", errDenied), want: "no-permission", says: "refuses to read:"},
		{name: "looking at what is absent is denied", defect: absentIsDenied, want: "no-permission", says: "refuses to read:"},
		{name: "a refusal has no code, and clocks agree", defect: fails("get", noCode), want: "no-permission", says: "look at the clocks"},
		{name: "a refusal has a code, and clocks do not agree", defect: all(hour(time.Hour), fails("get", errDenied)),
			want: "no-permission", also: []string{"clock-off"}, says: "refuses to read:"},
		{name: "deleting does nothing", defect: fails("delete", nil), want: "enforced", safe: true,
			also: []string{"delete-ignored", "left-behind"}, says: "is still there. The store said that it deleted 38 objects, and lists"},
		{name: "deleting does nothing to one object", want: "enforced", safe: true, also: []string{"delete-ignored", "left-behind"},
			says: "deleted 1 object, and lists",
			defect: func(s *scriptedStore) {
				s.remove = func(ctx context.Context, key string) error {
					if strings.HasSuffix(key, "/race-0003") {
						return nil
					}
					return s.Store.Delete(ctx, key)
				}
			}},
		{name: "deleting is denied", defect: fails("delete", errDenied), want: "enforced", safe: true,
			also: []string{"delete-denied", "left-behind"}, says: "refuses to delete"},
		{name: "all is denied", want: "no-permission", says: "refuses to list, to create, to delete:",
			defect: all(fails("list", errDenied), fails("create", errDenied), fails("head", errDenied), fails("get", errDenied), fails("delete", errDenied))},
		{name: "the credentials are wrong", defect: fails("list", answer(backends.ErrUnauthenticated, "SignatureDoesNotMatch", "check the secret key")),
			want: "unauthenticated", says: "check the secret key"},
		{name: "the credentials expire on the way", want: "unauthenticated",
			defect: createsOf("race", func(context.Context, string, []byte, func() error) error {
				return answer(backends.ErrUnauthenticated, "ExpiredToken", "get new ones")
			})},

		// Clocks.
		{name: "refusals have no code, and clocks do not agree", defect: all(hour(time.Hour), fails("get", noCode), fails("delete", noCode)),
			want: "clock-skew", also: []string{"clock-off", "left-behind"}, says: "gives no reason: op"},
		{name: "credentials are refused without a code, and clocks do not agree", want: "clock-skew", also: []string{"clock-off"},
			defect: all(hour(-time.Hour), fails("head", &backends.Error{Op: "op", Key: "key", Status: 401, Err: backends.ErrUnauthenticated}))},
		{name: "a look without a code is refused, and a create for its time", want: "clock-skew",
			defect: func(s *scriptedStore) {
				fails("head", noCode)(s)
				fails("create", answer(backends.ErrUnauthenticated, "RequestTimeTooSkewed", "the clocks of this machine and of the store differ"))(s)
			}, says: "RequestTimeTooSkewed: the store does not accept the credentials: the clocks of this machine and of the store differ. The store refuses"},
		{name: "the clock is refused, by a code", defect: fails("list", answer(backends.ErrUnauthenticated, "RequestTimeTooSkewed", "")),
			want: "clock-skew", says: "RequestTimeTooSkewed"},
		{name: "the request is too old", defect: fails("list", answer(backends.ErrUnauthenticated, "RequestExpired", "")), want: "clock-skew"},
		{name: "the clock is refused, in words", want: "clock-skew",
			defect: fails("list", answer(backends.ErrUnauthenticated, "AuthenticationFailed", "the clock of this machine is 1h behind the store's"))},
		{name: "the store's clock is ahead", defect: hour(time.Hour), want: "enforced", safe: true, also: []string{"clock-off"},
			says: "The store's clock is 1h0m0s ahead of that of this machine."},
		{name: "the store's clock is behind", defect: hour(-6 * time.Minute), want: "enforced", safe: true, also: []string{"clock-off"},
			says: "The store's clock is 6m0s behind that of this machine."},
		{name: "the store's clock is off, and only creates tell", want: "enforced", safe: true, also: []string{"clock-off"}, says: "1h0m0s ahead",
			defect: func(s *scriptedStore) {
				pages(func(_ backends.ListInput, page *backends.Page) { page.Now = time.Time{} })(s)
				next := s.put
				s.put = func(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
					attrs, err := next(ctx, key, body, opts)
					attrs.Modified = attrs.Modified.Add(time.Hour)
					return attrs, err
				}
			}},
		{name: "clocks are four minutes apart", defect: hour(4 * time.Minute), want: "enforced", safe: true},

		// Whether there is a store.
		{name: "the bucket is not there", defect: fails("list", answer(backends.ErrNoBucket, "NoSuchBucket", "")), want: "no-bucket"},
		{name: "the bucket is in another region", defect: fails("list", answer(backends.ErrInvalid, "PermanentRedirect", "set that region")),
			want: "invalid-request", says: "set that region"},
		{name: "the store throttles everything", want: "throttled", says: "429",
			defect: func(s *scriptedStore) {
				for _, method := range []string{"list", "head", "get", "create", "delete"} {
					fails(method, &backends.Error{Op: "op", Key: "key", Status: 429, Err: backends.ErrThrottled})(s)
				}
			}},
		{name: "nobody answers", defect: fails("list", errDial), want: "unreachable", says: "connection refused"},
		{name: "the store fails", defect: fails("head", &backends.Error{Op: "head", Key: "key", Status: 503, Err: fmt.Errorf("slow down")}),
			want: "unreachable", says: "slow down"},
		{name: "the store does not answer", want: "unreachable", says: "did not answer within 10s",
			defect: func(s *scriptedStore) {
				s.list = func(ctx context.Context, _ backends.ListInput) (backends.Page, error) {
					<-ctx.Done()
					return backends.Page{}, ctx.Err()
				}
			}},

		// Reads.
		{name: "HEAD says absent for a while", want: "stale-reads", says: "A HEAD right after a create says that the object is not there.",
			defect: func(s *scriptedStore) {
				var looks times
				s.head = func(ctx context.Context, key string) (backends.Attrs, error) {
					if looks.next(key) == 2 {
						return backends.Attrs{}, backends.ErrNotExist
					}
					return s.Store.Head(ctx, key)
				}
			}},
		{name: "HEAD shows what is not there", want: "stale-reads", says: "A HEAD shows a name that nobody created.",
			defect: func(s *scriptedStore) {
				first := firstTime()
				s.head = func(ctx context.Context, key string) (backends.Attrs, error) {
					if first(key) {
						return backends.Attrs{}, nil
					}
					return s.Store.Head(ctx, key)
				}
			}},
		{name: "HEAD says another size", want: "stale-reads", says: "A HEAD says 0 bytes of an object that has",
			defect: func(s *scriptedStore) {
				s.head = func(ctx context.Context, key string) (backends.Attrs, error) {
					attrs, err := s.Store.Head(ctx, key)
					attrs.Size = 0
					return attrs, err
				}
			}},
		{name: "GET says absent for a while", want: "stale-reads", says: "A GET right after a create says that the object is not there.",
			defect: func(s *scriptedStore) {
				first := firstTime()
				s.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
					if first(key) {
						return nil, backends.Attrs{}, backends.ErrNotExist
					}
					return s.Store.Get(ctx, key)
				}
			}},
		{name: "GET says absent later", want: "stale-reads", says: "A GET says that an object is not there that was created.",
			defect: func(s *scriptedStore) {
				first := firstTime()
				s.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
					if strings.Contains(key, "pair-") && !first(key) {
						return nil, backends.Attrs{}, backends.ErrNotExist
					}
					return s.Store.Get(ctx, key)
				}
			}},
		{name: "GET says absent at the end", want: "stale-reads", says: "A GET at the end says that the object is not there.",
			defect: func(s *scriptedStore) {
				first := firstTime()
				s.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
					if strings.Contains(key, "race-") && !first(key) {
						return nil, backends.Attrs{}, backends.ErrNotExist
					}
					return s.Store.Get(ctx, key)
				}
			}},
		{name: "GET gives other bytes", want: "stale-reads", says: "A GET right after a create gives other bytes",
			defect: func(s *scriptedStore) {
				first := firstTime()
				s.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
					body, attrs, err := s.Store.Get(ctx, key)
					if first(key) && strings.Contains(key, "pair-") {
						body = nil
					}
					return body, attrs, err
				}
			}},
		{name: "a create without an answer left other bytes", want: "stale-reads", says: "has other bytes", also: []string{"unknown-outcomes"},
			defect: func(s *scriptedStore) {
				createsOf("pair", func(_ context.Context, key string, body []byte, _ func() error) error {
					s.Inject(key, body[:5])
					return errReset
				})(s)
			}},
		{name: "a create that was refused left other bytes", want: "stale-reads", says: "has other bytes",
			defect: func(s *scriptedStore) {
				createsOf("pair", func(_ context.Context, key string, body []byte, _ func() error) error {
					s.Inject(key, body[:5])
					return backends.ErrExists
				})(s)
			}},
		{name: "LIST does not show it at once", want: "stale-reads", says: "A LIST after a create does not show the object.",
			defect: func(s *scriptedStore) {
				first := firstTime()
				pages(func(_ backends.ListInput, page *backends.Page) {
					page.Objects = slices.DeleteFunc(page.Objects, func(o backends.Object) bool {
						return strings.Contains(o.Key, "pair-") && first(o.Key)
					})
				})(s)
			}},
		{name: "LIST says another size", want: "stale-reads", says: "A LIST says 0 bytes of an object that has",
			defect: pages(func(_ backends.ListInput, page *backends.Page) {
				for i := range page.Objects {
					page.Objects[i].Size = 0
				}
			})},

		// Listings.
		{name: "the order is not what the store says", store: memory.Options{Unordered: true}, defect: ordered, want: "wrong-listing",
			says: "not in the byte order"},
		{name: "folders are out of order", want: "wrong-listing", says: "not in the byte order",
			defect: pages(func(_ backends.ListInput, page *backends.Page) {
				if len(page.Prefixes) == 1 {
					page.Prefixes = append(page.Prefixes, "a folder/")
				}
			})},
		{name: "the store cannot list from a name on", want: "wrong-listing", says: "cannot list from a name on",
			defect: func(s *scriptedStore) {
				s.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
					if in.StartAfter != "" {
						return backends.Page{}, backends.ErrUnsupported
					}
					return s.Store.List(ctx, in)
				}
			}},
		{name: "a listing from a name on has that name", want: "wrong-listing", says: "does not begin right behind that name",
			defect: func(s *scriptedStore) {
				s.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
					if s.has(in.StartAfter) {
						in.StartAfter = in.StartAfter[:len(in.StartAfter)-1]
					}
					return s.Store.List(ctx, in)
				}
			}},
		{name: "a listing from a name on skips one", want: "wrong-listing", says: "does not begin right behind that name",
			defect: pages(func(in backends.ListInput, page *backends.Page) {
				if in.StartAfter != "" {
					page.Objects = page.Objects[1:]
				}
			})},
		{name: "a listing from a name that is absent begins at the start", want: "wrong-listing", says: "does not begin right behind that name",
			defect: func(s *scriptedStore) {
				s.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
					if in.StartAfter != "" && !s.has(in.StartAfter) {
						in.StartAfter = ""
					}
					return s.Store.List(ctx, in)
				}
			}},
		{name: "pages lose a name", want: "wrong-listing", says: "A listing in pages leaves out a name",
			defect: pages(func(in backends.ListInput, page *backends.Page) {
				if in.Limit == 5 && page.Token != "" {
					page.Objects = page.Objects[:len(page.Objects)-1]
				}
			})},
		{name: "pages repeat a name", want: "wrong-listing", says: "twice",
			defect: func(s *scriptedStore) {
				var last backends.Object
				pages(func(in backends.ListInput, page *backends.Page) {
					if in.Token != "" && in.Limit == 5 {
						page.Objects = append([]backends.Object{last}, page.Objects...)
					}
					if len(page.Objects) > 0 {
						last = page.Objects[len(page.Objects)-1]
					}
				})(s)
			}},
		{name: "pages have no end", want: "wrong-listing", says: "has no end",
			defect: func(s *scriptedStore) {
				s.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
					in.Token = ""
					page, err := s.Store.List(ctx, in)
					page.Token = "again"
					return page, err
				}
			}},

		// What tables survive.
		{name: "metadata is not kept", store: memory.Options{NoMetadata: true}, want: "enforced", safe: true, also: []string{"metadata-lost"},
			defect: func(s *scriptedStore) { s.caps.Metadata = true }, says: "metadata that a create sent is not what the object has"},
		{name: "a name that was deleted is taken", want: "enforced", safe: true, also: []string{"name-not-reusable"}, says: "was deleted was refused",
			defect: func(s *scriptedStore) {
				var deleted sync.Map
				s.remove = func(ctx context.Context, key string) error {
					deleted.Store(key, true)
					return s.Store.Delete(ctx, key)
				}
				createsOf("pair", func(_ context.Context, key string, _ []byte, through func() error) error {
					if _, gone := deleted.Load(key); gone {
						return backends.ErrExists
					}
					return through()
				})(s)
			}},

		// Several at once.
		{name: "racy, metadata lost, pages that lose", want: "racy", also: []string{"wrong-listing", "metadata-lost"}, says: "more than one",
			defect: all(looksThenWrites, pages(func(in backends.ListInput, page *backends.Page) {
				if in.Limit == 5 && page.Token != "" {
					page.Objects = page.Objects[1:]
				}
			}))},
		{name: "ignored, no deleting, a clock that is off", want: "ignored", says: "same bytes",
			also:   []string{"delete-denied", "metadata-lost", "clock-off", "left-behind"},
			defect: all(ignoresTheCondition, fails("delete", errDenied), hour(time.Hour))},
		{name: "ignored, no listing, no deleting", want: "ignored", says: "same bytes", also: []string{"no-permission", "metadata-lost", "left-behind"},
			defect: all(ignoresTheCondition, fails("list", errDenied), fails("delete", errDenied))},
	} {
		for _, pace := range []string{"", ", far away"} {
			t.Run(tc.name+pace, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := newScripted(tc.store)
					store.Inject(bystander, []byte("bystander"))
					if tc.defect != nil {
						tc.defect(store)
					}
					if pace != "" {
						farAway(store)
					}
					opts := committer.ProbeOptions{Root: folderOfProbe, Grace: time.Minute}
					var first backends.Store = store
					if tc.others > 0 {
						handles := endpointsOf(store, 1+tc.others)
						first, opts.Others = handles[0], handles[1:]
					}
					report, err := committer.Probe(t.Context(), first, opts)
					require.NoError(t, err)

					require.Equal(t, tc.want, report.Verdict, "%+v", report.Findings)
					require.Equal(t, tc.safe, report.Safe())
					names := slices.Sorted(maps.Keys(named(report)))
					want := append([]string{string(tc.want)}, tc.also...)
					require.ElementsMatch(t, want, names, "%+v", report.Findings)
					require.Equal(t, string(tc.want), report.Findings[0].Name, "the first finding is that of the verdict")
					about := string(tc.want)
					if tc.safe && len(tc.also) > 0 {
						about = tc.also[0]
					}
					require.Contains(t, named(report)[about].Text(), tc.says)
					for _, f := range report.Findings {
						require.NotEmpty(t, f.Seen, f.Name)
						require.NotEmpty(t, f.Means, f.Name)
						if f.Level == committer.ProbeUnsafe || f.Level == committer.ProbeError {
							require.NotEmpty(t, f.Do, f.Name)
						}
					}

					left := below(t, store.Store, "")
					require.ElementsMatch(t, left, report.Left, "what is said to be left")
					if !slices.Contains(tc.also, "left-behind") {
						require.Empty(t, left)
					}
					require.True(t, store.holds(bystander, []byte("bystander")))
					_, err = json.Marshal(report)
					require.NoError(t, err)
				})
			})
		}
	}
}

func TestProbeNamesAllPermissionsThatAreDenied(t *testing.T) {
	for _, tc := range []struct {
		denied []string // methods
		want   []string
	}{
		{nil, []string{}},
		{[]string{"list"}, []string{"list"}},
		{[]string{"list", "create", "delete"}, []string{"list", "create", "delete"}},
		{[]string{"create", "head"}, []string{"create", "read"}},
		{[]string{"get", "delete"}, []string{"read", "delete"}},
		{[]string{"delete"}, []string{"delete"}},
	} {
		t.Run(strings.Join(tc.denied, " "), func(t *testing.T) {
			store := newScripted(memory.Options{})
			for _, method := range tc.denied {
				fails(method, errDenied)(store)
			}
			report, err := committer.Probe(t.Context(), store, committer.ProbeOptions{})
			require.NoError(t, err)
			require.Equal(t, tc.want, report.Denied)
		})
	}
}
