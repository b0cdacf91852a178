package azure_test

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

func TestTheOutcomeOfACommitIsProven(t *testing.T) {
	mine, others := testmanifest.New(2, "", "mine"), testmanifest.New(2, "", "them")
	key := naming.Versions("t") + naming.V2.Final(2)
	// keep lets the account store the content, and loses its answer.
	keep := func(a *account, r *http.Request) { a.serve(&lost{http.Header{}}, r) }
	type fate func(a *account, n int, w http.ResponseWriter, r *http.Request) bool
	for _, tc := range []struct {
		name string
		fate fate
		want error
		puts int
	}{
		{"kept, and the answer is 500", func(a *account, n int, w http.ResponseWriter, r *http.Request) bool {
			keep(a, r)
			return answer(500, "InternalError")(n, w, r)
		}, nil, 1},
		{"kept, and the answer is 503", func(a *account, n int, w http.ResponseWriter, r *http.Request) bool {
			keep(a, r)
			return answer(503, "ServerBusy")(n, w, r)
		}, nil, 1},
		{"kept, and the connection drops", func(a *account, n int, w http.ResponseWriter, r *http.Request) bool {
			keep(a, r)
			return drop(n, w, r)
		}, nil, 1},
		{"kept, and the answer is that of a lost race", func(a *account, n int, w http.ResponseWriter, r *http.Request) bool {
			keep(a, r)
			return answer(403, "UnauthorizedBlobOverwrite")(n, w, r)
		}, nil, 1},
		{"kept, and a portal answers", func(a *account, n int, w http.ResponseWriter, r *http.Request) bool {
			keep(a, r)
			return portal(n, w, r)
		}, nil, 1},
		{"not kept, and a portal answers with a success", func(a *account, n int, w http.ResponseWriter, r *http.Request) bool {
			return n == 1 && page(201)(n, w, r)
		}, nil, 2},
		{"a rival was first, and a portal answers with a success", func(a *account, n int, w http.ResponseWriter, r *http.Request) bool {
			a.lay(key, others)
			return page(201)(n, w, r)
		}, committer.ErrConflict, 1},
		{"not kept, and the connection drops", func(a *account, n int, w http.ResponseWriter, r *http.Request) bool {
			return n == 1 && drop(n, w, r)
		}, nil, 2},
		{"throttled once", func(a *account, n int, w http.ResponseWriter, r *http.Request) bool {
			return n == 1 && answer(429, "")(n, w, r)
		}, nil, 2},
		{"a rival was first", func(a *account, n int, w http.ResponseWriter, r *http.Request) bool {
			a.lay(key, others)
			return false
		}, committer.ErrConflict, 1},
		{"a rival was first, and the connection drops", func(a *account, n int, w http.ResponseWriter, r *http.Request) bool {
			a.lay(key, others)
			return drop(n, w, r)
		}, committer.ErrConflict, 1},
		{"a rival was first, and the answer is that of a lost race", func(a *account, n int, w http.ResponseWriter, r *http.Request) bool {
			a.lay(key, others)
			return answer(400, "InvalidBlockList")(n, w, r)
		}, committer.ErrConflict, 1},
		{"a rival was first and leased it", func(a *account, n int, w http.ResponseWriter, r *http.Request) bool {
			a.lay(key, others)
			return answer(412, "LeaseIdMissing")(n, w, r)
		}, committer.ErrConflict, 1},
		{"denied", func(a *account, n int, w http.ResponseWriter, r *http.Request) bool {
			return answer(403, "AuthorizationFailure")(n, w, r)
		}, backends.ErrPermission, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var a *account
			a = newAccount(t, "PUT", func(n int, w http.ResponseWriter, r *http.Request) bool {
				return tc.fate(a, n, w, r)
			})
			a.lay(naming.Versions("t")+naming.V2.Final(1), testmanifest.New(1, "", "base"))
			table := committer.NewTable(a.store(t), "t", committer.WithRetry(committer.RetryPolicy{MinPause: time.Millisecond}))
			_, err := table.Commit(t.Context(), 2, mine)
			require.Equal(t, tc.puts, a.count("PUT"))
			if tc.want != nil {
				require.ErrorIs(t, err, tc.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, string(mine), a.blobs[key].body)
		})
	}
}

func TestAnOutcomeThatCannotBeLookedAtIsUnknown(t *testing.T) {
	var a *account
	a = newAccount(t, "PUT", func(n int, w http.ResponseWriter, r *http.Request) bool {
		a.mu.Lock()
		a.method, a.script = "HEAD", answer(403, "AuthorizationFailure")
		a.mu.Unlock()
		return drop(n, w, r)
	})
	a.lay(naming.Versions("t")+naming.V2.Final(1), testmanifest.New(1, "", "base"))
	table := committer.NewTable(a.store(t), "t", committer.WithRetry(committer.RetryPolicy{
		MinPause: time.Millisecond, MaxPause: time.Millisecond, MaxElapsed: 100 * time.Millisecond,
	}))
	_, err := table.Commit(t.Context(), 2, testmanifest.New(2, "", "mine"))
	require.ErrorIs(t, err, committer.ErrUnknownOutcome)
	require.NotErrorIs(t, err, committer.ErrConflict)
	require.Equal(t, 1, a.count("PUT"))
}

// A portal has a status of success and an ETag, as any web server sends them.
func TestAPortalInPlaceOfTheLookIsNoRival(t *testing.T) {
	mine := testmanifest.New(2, "", "mine")
	key := naming.Versions("t") + naming.V2.Final(2)
	for _, tc := range []struct {
		name string
		// looks is how many the portal answers.
		looks int
		want  error
	}{
		{"once", 1, nil},
		{"until the time is up", math.MaxInt, committer.ErrUnknownOutcome},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var a *account
			a = newAccount(t, "PUT", func(n int, w http.ResponseWriter, r *http.Request) bool {
				a.serve(&lost{http.Header{}}, r)
				a.mu.Lock()
				a.method, a.script = "HEAD", func(n int, w http.ResponseWriter, r *http.Request) bool {
					return n <= tc.looks && portal(n, w, r)
				}
				a.mu.Unlock()
				return drop(n, w, r)
			})
			a.lay(naming.Versions("t")+naming.V2.Final(1), testmanifest.New(1, "", "base"))
			table := committer.NewTable(a.store(t), "t", committer.WithRetry(committer.RetryPolicy{
				MinPause: time.Millisecond, MaxPause: time.Millisecond, MaxElapsed: 100 * time.Millisecond,
			}))
			_, err := table.Commit(t.Context(), 2, mine)
			require.ErrorIs(t, err, tc.want)
			require.NotErrorIs(t, err, committer.ErrConflict)
			require.Equal(t, 1, a.count("PUT"))
			require.GreaterOrEqual(t, a.count("HEAD"), 2)
			require.Equal(t, string(mine), a.blobs[key].body)
		})
	}
}

// lay puts an object without a request.
func (a *account) lay(key string, body []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.blobs[key] = stored{body: string(body)}
}

// lost is an answer that nobody gets.
type lost struct{ header http.Header }

func (l *lost) Header() http.Header         { return l.header }
func (l *lost) Write(p []byte) (int, error) { return len(p), nil }
func (l *lost) WriteHeader(int)             {}
