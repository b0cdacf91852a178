package histories_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lancecommit/lancecommit/internal/history"
)

const (
	writers = 64
	readers = 16
	// shared is a note that several writers have, so that equal bytes meet.
	shared = "the same.."
)

// A run is what the clients of a world do.
type run struct {
	world
	size     size
	recorder *history.Recorder
	ends     time.Time
	made     atomic.Int64
	// newest is the newest version that any client saw.
	newest atomic.Uint64
}

// start runs all clients of a world until they made enough, and returns what they
// were told, and then what is there.
func start(w world, s size, seed uint64) (operations []history.Operation, took time.Duration) {
	began := time.Now()
	r := &run{world: w, size: s, recorder: history.NewRecorder(), ends: began.Add(s.time)}
	var busy sync.WaitGroup
	for i := range writers {
		c := r.client(i, seed, w.tables[i%len(w.tables)])
		busy.Go(c.write)
	}
	handles := append(append([]handle(nil), w.tables...), w.readers...)
	for i := range readers {
		c := r.client(writers+i, seed, handles[(len(w.tables)/2+i)%len(handles)])
		busy.Go(c.read)
	}
	busy.Wait()
	took = time.Since(began)
	w.settle()
	r.audit()
	return r.recorder.Operations(), took
}

func (r *run) client(id int, seed uint64, do handle) *client {
	return &client{run: r, id: id, do: do, rng: rand.New(rand.NewPCG(seed, uint64(id)+100))}
}

func (r *run) over() bool { return r.made.Load() >= int64(r.size.versions) || time.Now().After(r.ends) }

// audit reads every version, and the one that must not be there.
func (r *run) audit() {
	end := r.client(writers+readers, 0, r.auditor).ask(order{Kind: history.Latest}).End
	var busy sync.WaitGroup
	var next atomic.Uint64
	for i := range 8 {
		c := r.client(writers+readers+i, 0, r.auditor)
		busy.Go(func() {
			for v := next.Add(1); v <= end+1; v = next.Add(1) {
				c.ask(order{Kind: history.Read, Version: v})
			}
		})
	}
	busy.Wait()
}

// A client makes one call after the other.
type client struct {
	*run
	id    int
	do    handle
	rng   *rand.Rand
	notes int
}

func (c *client) ask(o order) history.Operation {
	if o.Patience == 0 {
		o.Patience = 20 * time.Second
	}
	did := c.recorder.Record(c.id, func() history.Operation { return c.do(o) })
	if did.Result == history.Done {
		seen := max(did.Version, did.End)
		for was := c.newest.Load(); was < seen && !c.newest.CompareAndSwap(was, seen); was = c.newest.Load() {
		}
	}
	return did
}

func (c *client) write() {
	for !c.over() {
		o := order{Note: c.note()}
		if c.rng.IntN(10) == 0 {
			o.Patience = time.Second
		}
		switch at := c.rng.IntN(100); {
		case at < 55:
			o.Kind = history.Update
		case at < 92:
			latest := c.ask(order{Kind: history.Latest})
			if latest.Result != history.Done {
				continue
			}
			o.Kind, o.Version = history.Commit, latest.End+1
		default:
			o.Kind, o.Version = history.Commit, c.someVersion(3)
		}
		did := c.ask(o)
		switch did.Result {
		case history.Done:
			c.made.Add(1)
		case history.Unknown:
			o.Kind, o.Version, o.Patience = history.Commit, did.Version, 0
			c.resolve(o)
		}
		c.idle()
	}
}

// resolve asks what became of a write, and now and then repeats it where it is
// absent.
func (c *client) resolve(o order) {
	again := o
	o.Kind = history.Resolve
	for range 3 {
		did := c.ask(o)
		if did.Result == history.Absent && c.rng.IntN(2) == 0 {
			did = c.ask(again)
		}
		if did.Result != history.Unknown && did.Result != history.Absent {
			return
		}
		time.Sleep(time.Duration(c.rng.Int64N(int64(time.Second))))
	}
}

func (c *client) read() {
	for !c.over() {
		switch at := c.rng.IntN(100); {
		case at < 55:
			c.ask(order{Kind: history.Latest})
		case at < 90:
			c.ask(order{Kind: history.Read, Version: c.someVersion(2)})
		default:
			c.ask(order{Kind: history.Resolve, Version: c.someVersion(1), Note: shared})
		}
		c.idle()
	}
}

// note is one that no other write has, or that many have. All have one length, so
// that no look is done at the size.
func (c *client) note() string {
	c.notes++
	if c.rng.IntN(10) == 0 {
		return shared
	}
	return fmt.Sprintf("%03d/%06d", c.id, c.notes)
}

// someVersion is mostly near the end, and at most so many behind it.
func (c *client) someVersion(behind uint64) uint64 {
	newest := c.newest.Load()
	if c.rng.IntN(4) == 0 {
		return 1 + c.rng.Uint64N(newest+behind)
	}
	return max(newest+behind, 4) - c.rng.Uint64N(4)
}

// idle is a pause. Readers are not to keep a server from its commits.
func (c *client) idle() { time.Sleep(time.Duration(c.rng.Int64N(int64(c.pause)))) }
