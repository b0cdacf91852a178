package bench

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

// A recorder counts the requests to a store and remembers every name that one of
// them may have made.
type recorder struct {
	mu    sync.Mutex
	count map[string]int
	// names has how many requests may have made each name.
	names map[string]int
}

func newRecorder() *recorder {
	return &recorder{count: make(map[string]int), names: make(map[string]int)}
}

// around is for intercept.Wrap.
func (r *recorder) around(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
	makes := call.Method == "PUT" || call.Method == "OVERWRITE"
	r.mu.Lock()
	r.count[call.Method]++
	if makes {
		r.names[call.Key]++
	}
	r.mu.Unlock()
	err := do(ctx)
	if makes && backends.IsDefinite(err) {
		r.refused(call.Key)
	}
	return err
}

// refused forgets a request that made nothing, and its name where no other may
// have made it.
func (r *recorder) refused(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.names[name]--; r.names[name] == 0 {
		delete(r.names, name)
	}
}

// counts returns how many requests there were of each method.
func (r *recorder) counts() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.count)
}

// keys returns the names, in order.
func (r *recorder) keys() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.names))
}

func (r *recorder) objects() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.names)
}

// perCall returns the requests between two counts, for each of n calls.
func perCall(before, after map[string]int, n int) Requests {
	per := func(method string) float64 {
		return rounded(float64(after[method]-before[method])/float64(max(n, 1)), 3)
	}
	return Requests{Put: per("PUT"), Head: per("HEAD"), List: per("LIST"), Get: per("GET"), Hint: per("OVERWRITE")}
}
