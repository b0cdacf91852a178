package committer_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

func TestTheOutcomeOfACommitIsProven(t *testing.T) {
	mine, others := manifestOf(2, "mine"), manifestOf(2, "them")
	for _, tc := range []struct {
		name string
		// there is what has the version when the first PUT is sent.
		there []byte
		steps []step
		want  error
		puts  int
	}{
		{"the reply is lost", nil, []step{lostReply}, nil, 1},
		{"the reply is lost, and a rival was first", others, []step{lostReply}, committer.ErrConflict, 1},
		{"an error, then it goes through", nil, []step{answers(errReset), pass}, nil, 2},
		{"an error, then the reply is lost", nil, []step{answers(errReset), lostReply}, nil, 2},
		{"refused as taken, by equal bytes", mine, []step{pass}, nil, 1},
		{"refused as taken", others, []step{pass}, committer.ErrConflict, 1},
		{"not decided, then it goes through", nil, []step{answers(backends.ErrContended), pass}, nil, 2},
		{"not decided, then refused", others, []step{answers(backends.ErrContended), pass}, committer.ErrConflict, 2},
		{"throttled, then it goes through", nil, []step{answers(backends.ErrThrottled), pass}, nil, 2},
		{"throttled while a rival has the version", others, []step{answers(backends.ErrThrottled)}, committer.ErrConflict, 1},
		{"throttled for ever", nil, []step{answers(backends.ErrThrottled)}, backends.ErrThrottled, untilSpent},
		{"not decided for ever", nil, []step{answers(backends.ErrContended)}, committer.ErrContention, untilSpent},
		{"an error for ever", nil, []step{answers(errReset)}, committer.ErrUnknownOutcome, untilSpent},
		{"denied", nil, []step{answers(backends.ErrPermission)}, backends.ErrPermission, 1},
		{
			"denied after an error: unknown sticks", nil,
			[]step{answers(errReset), answers(backends.ErrPermission)}, committer.ErrUnknownOutcome, 2,
		},
		{
			"not decided for ever after an error: unknown sticks", nil,
			[]step{answers(errReset), answers(backends.ErrContended)}, committer.ErrUnknownOutcome, untilSpent,
		},
		{"unsupported", nil, []step{answers(backends.ErrUnsupported)}, backends.ErrUnsupported, 1},
		{"not durable, and the object is there", nil, []step{notDurable}, committer.ErrUnknownOutcome, 1},
		{
			"refused as taken, and always absent when read back", nil,
			[]step{answers(backends.ErrExists)}, committer.ErrInconsistentStore, untilSpent,
		},
		{"refused as taken and absent once, then it goes through", nil, []step{answers(backends.ErrExists), pass}, nil, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := laid(1)
				first := tc.steps[0]
				steps := slices.Clone(tc.steps)
				steps[0] = func(ctx context.Context, do func(context.Context) error) error {
					if tc.there != nil && len(keys(t, store)) == 1 {
						store.Inject(naming.Versions(root)+naming.V2.Final(2), tc.there)
					}
					return first(ctx, do)
				}
				table, puts := scripted(store, steps)
				began := time.Now()
				got, err := table.Commit(t.Context(), 2, mine)

				require.LessOrEqual(t, time.Since(began), 31*time.Second, "the bound of a call")
				if tc.puts == untilSpent {
					require.Greater(t, *puts, 10)
					require.Less(t, *puts, 60, "pauses grow")
				} else {
					require.Equal(t, tc.puts, *puts)
				}
				if tc.want == nil {
					require.NoError(t, err)
					require.Equal(t, mine, body(t, store, 2))
					require.EqualValues(t, len(mine), got.Size)
					return
				}
				require.ErrorIs(t, err, tc.want)
				for _, other := range []error{committer.ErrConflict, committer.ErrUnknownOutcome, committer.ErrInvalid} {
					if other != tc.want {
						require.NotErrorIs(t, err, other)
					}
				}
				if tc.want == committer.ErrConflict {
					var conflict *committer.ConflictError
					require.ErrorAs(t, err, &conflict)
					require.Equal(t, root+"/_versions/"+naming.V2.Final(2), conflict.Winner.Key)
					require.Equal(t, others, body(t, store, 2), "the winner's bytes are untouched")
				}
			})
		})
	}
}

