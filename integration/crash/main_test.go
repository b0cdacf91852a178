//go:build linux || darwin

package crash

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"

	"go.uber.org/goleak"
)

var (
	kills  = flag.Int("kills", inCI(1000, 50), "how many writers are killed; 1000 where CI is set")
	losses = flag.Int("losses", inCI(20, 5), "how often each file system loses its power")
	seed   = flag.Uint64("seed", rand.Uint64N(1_000_000), "draws the moments; timing is the machine's")
)

func inCI(there, elsewhere int) int {
	if os.Getenv("CI") != "" {
		return there
	}
	return elsewhere
}

func TestMain(m *testing.M) {
	writerProcess()
	goleak.VerifyTestMain(m)
}
