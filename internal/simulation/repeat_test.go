package simulation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/internal/simulation"
)

func TestASeedRepeatsAWorld(t *testing.T) {
	for seed := range uint64(8) {
		config := simulation.Draw(seed+1000, 150)
		config.NoUpdates, config.Trace = true, true
		// A create reads and lists side by side: where a deadline ends both in one
		// instant, either can be noted first.
		config.Staged = false
		first, second := run(t, config), run(t, config)
		require.Equal(t, first.Trace, second.Trace, "%s", config)
		require.Equal(t, first.Fingerprint, second.Fingerprint)
		require.Equal(t, first.Scripts, second.Scripts)
	}
}
