package servers

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// Require returns the server of a kind that this test binary's tests share, which
// is installed and started on first use. It skips t when EnvChoose does not
// choose the kind. It fails t when EnvChoose names an unknown server, and when
// the chosen one cannot be had or has died. When t fails, the end of what the
// server wrote is in t's log. The binary's TestMain needs StopAfter.
func Require(t testing.TB, kind Kind) *Server {
	t.Helper()
	chosen, err := Chosen()
	if err != nil {
		t.Fatalf("%v", err)
	}
	if !slices.Contains(chosen, kind) {
		t.Skipf("needs %s: set %s=%s or all", kind.title(), EnvChoose, kind)
	}
	r, err := shared.running(kind)
	if err != nil {
		t.Fatalf("%s is chosen by %s, but is not to be had: %v", kind.title(), EnvChoose, err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the last of %s's output:\n%s", kind.title(), r.process.output.Bytes())
		}
	})
	return r.server
}

// StopAfter returns m with a Run that stops every server that Require started,
// after the tests and before it returns:
//
//	func TestMain(m *testing.M) { os.Exit(servers.StopAfter(m).Run()) }
//
// It can be given to goleak.VerifyTestMain.
func StopAfter(m interface{ Run() int }) interface{ Run() int } { return stopAfter{m} }

type stopAfter struct{ m interface{ Run() int } }

func (s stopAfter) Run() int {
	defer shared.stop()
	return s.m.Run()
}

// shared holds the servers of this test binary.
var shared pool

type pool struct {
	mu    sync.Mutex
	slots map[Kind]*slot
}

// A slot is one server, or why there is none: it is not tried again.
type slot struct {
	once    sync.Once
	running *running
	err     error
}

func (p *pool) running(kind Kind) (*running, error) {
	p.mu.Lock()
	if p.slots == nil {
		p.slots = map[Kind]*slot{}
	}
	s := p.slots[kind]
	if s == nil {
		s = new(slot)
		p.slots[kind] = s
	}
	p.mu.Unlock()

	// The server outlives the test that is first to want it, and so does the
	// wish to have it.
	s.once.Do(func() { s.running, s.err = installAndStart(context.Background(), kind) })
	if s.err != nil {
		return nil, s.err
	}
	return s.running, s.running.process.endedError()
}

func installAndStart(ctx context.Context, kind Kind) (*running, error) {
	folder, err := Install(ctx, kind)
	if err != nil {
		return nil, err
	}
	r, err := start(ctx, kind, folder)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", kind.title(), err)
	}
	return r, nil
}

func (p *pool) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		if s.running != nil {
			s.running.stop()
		}
	}
	p.slots = nil
}
