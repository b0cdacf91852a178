package backendtest

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
)

// A recorder watches a rule from outside.
type recorder struct{ failures []string }

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}
func (r *recorder) FailNow() { runtime.Goexit() }

// failures runs a check to its end and returns how it failed.
func failures(check func(t reporter)) []string {
	var rec recorder
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(&rec)
	}()
	<-done
	return rec.failures
}

func check(ctx context.Context, r rule, s subject) []string {
	return failures(func(t reporter) { r.check(ctx, t, s) })
}

func subjectOf(store backends.Store, inner *memory.Store) subject {
	return subject{Store: store, keys: 50, inject: inner.Inject}
}

func TestASoundStorePassesEveryRule(t *testing.T) {
	for name, opts := range map[string]memory.Options{
		"ordered":          {},
		"unordered":        {Unordered: true},
		"without metadata": {NoMetadata: true},
		"in small pages":   {PageSize: 2},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range rules() {
				store := memory.New(opts)
				require.Empty(t, check(t.Context(), r, subjectOf(store, store)), r.name)
			}
		})
	}
}

// Each rule is broken by a store, and fails on it.
func TestEveryRuleFindsTheStoreThatBreaksIt(t *testing.T) {
	untried := make(map[string]rule)
	for _, r := range rules() {
		require.NotContains(t, untried, r.name, "two rules of one name")
		untried[r.name] = r
	}
	byName := make(map[string]rule)
	for name, r := range untried {
		byName[name] = r
	}
	for _, b := range brokenStores() {
		t.Run(b.name, func(t *testing.T) {
			for _, name := range b.breaks {
				require.Contains(t, byName, name)
				delete(untried, name)
				inner := memory.New(memory.Options{})
				store := b.store(&wrapper{Store: inner})
				require.NotEmptyf(t, check(t.Context(), byName[name], subjectOf(store, inner)),
					"a store that %s must fail %q", b.name, name)
			}
		})
	}
	for name := range untried {
		t.Errorf("no broken store shows that the rule %q can fail", name)
	}
}
