package bench_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/integration/bench/memory"
)

// The peak of the memory that CreateTableVersion of a staged manifest of 200 MiB
// takes, as a multiple of its size.
func BenchmarkMemory(b *testing.B) {
	size := 200 << 20
	if testing.Short() {
		size = 16 << 20
	}
	peak := func(b *testing.B, location string, options map[string]string) {
		var growth, peaks, bases []float64
		run := func() {
			result, err := memory.Peak(b.Context(), memory.Config{Location: location, Options: options, Size: size})
			require.NoError(b, err)
			growth = append(growth, result.Growth(size))
			peaks = append(peaks, float64(result.Peak>>20))
			bases = append(bases, float64(result.Base>>20))
		}
		for b.Loop() {
			run()
		}
		for judged() && len(growth) < least {
			run()
		}
		report(b, "peak/size", figure{what: "peak memory / size", runs: growth, most: 1.2,
			detail: fmt.Sprintf("%.0f, %.0f MiB", median(peaks), median(bases))})
	}
	b.Run("disk", func(b *testing.B) { peak(b, b.TempDir(), nil) })
	eachServer(b, func(b *testing.B, at place) { peak(b, at.uri, at.options) })
}
