package committer_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/backends"
)

// accessDefects are those of permissions, clocks and addresses.
func accessDefects() []defectiveStore {
	return []defectiveStore{
		// Who may what.
		{name: "listing is denied", defect: all(absentIsDenied, fails("list", errDenied)), want: "no-permission", says: "refuses to list:"},
		{name: "creating is denied", defect: fails("create", errDenied), want: "no-permission", says: "refuses to create:"},
		{name: "reading is denied", defect: fails("get", errDenied), want: "no-permission", says: "refuses to read:"},
		{name: "looking is denied", defect: fails("head", errDenied), want: "no-permission", says: "refuses to read:"},
		{name: "looking at what is absent is denied", defect: absentIsDenied, want: "no-permission", says: "refuses to read:"},
		{name: "a refusal has no code, and clocks agree", defect: fails("get", noCode), want: "no-permission", says: "look at the clocks"},
		{name: "a refusal has a code, and clocks do not agree", defect: all(clockOff(time.Hour), fails("get", errDenied)),
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
		{name: "refusals have no code, and clocks do not agree", defect: all(clockOff(time.Hour), fails("get", noCode), fails("delete", noCode)),
			want: "clock-skew", also: []string{"clock-off", "left-behind"}, says: "gives no reason: op"},
		{name: "credentials are refused without a code, and clocks do not agree", want: "clock-skew", also: []string{"clock-off"},
			defect: all(clockOff(-time.Hour), fails("head", &backends.Error{Op: "op", Key: "key", Status: 401, Err: backends.ErrUnauthenticated}))},
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
		{name: "the store's clock is ahead", defect: clockOff(time.Hour), want: "enforced", safe: true, also: []string{"clock-off"},
			says: "The store's clock is 1h0m0s ahead of that of this machine."},
		{name: "the store's clock is behind", defect: clockOff(-6 * time.Minute), want: "enforced", safe: true, also: []string{"clock-off"},
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
		{name: "clocks are four minutes apart", defect: clockOff(4 * time.Minute), want: "enforced", safe: true},

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
	}
}

// clockOff makes the clock of a store's listings go wrong by a time.
func clockOff(by time.Duration) func(*scriptedStore) {
	return pages(func(_ backends.ListInput, page *backends.Page) { page.Now = page.Now.Add(by) })
}
