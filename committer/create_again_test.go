package committer_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

func TestARequestCanBeSentAgain(t *testing.T) {
	for _, tc := range []struct {
		name  string
		again func(store *memory.Store) // what happens before the second time
	}{
		{"with its staged manifest gone", func(*memory.Store) {}},
		{"with its staged manifest still there", func(store *memory.Store) { stage(store, 2, "mine") }},
		{"when others have gone on", func(store *memory.Store) { lay(store, naming.V2, 3, 4) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store := laid(1)
			req := stage(store, 2, "mine")
			req.Metadata = map[string]string{"who": "me"}
			namespace, _ := inNamespace(store)
			first := create(t, namespace, req)
			tc.again(store)
			fresh, _ := inNamespace(store)
			require.Equal(t, first, create(t, namespace, req))
			require.Equal(t, first, create(t, fresh, req))
			require.Empty(t, stagedLeft(t, store))
		})
	}
}

func TestAStagedManifestThatIsGone(t *testing.T) {
	size := int64(len(manifestOf(2, "mine")))
	for _, tc := range []struct {
		name   string
		chain  []uint64
		before func(store *memory.Store) // who committed version 2
		size   int64
		want   error
		code   int
	}{
		{"and no such version: there is nothing to create", []uint64{1}, nil, size, committer.ErrInvalid, committer.CodeInvalidInput},
		{"and no versions at all", nil, nil, size, committer.ErrInvalid, committer.CodeInvalidInput},
		{
			"and nobody says whose the version is: unknown", []uint64{1, 2}, nil, size,
			committer.ErrUnknownOutcome, committer.CodeInternal,
		},
		{
			"and the version came from another: unknown, since its bytes may be equal", []uint64{1},
			func(store *memory.Store) {
				namespace, _ := inNamespace(store)
				req := stage(store, 2, "mine")
				store.Inject(naming.Versions(root)+stagedName(2, 7), manifestOf(2, "mine"))
				req.ManifestPath = naming.Versions(root) + stagedName(2, 7)
				_, err := namespace.CreateTableVersion(t.Context(), req)
				require.NoError(t, err)
				require.NoError(t, store.Delete(t.Context(), naming.Versions(root)+stagedName(2, 1)))
			}, size, committer.ErrUnknownOutcome, committer.CodeInternal,
		},
		{
			"and the version has another size: conflict", []uint64{1, 2}, nil, size + 1,
			committer.ErrConflict, committer.CodeConcurrentModification,
		},
		{"and the version is cleaned up: unknown", []uint64{1, 3}, nil, size, committer.ErrUnknownOutcome, committer.CodeInternal},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store := laid(tc.chain...)
			store.Inject(root+"/data/x.lance", nil)
			if tc.before != nil {
				tc.before(store)
			}
			namespace, _ := inNamespace(store)
			_, err := namespace.CreateTableVersion(t.Context(), &committer.CreateTableVersionRequest{
				ID: tableID, Version: 2, ManifestPath: naming.Versions(root) + stagedName(2, 1), ManifestSize: &tc.size,
			})
			require.ErrorIs(t, err, tc.want)
			require.Equal(t, tc.code, committer.Code(err), err)
		})
	}
}

// The same request alone would be answered so for ever.
func TestWhatDecidesWhenTheStagedManifestOfATakenVersionIsGone(t *testing.T) {
	const absent = root + "/_versions/mistyped"
	for name, taken := range map[string]struct {
		by   func(store *memory.Store)
		says string
	}{
		"by a version of another staged manifest": {func(store *memory.Store) {
			namespace, _ := inNamespace(store)
			create(t, namespace, stage(store, 2, "mine"))
		}, `says that it was staged as "` + naming.Versions(root) + stagedName(2, 1) + `"`},
		"by a version that does not say from where": {func(store *memory.Store) {
			lay(store, naming.V2, 2)
		}, "does not say where it was staged"},
	} {
		t.Run(name, func(t *testing.T) {
			store := laid(1)
			taken.by(store)
			namespace, _ := inNamespace(store)
			req := &committer.CreateTableVersionRequest{ID: tableID, Version: 2, ManifestPath: absent}
			_, err := namespace.CreateTableVersion(t.Context(), req)
			require.ErrorIs(t, err, committer.ErrUnknownOutcome)
			require.Equal(t, committer.CodeInternal, committer.Code(err))
			require.ErrorContains(t, err, taken.says)
			require.ErrorContains(t, err, "there is no staged manifest "+absent)
			require.ErrorContains(t, err, "stage the same bytes under that name again, and repeat the request")
			requireUndecidable(t, err)

			store.Inject(absent, body(t, store, 2))
			create(t, namespace, req)
			store.Inject(absent, manifestOf(2, "other"))
			_, err = namespace.CreateTableVersion(t.Context(), req)
			require.ErrorIs(t, err, committer.ErrConflict)
		})
	}
}

func TestARepeatIsNotAnsweredByAVersionThatIsDamaged(t *testing.T) {
	store := laid(1)
	req := stage(store, 2, "mine")
	namespace, _ := inNamespace(store)
	created := create(t, namespace, req)
	key := created.Version.ManifestPath
	attrs, err := store.Head(t.Context(), key)
	require.NoError(t, err)
	content := body(t, store, 2)
	content[len(content)-1] ^= 1
	require.NoError(t, store.Delete(t.Context(), key))
	_, err = store.PutIfAbsent(t.Context(), key, content, backends.PutOptions{Metadata: attrs.Metadata})
	require.NoError(t, err)

	_, err = namespace.CreateTableVersion(t.Context(), req)
	require.ErrorIs(t, err, committer.ErrUnknownOutcome)
	require.Equal(t, committer.CodeInternal, committer.Code(err))
	require.ErrorContains(t, err, "damaged")
	require.ErrorContains(t, err, "restore it")
	requireUndecidable(t, err)
}

