package bench_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lancecommit/lancecommit/internal/bench"
)

// asked is what one library asked of the store to do something, and how long it
// took.
type asked struct {
	took     time.Duration
	requests map[string]int
}

// comparisons are the rows of the table with LanceDB.
var comparisons []string

// sideBySide keeps a row: LanceDB first.
func sideBySide(what string, of []asked) {
	row := "| " + what
	for _, a := range of {
		row += fmt.Sprintf("\t| %s\t| %s\t| $%.2f", a.names(), text(a.took), a.cost())
	}
	comparisons = append(comparisons, row+"\t|")
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

// printComparisons prints the table with LanceDB, as README.md has it.
func printComparisons() {
	if len(comparisons) == 0 {
		return
	}
	fmt.Printf("\nUS dollars are for a million, at the list prices of %s %s, %s.\n\n",
		bench.ListPrices[0].Store, bench.ListPrices[0].Class, bench.PricesRead)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(out, "| what\t| LanceDB asks\t| takes\t| costs\t| lancecommit asks\t| takes\t| costs\t|")
	fmt.Fprintln(out, "|-\t|-\t|-\t|-\t|-\t|-\t|-\t|")
	for _, row := range comparisons {
		fmt.Fprintln(out, row)
	}
	_ = out.Flush()
}
