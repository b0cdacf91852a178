package bench

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/committer/manifest"
)

// A Config says what to measure, and for how long.
type Config struct {
	// Root is the key of the folder to work in. Empty means the store itself.
	Root string
	// Stores are handles of one place, each with connections of its own. Single
	// requests go to the first; writers that race have them in turn. There must
	// be one.
	Stores []backends.Store
	// Manifest is what is committed, under other version numbers.
	Manifest []byte
	// Writers are the numbers of writers that update one table at the same time.
	Writers []int
	// For is the time of all measurements together. Each of them takes one sample
	// at the least, so a store that is very slow needs longer.
	For time.Duration
	// MaxObjects is the most objects that are made.
	MaxObjects int
	// RequestTimeout bounds a single request of the benchmark's own, and a second
	// is added for each MiB. Zero means 10 s.
	RequestTimeout time.Duration
	// Grace bounds the clean-up, which is made also when the context has ended.
	// Zero means 2 minutes.
	Grace time.Duration
	// Progress is called as the benchmark goes on, in the caller's goroutine. Nil
	// is skipped.
	Progress func(doing string, done, total int)
}

// Bounds of what a Config asks for.
const (
	MinFor, MaxFor          = time.Second, time.Hour
	MinObjects, MostObjects = 1_000, 1_000_000
	MostWriters             = 1_024
	MostCounts              = 16
	// MostBytes is the most that all objects have together, and MostManifest what
	// one has.
	MostBytes    = 10 << 30
	MostManifest = 10 << 20
)

// Check says what is wrong with a Config: committer.ErrInvalid, or nil. The stores
// may still be missing.
func (c Config) Check() error {
	invalid := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", committer.ErrInvalid, fmt.Sprintf(format, args...))
	}
	switch {
	case c.For < MinFor || c.For > MaxFor:
		return invalid("a benchmark of %v; it takes %v to %v", c.For, MinFor, MaxFor)
	case c.MaxObjects < MinObjects || c.MaxObjects > MostObjects:
		return invalid("at most %d objects; give %d to %d", c.MaxObjects, MinObjects, MostObjects)
	case int64(c.MaxObjects)*int64(len(c.Manifest)) > MostBytes:
		return invalid("%d objects of %d bytes are more than %d GiB; give fewer objects", c.MaxObjects, len(c.Manifest), MostBytes>>30)
	case len(c.Writers) == 0 || len(c.Writers) > MostCounts:
		return invalid("%d numbers of writers; give 1 to %d", len(c.Writers), MostCounts)
	case slices.Min(c.Writers) < 1 || slices.Max(c.Writers) > MostWriters:
		return invalid("writers are 1 to %d", MostWriters)
	case len(slices.Compact(slices.Sorted(slices.Values(c.Writers)))) < len(c.Writers):
		return invalid("a number of writers is given twice")
	}
	if err := manifest.Validate(c.Manifest); err != nil {
		return fmt.Errorf("%w: %w", committer.ErrInvalid, err)
	}
	return nil
}

func (c Config) withDefaults() Config {
	c.Writers = slices.Sorted(slices.Values(c.Writers))
	c.RequestTimeout = cmp.Or(max(c.RequestTimeout, 0), 10*time.Second) +
		time.Duration(len(c.Manifest)>>20)*time.Second
	c.Grace = cmp.Or(max(c.Grace, 0), 2*time.Minute)
	return c
}
