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
		var growth []float64
		var last memory.Result
		run := func() {
			var err error
			last, err = memory.Peak(b.Context(), memory.Config{Location: location, Options: options, Size: size})
			require.NoError(b, err)
			growth = append(growth, last.Growth(size))
		}
		for b.Loop() {
			run()
		}
		for judged() && len(growth) < least {
			run()
		}
		report(b, "peak/size", figure{what: "peak memory / size", runs: growth, most: 1.2,
			detail: fmt.Sprintf("%d, %d MiB", last.Peak>>20, last.Base>>20)})
	}
	b.Run("disk", func(b *testing.B) { peak(b, b.TempDir(), nil) })
	eachServer(b, func(b *testing.B, at place) { peak(b, at.uri, at.options) })
}
