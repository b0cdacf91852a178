package histories_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/integration/servers"
	"github.com/lancecommit/lancecommit/internal/fault"
	"github.com/lancecommit/lancecommit/internal/history"
)

// searchTimeout bounds one check.
const searchTimeout = 2 * time.Minute

// memoryFaults are those of a network between a process and its memory.
var memoryFaults = fault.Rates{fault.After: 0.1, fault.Late: 0.02, fault.Contended: 0.01}

func TestEveryAnswerIsThatOfOneChain(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		seed := seedOf(t)
		explain(t, inMemory(seed, memoryFaults, nil), seed)
	})
	t.Run("disk, from several processes", func(t *testing.T) { explain(t, onDisk(t), seedOf(t)) })
	eachServer(t, func(t *testing.T, server *servers.Server) {
		seed := seedOf(t)
		explain(t, onServer(t, server, seed), seed)
	})
}

// explain runs the clients of a world and checks what they were told.
func explain(t *testing.T, w world, seed uint64) {
	t.Helper()
	operations, took := start(w, sizeOfRun(), seed)
	versions := 0
	reads, failed := 0, 0
	for _, o := range operations {
		if o.Kind == history.Read && o.Client >= writers+readers {
			versions = max(versions, int(o.Version)-1) // the last is the one that is not there
			require.NotEqual(t, history.Failed, o.Result, o)
		}
		require.Falsef(t, strings.HasPrefix(o.Error, unexpected), "%s", o)
		if o.Kind == history.Latest || o.Kind == history.Read {
			reads++
			if o.Result == history.Failed {
				failed++
				t.Logf("a read failed: %s", o)
			}
		}
	}
	report := history.Check(operations, searchTimeout)
	t.Logf("%d versions in %v, %.0f a second; %d operations, of which %d decide, checked in %v; %v",
		versions, took.Round(time.Millisecond), float64(versions)/took.Seconds(), report.Operations, report.Decisive,
		report.Took.Round(time.Millisecond), report.Counts)
	require.Positive(t, versions)
	require.Less(t, failed, 1+reads/20, "reads that failed")
	requireOK(t, report, seed)
}

func requireOK(t *testing.T, report history.Report, seed uint64) {
	t.Helper()
	if report.OK() {
		return
	}
	folder, err := report.Save()
	require.NoError(t, err)
	t.Errorf("the answers are not those of one chain: %s; -seed=%d; the history is in %s\n%s",
		report.Result, seed, folder, strings.Join(report.Broken[:min(len(report.Broken), 10)], "\n"))
}