// Whatever the store keeps, and whoever asks.
func TestAStoreThatRefusesWhatIsAbsentContradictsItself(t *testing.T) {
	for _, opts := range []memory.Options{{}, {NoMetadata: true}, {NoMetadata: true, Unordered: true}} {
		for _, versions := range [][]uint64{nil, {1}} {
			for name, commit := range map[string]func(ctx context.Context, table *committer.Table, next uint64) error{
				"Commit": func(ctx context.Context, table *committer.Table, next uint64) error {
					_, err := table.Commit(ctx, next, manifestOf(next, "mine"))
					return err
				},
				"Update": func(ctx context.Context, table *committer.Table, _ uint64) error {
					_, err := table.Update(ctx, build)
					return err
				},
			} {
				t.Run(fmt.Sprintf("%s, after %v, %+v", name, versions, opts), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						store := memory.New(opts)
						lay(store, naming.V2, versions...)
						table, puts := scripted(store, []step{answers(backends.ErrExists)})
						err := commit(t.Context(), table, uint64(len(versions))+1)
						require.ErrorIs(t, err, committer.ErrInconsistentStore)
						require.NotErrorIs(t, err, committer.ErrContention)
						require.Less(t, *puts, 60, "pauses grow")
					})
				})
			}
		}
	}
}

func TestAnOutcomeThatCannotBeLookedAtIsUnknown(t *testing.T) {
	for _, tc := range []struct {
		name   string
		look   string
		reason error
	}{
		{"the look is denied", "HEAD", backends.ErrPermission},
		{"the look is reset", "HEAD", errReset},
		{"nothing is there, and the listing is denied", "LIST", backends.ErrPermission},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := laid(1)
				broken := false
				puts := 0
				table := committer.NewTable(intercept.Wrap(store, func(
					ctx context.Context, call intercept.Call, do func(context.Context) error,
				) error {
					switch {
					case call.Method == "PUT":
						puts++
						broken = true
						return errReset
					case broken && call.Method == tc.look:
						return tc.reason
					}
					return do(ctx)
				}), root)
				_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
				require.ErrorIs(t, err, committer.ErrUnknownOutcome)
				require.NotErrorIs(t, err, tc.reason, "an unknown outcome is not a denied one")
				require.ErrorContains(t, err, tc.reason.Error(), "the text says why")
				require.Equal(t, 1, puts, "nothing is sent again blindly")
			})
		})
	}
}

func TestAReplayThatCannotBeLookedAtIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, _ := refusing(laid(1, 2), "HEAD", backends.ErrPermission)
		_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
		require.ErrorIs(t, err, committer.ErrUnknownOutcome)
	})
}

func TestAStoreThatIsClosedIsNotAskedAgain(t *testing.T) {
	dir := t.TempDir()
	store, err := file.Open(dir)
	require.NoError(t, err)
	table := committer.NewTable(store, "")
	for version := range uint64(2) {
		_, err := table.Commit(t.Context(), version+1, manifestOf(version+1, "mine"))
		require.NoError(t, err)
	}
	require.NoError(t, store.Close())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err = table.Commit(ctx, 1, manifestOf(1, "mine"))
	require.ErrorIs(t, err, committer.ErrUnknownOutcome)
	require.ErrorContains(t, err, "closed")
	_, err = table.Resolve(ctx, 1, manifestOf(1, "mine"))
	require.ErrorIs(t, err, fs.ErrClosed)
	require.NoError(t, ctx.Err())
}

func TestALookThatFailsIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heads := 0
		table := committer.NewTable(intercept.Wrap(laid(1), func(
			ctx context.Context, call intercept.Call, do func(context.Context) error,
		) error {
			switch call.Method {
			case "PUT":
				return lostReply(ctx, do)
			case "HEAD":
				if heads++; heads < 3 {
					return errReset
				}
			}
			return do(ctx)
		}), root)
		_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
		require.NoError(t, err)
	})
}

