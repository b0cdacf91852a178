package bench_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/lancecommit/lancecommit/integration/bench/memory"
	"github.com/lancecommit/lancecommit/integration/bench/processes"
	"github.com/lancecommit/lancecommit/integration/servers"
)

func TestMain(m *testing.M) {
	// The SDK parses this file at each opening of S3, for 6 to 11 ms, which says
	// nothing of the module or of the store.
	_ = os.Unsetenv("AWS_CA_BUNDLE")
	processes.Main()
	memory.Main()
	goleak.VerifyTestMain(servers.StopAfter(judge{m}))
}

// judge prints the figures after the benchmarks, and fails where goals are missed.
type judge struct{ m *testing.M }

func (j judge) Run() int {
	code := j.m.Run()
	all, misses := figures()
	for _, show := range []struct {
		name string
		table
	}{{figuresTable, all}, {comparisonsTable, comparisons}} {
		if err := show.publish(show.name); err != nil {
			fmt.Println(err)
			code = max(code, 1)
		}
	}
	if misses > 0 {
		fmt.Printf("\n%d of the goals are missed by more than noise\n", misses)
		code = max(code, 1)
	}
	return code
}
