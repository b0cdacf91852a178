package simulation_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/lancecommit/lancecommit/internal/simulation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	seed     = flag.Uint64("seed", 1, "seed of the first world")
	commits  = flag.Int("commits", 0, "versions to make in all worlds together; 0 is 5,000, or 50,000 where CI is set")
	world    = flag.Int("world", 250, "versions to make in one world")
	requests = flag.Bool("requests", false, "print every request of a world that breaks a rule")
)

func run(t *testing.T, config simulation.Config) (report simulation.Report) {
	synctest.Test(t, func(*testing.T) { report = simulation.Run(config) })
	return report
}

func TestSimulation(t *testing.T) {
	total := *commits
	if total == 0 {
		total = 5_000
		if os.Getenv("CI") != "" {
			total = 50_000
		}
	}
	worlds := (total + *world - 1) / *world
	var mu sync.Mutex
	var sum simulation.Report
	began := time.Now()
	t.Run("worlds", func(t *testing.T) {
		const lanes = 4
		for lane := range lanes {
			t.Run(fmt.Sprint("lane ", lane), func(t *testing.T) {
				t.Parallel()
				for i := lane; i < worlds; i += lanes {
					config := simulation.Draw(*seed+uint64(i), *world)
					config.Trace = *requests
					report := run(t, config)
					mu.Lock()
					sum.Add(report)
					mu.Unlock()
					if len(report.Violations) > 0 {
						fail(t, config, report)
						return
					}
				}
			})
		}
	})
	took := time.Since(began)
	t.Logf("%d worlds from seed %d: %d commits in %v, %.0f a second\n%s", worlds, *seed, sum.Commits, took.Round(time.Millisecond),
		float64(sum.Commits)/took.Seconds(), sum)
}

// fail prints what broke and how to see it again.
func fail(t *testing.T, config simulation.Config, report simulation.Report) {
	t.Helper()
	var b strings.Builder
	for i, violation := range report.Violations {
		if i == 10 {
			fmt.Fprintf(&b, "and %d more\n", len(report.Violations)-i)
			break
		}
		fmt.Fprintf(&b, "%s\n", violation)
	}
	for _, line := range report.Trace {
		fmt.Fprintf(&b, "%s\n", line)
	}
	t.Errorf("%s%s\nrun it again: go test ./internal/simulation -run '^TestSimulation$' -seed=%d -world=%d -commits=1 -requests -count=5",
		b.String(), config, config.Seed, config.Commits)
}
