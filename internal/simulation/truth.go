package simulation

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/naming"
)

// A create is an object that came to be.
type create struct {
	key     string
	version uint64
	body    []byte
	etag    string
	// by is the call that sent it, nil for one of a script.
	by *call
	// at and deleted are moments; deleted is 0 while the object is there.
	at, deleted moment
	time        time.Time
	// end is the chain's end just before.
	end uint64
}

// there reports whether the object was there at any moment from one to another.
func (c *create) there(from, to moment) bool {
	return c.at <= to && (c.deleted == 0 || c.deleted >= from)
}

// A moment counts what happened to the store and when calls began and ended. It
// orders what happens at one time.
type moment uint64

// An end is the chain's end from a moment on.
type end struct {
	at     moment
	time   time.Time
	number uint64
}

// A truth is the store itself. It remembers every create, delete and end.
type truth struct {
	backends.Store
	backends.Overwriter

	mu      sync.Mutex
	now     moment
	creates []*create
	// present has the versions that are there, of every name.
	present map[string]*create
	of      map[uint64][]*create
	ends    []end
	// doubted says until when a request for a version can land whose caller was
	// told that it failed. Such a version is not deleted.
	doubted map[uint64]time.Time
	// staged has the staged manifests that are there.
	staged map[string]*staged
	// landed is called under the lock for each create, removed for each staged
	// manifest that is gone.
	landed  func(*create)
	removed func(*staged)
}

func newTruth(opts memory.Options) *truth {
	store := memory.New(opts)
	return &truth{
		Store: store, Overwriter: store,
		present: make(map[string]*create),
		of:      make(map[uint64][]*create),
		doubted: make(map[uint64]time.Time),
		staged:  make(map[string]*staged),
		ends:    []end{{time: time.Now()}},
	}
}

type callKey struct{}

// CallOf returns what stands for the call that a request is made for, nil for
// none. What is put between a table and its store tells by it which requests
// belong together.
func CallOf(ctx context.Context) any { return ctx.Value(callKey{}) }

// PutIfAbsent implements backends.Store.
func (t *truth) PutIfAbsent(
	ctx context.Context, key string, body []byte, opts backends.PutOptions,
) (backends.Attrs, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	attrs, err := t.Store.PutIfAbsent(ctx, key, body, opts)
	if err != nil {
		return attrs, err
	}
	by, _ := ctx.Value(callKey{}).(*call)
	t.now++
	c := &create{
		key: key, version: versionOf(key), body: bytes.Clone(body), etag: attrs.ETag, by: by,
		at: t.now, time: time.Now(), end: t.lastEnd().number,
	}
	t.creates = append(t.creates, c)
	t.of[c.version] = append(t.of[c.version], c)
	t.present[key] = c
	if by != nil {
		by.creates = append(by.creates, c)
	}
	t.newEnd()
	if t.landed != nil {
		t.landed(c)
	}
	return attrs, nil
}

// Delete implements backends.Store.
func (t *truth) Delete(ctx context.Context, key string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Now().Before(t.doubted[versionOf(key)]) {
		return nil
	}
	if err := t.Store.Delete(ctx, key); err != nil {
		return err
	}
	t.now++
	if c := t.present[key]; c != nil {
		c.deleted = t.now
		delete(t.present, key)
		t.newEnd()
	}
	if s := t.staged[key]; s != nil {
		delete(t.staged, key)
		t.removed(s)
	}
	return nil
}

// doubt keeps a version from being deleted for a while.
func (t *truth) doubt(key string, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.doubted[versionOf(key)] = time.Now().Add(d)
}

// newEnd records the chain's end where it has changed.
func (t *truth) newEnd() {
	var number uint64
	for _, c := range t.present {
		number = max(number, c.version)
	}
	if number != t.lastEnd().number {
		t.ends = append(t.ends, end{at: t.now, time: time.Now(), number: number})
	}
}

func (t *truth) lastEnd() end { return t.ends[len(t.ends)-1] }

// tick returns a moment of its own.
func (t *truth) tick() moment {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now++
	return t.now
}

// endAt returns the chain's end at a moment.
func (t *truth) endAt(at moment) uint64 {
	for i := len(t.ends) - 1; i > 0; i-- {
		if t.ends[i].at <= at {
			return t.ends[i].number
		}
	}
	return 0
}

// endWhen returns the chain's end at a time.
func (t *truth) endWhen(at time.Time) uint64 {
	for i := len(t.ends) - 1; i > 0; i-- {
		if !t.ends[i].time.After(at) {
			return t.ends[i].number
		}
	}
	return 0
}

// wasEnd reports whether the end satisfied a condition at any moment from one to
// another.
func (t *truth) wasEnd(from, to moment, is func(uint64) bool) bool {
	if is(t.endAt(from)) {
		return true
	}
	for _, e := range t.ends {
		if e.at > from && e.at <= to && is(e.number) {
			return true
		}
	}
	return false
}

// versionOf reads the version out of a key, 0 for another object.
func versionOf(key string) uint64 {
	name := naming.Parse(key[len(naming.Versions(root)):])
	if name.Kind != naming.Final {
		return 0
	}
	return name.Version
}
