package processes_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/lancecommit/lancecommit/integration/bench/processes"
	"github.com/lancecommit/lancecommit/integration/servers"
)

func TestMain(m *testing.M) {
	processes.Main()
	goleak.VerifyTestMain(servers.StopAfter(m))
}
