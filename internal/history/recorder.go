package history

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// A Recorder keeps operations and the time of each. It is safe for concurrent
// use.
type Recorder struct {
	began time.Time

	mu         sync.Mutex
	operations []Operation
}

// NewRecorder returns a recorder whose time begins now.
func NewRecorder() *Recorder { return &Recorder{began: time.Now()} }

// Record runs one operation of a client and keeps it with its times. One that
// runs elsewhere has what it took to get there and back in its time, which only
// makes the check more lenient.
func (r *Recorder) Record(client int, run func() Operation) Operation {
	call := time.Since(r.began)
	o := run()
	o.Client, o.Call, o.Return = client, call, time.Since(r.began)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.operations = append(r.operations, o)
	return o
}

// Operations returns what was recorded, in the order in which it began.
func (r *Recorder) Operations() []Operation {
	r.mu.Lock()
	defer r.mu.Unlock()
	operations := slices.Clone(r.operations)
	slices.SortStableFunc(operations, func(a, b Operation) int { return cmp.Compare(a.Call, b.Call) })
	return operations
}
