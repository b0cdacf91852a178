package histories_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/fault"
	"github.com/lancecommit/lancecommit/internal/history"
)

// A check that explains everything proves nothing. Each control breaks a store,
// or what a writer sees of it, and no order may explain what clients are told.
func TestControls(t *testing.T) {
	const most = 10 // runs
	for _, tc := range []struct {
		name     string
		faults   fault.Rates
		decorate func(backends.Store) backends.Store
		// broken is in the line that says what is wrong, if one can.
		broken string
	}{
		{
			name:     "a store that ignores the condition: the last write wins",
			decorate: func(s backends.Store) backends.Store { return lastWins{s} },
			broken:   "more than one",
		},
		{
			name:     "a store that loses a commit",
			decorate: func(s backends.Store) backends.Store { return &forgetful{Store: s} },
			broken:   "more than one",
		},
		{
			name:     "no look: a writer is told of a conflict with its own success",
			faults:   fault.Rates{fault.After: 0.1},
			decorate: func(s backends.Store) backends.Store { return &blind{Store: s, failed: make(map[string]bool)} },
			broken:   "has the bytes of a write that was refused",
		},
		{
			name:     "reads that are stale",
			decorate: func(s backends.Store) backends.Store { return &stale{Store: s} },
			broken:   "an answer is older than one before it",
		},
		{
			name:     "a store that tells two writers that they won",
			decorate: func(s backends.Store) backends.Store { return &generous{Store: s} },
			broken:   "two winners",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			first := seedOf(t)
			for s := first; s < first+most; s++ {
				operations, _ := start(inMemory(s, tc.faults, tc.decorate), size{100, 10 * time.Second}, s)
				report := history.Check(operations, searchTimeout)
				lines := strings.Join(report.Broken, "\n")
				if report.Result == porcupine.Illegal && strings.Contains(lines, tc.broken) {
					t.Logf("found in run %d, checked in %v:\n%s", s-first+1, report.Took.Round(time.Millisecond), report.Broken[:min(2, len(report.Broken))])
					return
				}
			}
			require.Fail(t, "nothing was found")
		})
	}
}

// What the controls change is all that is wrong there.
func TestTheWorldOfTheControlsIsExplained(t *testing.T) {
	seed := seedOf(t)
	operations, _ := start(inMemory(seed, fault.Rates{fault.After: 0.1}, nil), size{100, 10 * time.Second}, seed)
	requireOK(t, history.Check(operations, searchTimeout), seed)
}

// lastWins replaces what is there.
type lastWins struct{ backends.Store }

func (s lastWins) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	if err := s.Delete(ctx, key); err != nil {
		return backends.Attrs{}, err
	}
	return s.Store.PutIfAbsent(ctx, key, body, opts)
}

// forgetful loses every thirtieth object a moment after its success.
type forgetful struct {
	backends.Store
	created atomic.Int64
}

func (s *forgetful) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	attrs, err := s.Store.PutIfAbsent(ctx, key, body, opts)
	if err == nil && s.created.Add(1)%30 == 0 {
		return attrs, s.Delete(ctx, key)
	}
	return attrs, err
}

// blind makes the look after a create that failed find others' bytes.
type blind struct {
	backends.Store
	mu     sync.Mutex
	failed map[string]bool
}

func (s *blind) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	attrs, err := s.Store.PutIfAbsent(ctx, key, body, opts)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed[key] = true
	return attrs, err
}

func (s *blind) Head(ctx context.Context, key string) (backends.Attrs, error) {
	attrs, err := s.Store.Head(ctx, key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.failed[key] {
		attrs.Size++ // others', as their size tells
	}
	return attrs, err
}

// stale answers every tenth listing as the one before it.
type stale struct {
	backends.Store
	mu     sync.Mutex
	listed int
	last   backends.Page
}

func (s *stale) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	page, err := s.Store.List(ctx, in)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || in.Token != "" {
		return page, err
	}
	s.listed++
	if s.listed%10 == 0 {
		return s.last, nil
	}
	if s.listed%10 == 1 {
		s.last = page
	}
	return page, nil
}

// generous tells every fifth loser that it won.
type generous struct {
	backends.Store
	refused atomic.Int64
}

func (s *generous) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	attrs, err := s.Store.PutIfAbsent(ctx, key, body, opts)
	if err != nil && s.refused.Add(1)%5 == 0 {
		attrs, err = s.Head(ctx, key)
	}
	return attrs, err
}
