package histories_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lancecommit/lancecommit/integration/servers"
)

var (
	commits = flag.Int("commits", 0, "versions to make in each store; 0 is as many as there is time for, at most 2,000")
	seed    = flag.Uint64("seed", 0, "seed of what clients do and of what goes wrong; 0 draws one")
)

// root is the table's.
const root = "db/t.lance"

func TestMain(m *testing.M) {
	serveParent()
	goleak.VerifyTestMain(servers.StopAfter(m))
}

// inCI reports whether there is time for all that is worth it.
func inCI() bool { return os.Getenv("CI") != "" }

// A size is how long a run goes on: until so many versions are there, or the time
// is over.
type size struct {
	versions int
	time     time.Duration
}

func sizeOfRun() size {
	switch {
	case *commits > 0:
		return size{*commits, time.Hour}
	case inCI():
		return size{2_000, 80 * time.Second}
	default:
		return size{500, 3 * time.Second}
	}
}

// seedOf returns the seed of a test and prints it.
func seedOf(t *testing.T) uint64 {
	s := *seed
	if s == 0 {
		s = rand.Uint64()
	}
	t.Logf("-seed=%d", s)
	return s
}
