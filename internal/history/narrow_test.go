package history

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// Updates that wait for their turn overlap dozens of others, and the answers that
// come late would let each of them be the next.
func TestUpdatesThatWaitForLongAreCheckedInTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var operations []Operation
	for v := uint64(1); v <= 2000; v++ {
		made := time.Second + time.Duration(v)*time.Millisecond
		long := func() time.Duration { return time.Duration(rng.IntN(65)) * time.Millisecond }
		operations = append(operations,
			update(v, fmt.Sprint(v), Done).from(made-long(), made+long()),
			latest(v).from(made-long()/20, made+long()/20),
			missing(v+1).from(made-long(), made+long()),
		)
	}
	report := Check(operations, time.Minute)
	require.Equal(t, porcupine.Ok, report.Result, "in %v", report.Took)
}
