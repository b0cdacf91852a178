package committer_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

func TestCreateMakesTheStagedManifestAVersion(t *testing.T) {
	for _, scheme := range []naming.Scheme{naming.V1, naming.V2} {
		t.Run(scheme.String(), func(t *testing.T) {
			store := memory.New(memory.Options{})
			lay(store, scheme, 1, 2)
			namespace, _ := inNamespace(store)
			req := stage(store, 3, "mine")
			req.Metadata = map[string]string{"who": "me"}
			response := create(t, namespace, req)

			key := naming.Versions(root) + scheme.Final(3)
			content, attrs, err := store.Get(t.Context(), key)
			require.NoError(t, err)
			require.Equal(t, manifestOf(3, "mine"), content)
			require.Equal(t, &committer.TableVersion{
				Version: 3, ManifestPath: key, ManifestSize: int64(len(content)), ETag: attrs.ETag,
				TimestampMillis: attrs.Modified.UnixMilli(), Metadata: map[string]string{"who": "me"},
			}, response.Version)
			require.Empty(t, stagedLeft(t, store), "the staged manifest is removed")
		})
	}
}

func TestTheFirstVersionHasTheSchemeThatIsAskedFor(t *testing.T) {
	for asked, want := range map[string]naming.Scheme{"": naming.V2, "V1": naming.V1, "V2": naming.V2} {
		store := memory.New(memory.Options{})
		namespace, _ := inNamespace(store)
		req := stage(store, 1, "mine")
		req.NamingScheme = asked
		require.Equal(t, naming.Versions(root)+want.Final(1), create(t, namespace, req).Version.ManifestPath, asked)
	}
	store := memory.New(memory.Options{})
	lay(store, naming.V1, 1)
	namespace, _ := inNamespace(store)
	req := stage(store, 2, "mine")
	req.NamingScheme = "V2"
	require.Equal(t, naming.Versions(root)+naming.V1.Final(2), create(t, namespace, req).Version.ManifestPath,
		"the scheme that is there wins")
}

func TestAStagedCreateCosts(t *testing.T) {
	store := laid(1, 2, 3)
	namespace, log := inNamespace(store)
	sorted := func() string {
		calls := log.Take()
		for i, call := range calls {
			calls[i], _, _ = strings.Cut(call, " ")
		}
		if len(calls) > 1 && calls[0] == "LIST" {
			calls[0], calls[1] = calls[1], calls[0] // They are side by side.
		}
		return strings.Join(calls, " ")
	}
	create(t, namespace, stage(store, 4, "mine"))
	require.Equal(t, "LIST LIST", sorted()[:9], "the first call looks at the place")

	create(t, namespace, stage(store, 5, "mine"))
	require.Equal(t, "GET PUT DELETE", sorted(), "the end is known")

	lay(store, naming.V2, 6)
	create(t, namespace, stage(store, 7, "mine"))
	require.Equal(t, "GET LIST PUT DELETE", sorted(), "the end has moved")
}

func TestAStagedManifestStaysWhereItMayBeNeeded(t *testing.T) {
	size := int64(1)
	for _, tc := range []struct {
		name   string
		change func(store *memory.Store, req *committer.CreateTableVersionRequest)
		opts   []committer.Option
		want   error
	}{
		{"by option", nil, []committer.Option{committer.KeepStaged()}, nil},
		{"after a conflict", func(store *memory.Store, _ *committer.CreateTableVersionRequest) {
			lay(store, naming.V2, 2)
		}, nil, committer.ErrConflict},
		{"when it has another size", func(_ *memory.Store, req *committer.CreateTableVersionRequest) {
			req.ManifestSize = &size
		}, nil, committer.ErrInvalid},
		{"when it has another ETag", func(_ *memory.Store, req *committer.CreateTableVersionRequest) {
			req.ETag = `"0123"`
		}, nil, committer.ErrStagedChanged},
		{"when it is no manifest", func(store *memory.Store, req *committer.CreateTableVersionRequest) {
			store.Inject(req.ManifestPath, make([]byte, 100))
		}, nil, committer.ErrInvalid},
		{"when it says another version", func(store *memory.Store, req *committer.CreateTableVersionRequest) {
			store.Inject(req.ManifestPath, manifestOf(3, "mine"))
		}, nil, committer.ErrInvalid},
		{"when equal bytes were committed by somebody who does not say from where", func(store *memory.Store, _ *committer.CreateTableVersionRequest) {
			store.Inject(naming.Versions(root)+naming.V2.Final(2), manifestOf(2, "mine"))
		}, nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store := laid(1)
			req := stage(store, 2, "mine")
			if tc.change != nil {
				tc.change(store, req)
			}
			namespace, _ := inNamespace(store, tc.opts...)
			_, err := namespace.CreateTableVersion(t.Context(), req)
			require.ErrorIs(t, err, tc.want)
			require.Len(t, stagedLeft(t, store), 1)
		})
	}
}

func TestTheETagOfTheStagedManifestIsCompared(t *testing.T) {
	store := laid(1)
	req := stage(store, 2, "mine")
	attrs, err := store.Head(t.Context(), req.ManifestPath)
	require.NoError(t, err)
	for name, tag := range map[string]string{
		"as it is": attrs.ETag, "in quotes": `"` + attrs.ETag + `"`, "weak": `W/"` + attrs.ETag + `"`,
		"as the MD5 of the bytes": fmt.Sprintf("%x", md5Of(manifestOf(2, "mine"))),
	} {
		t.Run(name, func(t *testing.T) {
			store := laid(1)
			req := stage(store, 2, "mine")
			req.ETag = tag
			namespace, _ := inNamespace(store)
			create(t, namespace, req)
		})
	}
}

