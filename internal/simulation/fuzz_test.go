package simulation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/internal/fault"
)

// A world of two writers whose faults are the fuzzer's bytes, one after the
// other for each of them.
func FuzzFaults(f *testing.F) {
	f.Add(uint64(1), []byte{}, []byte{})
	f.Add(uint64(2), []byte{1, 0, 2, 50, 0, 0, 7, 0}, []byte{2, 100, 2, 100, 7, 0})
	f.Add(uint64(3), []byte{6, 0, 1, 0, 5, 10, 0, 0, 0, 0}, []byte{4, 0, 4, 0, 1, 0})
	f.Fuzz(func(t *testing.T, seed uint64, first, second []byte) {
		config := plain(seed)
		config.Commits, config.Processes, config.Readers = 8, 2, 0
		config.CleanUp = seed%2 == 0
		// What a store must not do, a create that is sent twice and answered as
		// taken, and a listing that is old, would need weaker rules.
		config.Script = func(process int) *fault.Script {
			data := append([][]byte{first, second}, nil)[min(process, 2)]
			return fault.FromBytes(data, fault.Duplicate, fault.Stale)
		}
		report := run(t, config)
		require.Empty(t, report.Violations, "%s\n%q", config, report.Scripts)
	})
}