func TestAVersionThatIsEmptyIsNotTakenForOneThatIsGone(t *testing.T) {
	store := laid(1)
	store.Inject(naming.Versions(root)+naming.V2.Final(2), nil)
	namespace, _ := inNamespace(store)
	_, err := namespace.CreateTableVersion(t.Context(), &committer.CreateTableVersionRequest{
		ID: tableID, Version: 2, ManifestPath: naming.Versions(root) + stagedName(2, 1),
	})
	require.ErrorContains(t, err, "does not say where it was staged")
	requireUndecidable(t, err)
}

// requireUndecidable checks that nobody is told to wait for an answer.
func requireUndecidable(t *testing.T, err error) {
	t.Helper()
	require.ErrorIs(t, err, committer.ErrUndecidable)
	var unknown *committer.UnknownOutcomeError
	require.ErrorAs(t, err, &unknown)
	require.NotContains(t, err.Error(), "resolve it")
	require.ErrorContains(t, err, "keep its files")
	detail := committer.ErrorResponse(err, "").Detail
	require.NotContains(t, detail, "send the same request again")
	require.Contains(t, detail, "keep all files")
}

func TestAnAnswerThatWaitingCannotBringIsNotPromised(t *testing.T) {
	store := laid(1, 3)
	namespace, _ := inNamespace(store)
	req := &committer.CreateTableVersionRequest{ID: tableID, Version: 2, ManifestPath: root + "/_versions/mistyped"}
	_, err := namespace.CreateTableVersion(t.Context(), req)
	requireUndecidable(t, err)
	require.ErrorContains(t, err, "or the path is mistyped, and the version is gone")
	require.ErrorContains(t, err, "the latest version, 3")
}

func TestAnOutcomeThatALaterLookTellsIsNotCalledUndecidable(t *testing.T) {
	store := laid(1)
	namespace, _ := inNamespace(store)
	req := stage(store, 2, "mine")
	created := create(t, namespace, req)
	broken := intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
		if call.Method == "GET" && call.Key == created.Version.ManifestPath {
			return errReset
		}
		return do(ctx)
	})
	fresh := committer.NewNamespace(broken, "db", committer.WithRetry(committer.RetryPolicy{Grace: time.Millisecond}))
	_, err := fresh.CreateTableVersion(t.Context(), req)
	require.ErrorIs(t, err, committer.ErrUnknownOutcome)
	require.NotErrorIs(t, err, committer.ErrUndecidable)
	require.Contains(t, committer.ErrorResponse(err, "").Detail, "send the same request again")
}

func TestAStoreWithoutMetadataCannotTellAReplayWithoutItsStagedManifest(t *testing.T) {
	store := memory.New(memory.Options{NoMetadata: true})
	namespace, _ := inNamespace(store)
	req := stage(store, 1, "mine")
	create(t, namespace, req)
	_, err := namespace.CreateTableVersion(t.Context(), req)
	require.ErrorIs(t, err, committer.ErrUnknownOutcome)
	require.NotErrorIs(t, err, committer.ErrConflict)
}

func TestManyRepeatsOfOneRequestSucceedWithTheSameAnswer(t *testing.T) {
	const repeats = 200
	store := laid(1)
	req := stage(store, 2, "mine")
	responses := make([]*committer.CreateTableVersionResponse, repeats)
	var all sync.WaitGroup
	for i := range repeats {
		namespace, _ := inNamespace(store)
		all.Go(func() {
			var err error
			if responses[i], err = namespace.CreateTableVersion(t.Context(), req); err != nil {
				t.Errorf("repeat %d: %v", i, err)
			}
		})
	}
	all.Wait()
	for i := range responses {
		require.Equal(t, responses[0], responses[i], i)
	}
	require.Empty(t, stagedLeft(t, store))
}

func TestALostReplyToAStagedCreateIsNoConflict(t *testing.T) {
	store := laid(1)
	steps := []step{lostReply, pass}
	puts := 0
	namespace := committer.NewNamespace(onPut(store, func() step { puts++; return steps[min(puts, 2)-1] }), namespaceRoot)
	response := create(t, namespace, stage(store, 2, "mine"))
	require.EqualValues(t, 2, response.Version.Version)
	require.Equal(t, 1, puts)
	require.Empty(t, stagedLeft(t, store))
}

func TestARepeatSucceedsThatRacesWithTheFirst(t *testing.T) {
	store := laid(1)
	req := stage(store, 2, "mine")
	first, _ := inNamespace(store)
	var response *committer.CreateTableVersionResponse
	// The other call commits and removes what is staged when this one knows the
	// end of the chain and is about to read.
	second := committer.NewNamespace(intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
		if call.Method == "GET" && call.Key == req.ManifestPath && response == nil {
			response = create(t, first, req)
		}
		return do(ctx)
	}), namespaceRoot)
	_, err := second.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{ID: tableID})
	require.NoError(t, err)
	require.Equal(t, create(t, second, req), response)
}