func TestOfManyRequestsForAVersionOneWins(t *testing.T) {
	const requests = 200
	store := laid(1)
	var names []string
	for i := range requests {
		store.Inject(naming.Versions(root)+stagedName(2, i), manifestOf(2, fmt.Sprintf("writer %03d", i)))
		names = append(names, stagedName(2, i))
	}
	namespace, _ := inNamespace(store)
	errs := make([]error, requests)
	var all sync.WaitGroup
	for i := range requests {
		all.Go(func() {
			_, errs[i] = namespace.CreateTableVersion(t.Context(), &committer.CreateTableVersionRequest{
				ID: tableID, Version: 2, ManifestPath: "_versions/" + names[i],
			})
		})
	}
	all.Wait()
	var losers []string
	winner := -1
	for i, err := range errs {
		if err == nil {
			require.Equal(t, -1, winner, "two winners")
			winner = i
			continue
		}
		require.Equal(t, committer.CodeConcurrentModification, committer.Code(err), err)
		losers = append(losers, names[i])
	}
	require.Equal(t, manifestOf(2, fmt.Sprintf("writer %03d", winner)), body(t, store, 2))
	require.ElementsMatch(t, losers, stagedLeft(t, store), "what losers staged stays, what the winner staged does not")
}

func TestCreateOnABranch(t *testing.T) {
	const branch = "exp/one"
	branchKeys := func(store *memory.Store) string { return naming.Versions(naming.BranchRoot(root, branch)) }
	layBranch := func(store *memory.Store, versions ...uint64) {
		for _, v := range versions {
			store.Inject(branchKeys(store)+naming.V2.Final(v), []byte("laid"))
		}
	}
	t.Run("main is spelled in three ways", func(t *testing.T) {
		store := laid(1)
		namespace, _ := inNamespace(store)
		create(t, namespace, stage(store, 2, "mine"))
		req := stage(store, 3, "mine")
		req.Branch = "main"
		require.Equal(t, naming.Versions(root)+naming.V2.Final(3), create(t, namespace, req).Version.ManifestPath)
	})
	t.Run("the next version of a registered branch", func(t *testing.T) {
		store := laid(1, 2, 3)
		registerBranch(store, branch, 3)
		layBranch(store, 3)
		namespace, _ := inNamespace(store)
		response := create(t, namespace, stageAs(store, root, branch, 4, "mine"))
		require.Equal(t, branchKeys(store)+naming.V2.Final(4), response.Version.ManifestPath)
	})
	t.Run("a relative path is below the branch, and tree/ below the table", func(t *testing.T) {
		store := laid(1, 2, 3)
		registerBranch(store, branch, 3)
		layBranch(store, 3)
		namespace, _ := inNamespace(store)
		req := stageAs(store, root, branch, 4, "mine")
		req.ManifestPath = "_versions/" + stagedName(4, 1)
		create(t, namespace, req)
		req = stageAs(store, root, branch, 5, "mine")
		req.ManifestPath = "tree/exp/one/_versions/" + stagedName(5, 1)
		create(t, namespace, req)
	})
	t.Run("the first version of a branch that is not registered yet, and again", func(t *testing.T) {
		store := laid(1, 2, 3)
		namespace, _ := inNamespace(store)
		req := stageAs(store, root, branch, 3, "mine")
		first := create(t, namespace, req)
		require.Equal(t, branchKeys(store)+naming.V2.Final(3), first.Version.ManifestPath)
		require.Equal(t, first, create(t, namespace, req))
	})
	t.Run("a chain without a ref is no branch", func(t *testing.T) {
		store := laid(1, 2, 3)
		layBranch(store, 3)
		namespace, _ := inNamespace(store)
		for _, version := range []uint64{3, 4} {
			_, err := namespace.CreateTableVersion(t.Context(), stageAs(store, root, branch, version, "mine"))
			require.ErrorIs(t, err, committer.ErrBranchNotFound, version)
			require.Equal(t, committer.CodeTableBranchNotFound, committer.Code(err))
		}
	})
	t.Run("the manifest must say the branch", func(t *testing.T) {
		store := laid(1, 2, 3)
		registerBranch(store, branch, 3)
		layBranch(store, 3)
		namespace, _ := inNamespace(store)
		req := stageAs(store, root, branch, 4, "mine")
		store.Inject(req.ManifestPath, manifestOf(4, "main's"))
		_, err := namespace.CreateTableVersion(t.Context(), req)
		require.ErrorIs(t, err, committer.ErrInvalid)
	})
}

func TestAStagedManifestStaysWhileTheOutcomeIsUnknown(t *testing.T) {
	store := laid(1)
	namespace := committer.NewNamespace(onPut(store, func() step { return notDurable }), namespaceRoot)
	_, err := namespace.CreateTableVersion(t.Context(), stage(store, 2, "mine"))
	require.ErrorIs(t, err, committer.ErrUnknownOutcome)
	require.Equal(t, committer.CodeInternal, committer.Code(err))
	require.NotErrorIs(t, err, backends.ErrExists)
	require.Len(t, stagedLeft(t, store), 1)
}