func TestAVersionThatIsGoneBehindTheEndIsUnknown(t *testing.T) {
	// Others commit past the version and a clean-up takes it, while the reply to
	// the PUT is lost. Nobody can tell whose it was.
	synctest.Test(t, func(t *testing.T) {
		store := laid(1)
		table, puts := scripted(store, []step{func(context.Context, func(context.Context) error) error {
			lay(store, naming.V2, 3)
			return errReset
		}})
		_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
		require.ErrorIs(t, err, committer.ErrUnknownOutcome)
		require.Equal(t, 1, *puts)
		require.NotContains(t, keys(t, store), naming.V2.Final(2), "it is not brought back")
	})
}

func TestAVersionIsNotSentAgainIntoATableThatWasMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := laid(1)
		table, puts := scripted(store, []step{func(context.Context, func(context.Context) error) error {
			lay(store, naming.V2, 1) // written again: another ETag
			return errReset
		}})
		_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
		require.ErrorIs(t, err, committer.ErrUnknownOutcome)
		require.Equal(t, 1, *puts)
	})
}

func TestALateWriteIsFoundBeforeTheOutcomeIsCalledUnknown(t *testing.T) {
	// The write lands between the look and the listing.
	synctest.Test(t, func(t *testing.T) {
		store, mine := laid(1), manifestOf(2, "mine")
		lists := 0
		table := committer.NewTable(intercept.Wrap(store, func(
			ctx context.Context, call intercept.Call, do func(context.Context) error,
		) error {
			switch call.Method {
			case "PUT":
				return errReset
			case "LIST":
				if lists++; lists == 2 {
					store.Inject(naming.Versions(root)+naming.V2.Final(2), mine)
				}
			}
			return do(ctx)
		}), root)
		_, err := table.Commit(t.Context(), 2, mine)
		require.NoError(t, err)
	})
}

func TestAnUnknownOutcomeIsFoundInsideAWrapper(t *testing.T) {
	err := fmt.Errorf("job 7: %w", fmt.Errorf("write: %w",
		errors.Join(errors.New("first"), &committer.UnknownOutcomeError{Version: 2, Cause: errReset})))
	require.ErrorIs(t, err, committer.ErrUnknownOutcome)
	var unknown *committer.UnknownOutcomeError
	require.ErrorAs(t, err, &unknown)
	require.EqualValues(t, 2, unknown.Version)
}

func TestAnUnknownOutcomeForgetsTheEndOfTheChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := laid(1)
		broken := true
		log := new(intercept.Log)
		table := committer.NewTable(intercept.Wrap(store, func(
			ctx context.Context, call intercept.Call, do func(context.Context) error,
		) error {
			if broken && call.Method != "LIST" {
				return errReset
			}
			return log.Around(ctx, call, do)
		}), root)
		_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
		require.ErrorIs(t, err, committer.ErrUnknownOutcome)
		broken = false
		log.Take()
		_, err = table.Commit(t.Context(), 2, manifestOf(2, "mine"))
		require.NoError(t, err)
		require.Equal(t, []string{listFirst, put(2)}, log.Take())
	})
}

func TestALookThatFailsIsRepeatedWhileTheCallHasTime(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fails error
		want  error
		looks func(int) bool
	}{
		{"a store that is down for 20 s", errReset, nil, func(n int) bool { return n > 10 }},
		{"a store that throttles for 20 s", backends.ErrThrottled, nil, func(n int) bool { return n > 10 }},
		{"a store that refuses is not asked for long", backends.ErrPermission, committer.ErrUnknownOutcome,
			func(n int) bool { return n == 5 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, looks := time.Now(), 0
				table := committer.NewTable(intercept.Wrap(laid(1), func(
					ctx context.Context, call intercept.Call, do func(context.Context) error,
				) error {
					switch {
					case call.Method == "PUT":
						return lostReply(ctx, do)
					case call.Method == "HEAD":
						if looks++; time.Since(began) < 20*time.Second {
							return tc.fails
						}
					}
					return do(ctx)
				}), root)
				_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
				if tc.want == nil {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, tc.want)
				}
				require.True(t, tc.looks(looks), "%d looks", looks)
			})
		})
	}
}
