package committer_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

// holding returns a table on which the next answer of a method is held back once
// hold is set, until release is closed. held is closed when it is.
func holding(store backends.Store, method string) (table *committer.Table, log *intercept.Log, hold *atomic.Bool, held, release chan struct{}) {
	log, hold = new(intercept.Log), new(atomic.Bool)
	held, release = make(chan struct{}), make(chan struct{})
	table = committer.NewTable(intercept.Wrap(store, func(
		ctx context.Context, call intercept.Call, do func(context.Context) error,
	) error {
		err := log.Around(ctx, call, do)
		if call.Method == method && hold.CompareAndSwap(true, false) {
			close(held)
			<-release
		}
		return err
	}), root)
	return table, log, hold, held, release
}

func TestAListingThatBeganBeforeAnOwnCommitDoesNotUndoIt(t *testing.T) {
	store := laid(1)
	table, log, hold, held, release := holding(store, "LIST")
	hold.Store(true)
	listed := make(chan error)
	go func() {
		_, err := table.Latest(t.Context())
		listed <- err
	}()
	<-held
	_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
	require.NoError(t, err)
	close(release)
	require.NoError(t, <-listed)
	log.Take()

	_, err = table.Commit(t.Context(), 3, manifestOf(3, "mine"))
	require.NoError(t, err)
	require.Equal(t, []string{put(3)}, log.Take())
}

func TestAnOwnCommitDoesNotHideWhatWasListedAfterIt(t *testing.T) {
	store := laid(1)
	table, log, hold, held, release := holding(store, "PUT")
	hold.Store(true)
	committed := make(chan error)
	go func() {
		_, err := table.Commit(t.Context(), 2, manifestOf(2, "mine"))
		committed <- err
	}()
	<-held
	lay(store, naming.V2, 3)
	latest, err := table.Latest(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 3, latest.Number)
	close(release)
	require.NoError(t, <-committed)
	log.Take()

	_, err = table.Commit(t.Context(), 4, manifestOf(4, "mine"))
	require.NoError(t, err)
	require.Equal(t, []string{put(4)}, log.Take())
}
