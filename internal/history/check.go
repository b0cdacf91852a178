package history

import (
	"fmt"
	"time"

	"github.com/anishathalye/porcupine"
)

// A Report is what came of a check.
type Report struct {
	// Result is porcupine's. [porcupine.Unknown] means that the time was over.
	Result porcupine.CheckResult
	// Broken has what can be said in a line of what is wrong. It is empty
	// where Result is [porcupine.Ok].
	Broken []string
	// Counts has how many operations had each kind and result.
	Counts map[string]int
	// Operations is how many there are, Decisive how many porcupine saw.
	Operations, Decisive int
	Took                 time.Duration

	operations []Operation
}

// Check searches for an order of the operations that explains every answer. A
// search that takes longer than the timeout is given up.
func Check(operations []Operation, timeout time.Duration) Report {
	began := time.Now()
	decisive := narrow(essence(operations))
	report := Report{
		Result:     porcupine.CheckOperationsTimeout(model(0), entries(decisive), timeout),
		Broken:     broken(operations),
		Counts:     make(map[string]int),
		Operations: len(operations),
		Decisive:   len(decisive),
		operations: operations,
	}
	for _, o := range operations {
		report.Counts[fmt.Sprintf("%s %s", o.Kind, o.Result)]++
	}
	report.Took = time.Since(began)
	return report
}

// OK reports whether the history can be explained.
func (r Report) OK() bool { return r.Result == porcupine.Ok && len(r.Broken) == 0 }
