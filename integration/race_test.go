package integration_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/integration/fixtures"
	"github.com/lancecommit/lancecommit/integration/lancedb"
)

const (
	raceCommits  = 100 // of each side
	raceHandles  = 2   // of Go, which share nothing but the folder
	raceUpdaters = 2   // goroutines a handle, which take turns
	raceLead     = 5   // commits
	appendTries  = 100 // of LanceDB, a row
)

func TestGoAndLanceDBCommitAtOnceAndNoVersionOrRowIsLost(t *testing.T) {
	eachChain(t, func(t *testing.T, ctx context.Context, chain laidChain) {
		// The first append is slow. It is not part of the race, so that the
		// sides meet.
		lance := chain.open(t, ctx)
		start, err := lance.Append(ctx, rowsOf(1000)...)
		require.NoError(t, err)
		base := fixtures.Version{Number: start, IDs: append(slices.Clone(chain.Latest().IDs), 1000)}

		race := newRace(t, chain)
		race.run(ctx, lance)
		require.Empty(t, race.updateErrs)
		require.Len(t, race.updated, raceCommits)
		require.NoError(t, race.appendErr)
		require.Len(t, race.appended, raceCommits)

		last := start + 2*raceCommits
		made := slices.Concat(race.appended, slices.Collect(maps.Keys(race.updated)))
		slices.Sort(made)
		require.Equal(t, chain.upTo(last)[start-chain.Versions[0].Number+1:], made,
			"each commit has a version of its own, and there is no gap")

		fresh, table := chain.open(t, ctx), chain.handle(t)
		require.Equal(t, chain.upTo(last), numbersInLanceDB(t, ctx, fresh))
		require.Equal(t, chain.upTo(last), numbersOf(t, ctx, table))
		requireVersion(t, ctx, fresh, fixtures.Version{Number: last, IDs: append(base.IDs, appendedIDs()...)})

		met := requireHistory(t, ctx, table, race, base)
		require.Positive(t, met.rebased, "the sides never met, so that nothing is proven")
		t.Logf("%d commits a side: LanceDB in %v, %d on top of another version than it began with, %d conflicts that it gave up on; "+
			"Go in %v, %d lost races; %d changes of side", raceCommits,
			race.lanceTook.Round(time.Millisecond), met.rebased, race.gaveUp,
			race.goTook.Round(time.Millisecond), race.lost.Load(), met.switches)
	})
}

// A race is what both sides did.
type race struct {
	laidChain
	handles []*committer.Table

	appended  []uint64 // versions
	gaveUp    int
	appendErr error
	lanceTook time.Duration

	mu         sync.Mutex
	updated    map[uint64][]byte // the manifests, by the version that Update returned
	updateErrs []error
	lost       atomic.Int32
	goTook     time.Duration
}

func newRace(t *testing.T, chain laidChain) *race {
	r := &race{laidChain: chain, updated: map[uint64][]byte{}}
	for range raceHandles {
		r.handles = append(r.handles, chain.handle(t, committer.WithHooks(committer.Hooks{
			Conflict: func(context.Context, *committer.ConflictError) { r.lost.Add(1) },
		})))
	}
	return r
}

// run lets both sides go at once. Go's updates, which write no rows, are far
// quicker than LanceDB's appends and would be over before these have begun, so
// it may be ahead by no more than raceLead.
func (r *race) run(ctx context.Context, lance *lancedb.Table) {
	began := time.Now()
	turns := make(chan struct{}, raceCommits+raceLead)
	allow := func() {
		for range raceLead {
			turns <- struct{}{}
		}
	}
	allow()
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		defer close(turns)
		for rows := range slices.Chunk(rowsOf(appendedIDs()...), raceLead) {
			appended, err := lance.AppendEach(ctx, rows, appendTries)
			if err != nil {
				r.appendErr = err
				return
			}
			r.appended = append(r.appended, appended.Versions...)
			r.gaveUp += appended.Conflicts
			allow()
		}
		r.lanceTook = time.Since(began)
	})
	all.Go(func() {
		var updaters sync.WaitGroup
		for i := range raceHandles * raceUpdaters {
			updaters.Go(func() {
				for range raceCommits / (raceHandles * raceUpdaters) {
					<-turns
					r.update(ctx, r.handles[i%raceHandles])
				}
			})
		}
		updaters.Wait()
		r.goTook = time.Since(began)
	})
}

func (r *race) update(ctx context.Context, table *committer.Table) {
	var built []byte
	v, err := table.Update(ctx, func(ctx context.Context, base committer.Version) (_ []byte, err error) {
		built, err = sameRows(table)(ctx, base)
		return built, err
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.updateErrs = append(r.updateErrs, err)
		return
	}
	r.updated[v.Number] = built
}

func appendedIDs() []int32 {
	ids := make([]int32, raceCommits)
	for i := range ids {
		ids[i] = 1001 + int32(i)
	}
	return ids
}

// meetings say how much the sides of a race were in each other's way.
type meetings struct {
	rebased  int // appends that LanceDB began on another version than the one before
	switches int // how often the writer changed from one version to the next
}

// requireHistory requires of every version of a race that it is what its writer
// committed, on top of the version before it.
func requireHistory(t *testing.T, ctx context.Context, table *committer.Table, r *race, base fixtures.Version) (met meetings) {
	t.Helper()
	rows, before := uint64(len(base.IDs)), false
	for number := base.Number + 1; number <= base.Number+2*raceCommits; number++ {
		v, err := table.Version(ctx, number)
		require.NoError(t, err)
		body, err := table.ReadManifest(ctx, v)
		require.NoError(t, err)
		info, err := manifest.Inspect(body)
		require.NoError(t, err)
		built, ofGo := r.updated[number]
		if ofGo {
			require.Equal(t, built, body, "version %d", number)
		} else {
			rows++
			if !strings.HasPrefix(info.TransactionFile, fmt.Sprintf("%d-", number-1)) {
				met.rebased++
			}
		}
		require.Equal(t, number, info.Version)
		require.Equal(t, r.Branch, info.Branch)
		require.Equal(t, rows, info.Rows, "rows of version %d", number)
		if ofGo != before && number > base.Number+1 {
			met.switches++
		}
		before = ofGo
	}
	return met
}
