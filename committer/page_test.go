package committer_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
)

// listed is a store that answers listings in its own way.
type listed struct {
	backends.Store
	list func(in backends.ListInput) backends.Page
}

func (s listed) List(_ context.Context, in backends.ListInput) (backends.Page, error) {
	return s.list(in), nil
}

// eachListing calls everything that lists a table.
func eachListing(t *testing.T, store backends.Store, check func(t *testing.T, list func(ctx context.Context) error)) {
	table := committer.NewTable(store, root)
	namespace := committer.NewNamespace(store, "db")
	for name, list := range map[string]func(ctx context.Context) error{
		"Latest": func(ctx context.Context) error { _, err := table.Latest(ctx); return err },
		"Commit": func(ctx context.Context) error { _, err := table.Commit(ctx, 2, manifestOf(2, "mine")); return err },
		"Update": func(ctx context.Context) error { _, err := table.Update(ctx, build); return err },
		"Versions": func(ctx context.Context) error {
			for _, err := range table.Versions(ctx, committer.VersionsOptions{}) {
				return err
			}
			return nil
		},
		"Watch": func(ctx context.Context) error {
			for _, err := range table.Watch(ctx, 0) {
				return err
			}
			return nil
		},
		"Resolve": func(ctx context.Context) error { _, err := table.Resolve(ctx, 2, manifestOf(2, "mine")); return err },
		"DeleteVersions": func(ctx context.Context) error {
			_, err := table.DeleteVersions(ctx, []committer.VersionRange{{Start: 1, End: 2}}, committer.DeleteOptions{})
			return err
		},
		"Sweep": func(ctx context.Context) error {
			_, err := table.Sweep(ctx, 200*time.Hour, committer.SweepOptions{})
			return err
		},
		"ListTableVersions": func(ctx context.Context) error {
			_, err := namespace.ListTableVersions(ctx, &committer.ListTableVersionsRequest{ID: tableID})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, list) })
	}
}

func TestAListingThatGoesRoundInACircleIsRefused(t *testing.T) {
	store := listed{laid(1), func(backends.ListInput) backends.Page { return backends.Page{Token: "again"} }}
	eachListing(t, store, func(t *testing.T, list func(context.Context) error) {
		err := list(t.Context())
		require.ErrorIs(t, err, committer.ErrInconsistentStore)
		require.NotErrorIs(t, err, committer.ErrUnknownOutcome)
	})
}

func TestAListingThatShowsOtherKeysIsRefused(t *testing.T) {
	store := listed{laid(1), func(backends.ListInput) backends.Page {
		return backends.Page{Objects: []backends.Object{{Key: "elsewhere/1.manifest"}}}
	}}
	eachListing(t, store, func(t *testing.T, list func(context.Context) error) {
		require.ErrorIs(t, list(t.Context()), committer.ErrInconsistentStore)
	})
}

// The store looks at no context and has a new token for every page.
func TestAListingWithoutEndEndsWithItsContext(t *testing.T) {
	pages := 0
	ctx, cancel := context.WithCancel(t.Context())
	store := listed{laid(1), func(in backends.ListInput) backends.Page {
		if pages++; pages%10 == 0 {
			cancel()
		}
		return backends.Page{Token: in.Token + "x"}
	}}
	eachListing(t, store, func(t *testing.T, list func(context.Context) error) {
		ctx, cancel = context.WithCancel(t.Context())
		require.ErrorIs(t, list(ctx), context.Canceled)
	})
}
