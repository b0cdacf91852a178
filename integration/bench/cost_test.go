package bench_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/internal/bench"
)

// asked is what one library asked of the store to do something, and how long it
// took.
type asked struct {
	took     time.Duration
	requests map[string]int
}

// comparisonsTable is the name of the table with LanceDB in README.md.
const comparisonsTable = "comparisons"

// comparisons is that table.
var comparisons = table{{"what", "LanceDB asks", "takes", "costs", "lancecommit asks", "takes", "costs"}}

// sideBySide keeps a row.
func sideBySide(what string, lance, ours asked) {
	row := []string{what}
	for _, a := range []asked{lance, ours} {
		row = append(row, a.names(), text(a.took), fmt.Sprintf("$%.2f", a.cost()))
	}
	comparisons = append(comparisons, row)
}

// names lists the requests.
func (a asked) names() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(a.requests)) {
		out = append(out, fmt.Sprintf("%d %s", a.requests[name], name))
	}
	return strings.Join(out, ", ")
}

// cost is that of a million, in US dollars, in the first of the clouds.
func (a asked) cost() float64 {
	return bench.ListPrices[0].Of(bench.Requests{
		Put: float64(a.requests["PUT"]), Head: float64(a.requests["HEAD"]),
		List: float64(a.requests["LIST"]), Get: float64(a.requests["GET"]),
	})
}
