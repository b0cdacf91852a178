package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lancecommit/lancecommit/internal/bench"
)

func (a *app) printBench(place string, report bench.Report, chart string) error {
	if a.json {
		return a.printJSON(struct {
			Store string `json:"store"`
			bench.Report
		}{place, report})
	}
	if err := a.printTable(requestRows(report.Operations)); err != nil {
		return err
	}
	_, err := fmt.Fprint(a.out, `
Commits a second to one table by several writers: goroutines of one handle, which
take turns, and writers with a handle each, which race, as processes do. PUT/S is
what the store does one after the other.

`)
	if err != nil {
		return err
	}
	if err := a.printTable(contentionRows(report)); err != nil {
		return err
	}
	fmt.Fprintln(a.out)
	if err := a.printTable(costRows(report)); err != nil {
		return err
	}
	_, err = fmt.Fprint(a.out, benchNotes(place, report, chart))
	return err
}

func requestRows(ops bench.Operations) [][]string {
	rows := [][]string{{"REQUEST", "N", "P50", "P99", "MEAN", "RATIO", "REQUESTS"}}
	add := func(name string, op bench.Operation, to string) {
		ratio, requests := "", ""
		if op.Ratio != nil {
			ratio, requests = fmt.Sprintf("%.2f x %s", *op.Ratio, to), requestText(op.Requests)
		}
		rows = append(rows, []string{name, strconv.Itoa(op.N), shortTime(op.P50), shortTime(op.P99), shortTime(op.Mean), ratio, requests})
	}
	add("PUT if absent", ops.Put, "")
	add("commit", ops.Commit, "PUT")
	add("LIST of a first page", ops.List, "")
	add("latest, cold", ops.LatestCold, "LIST")
	add("HEAD of an absent name", ops.Head, "")
	add("latest, warm", ops.LatestWarm, "HEAD")
	return rows
}

// requestText counts requests in words, those that there are.
func requestText(r bench.Requests) string {
	var parts []string
	for _, part := range []struct {
		n    float64
		kind string
	}{{r.Put, "PUT"}, {r.Head, "HEAD"}, {r.List, "LIST"}, {r.Get, "GET"}, {r.Hint, "hint"}} {
		if part.n > 0 {
			parts = append(parts, strconv.FormatFloat(part.n, 'f', -1, 64)+" "+part.kind)
		}
	}
	return strings.Join(parts, ", ")
}

func contentionRows(report bench.Report) [][]string {
	rows := [][]string{{
		"WRITERS", "PUT/S", "TURNS/S", "P50", "P99", "PUTS", "RACE/S", "P50", "P99", "PUTS", "HEADS", "LISTS", "GETS", "SLOWEST",
	}}
	for _, turns := range report.Contention {
		if turns.Form != bench.OneHandle {
			continue
		}
		race, _ := report.With(bench.HandleEach, turns.Writers)
		slowest := "-"
		if race.Slowest != nil {
			slowest = fmt.Sprintf("%.2f", *race.Slowest)
		}
		rows = append(rows, []string{
			strconv.Itoa(turns.Writers), rate((turns.SerialLimit + race.SerialLimit) / 2),
			rate(turns.PerSecond), shortTime(turns.P50), shortTime(turns.P99), count(turns.Requests.Put),
			rate(race.PerSecond), shortTime(race.P50), shortTime(race.P99), count(race.Requests.Put), count(race.Requests.Head),
			count(race.Requests.List), count(race.Requests.Get), slowest,
		})
	}
	return rows
}

func costRows(report bench.Report) [][]string {
	header := []string{"US$ FOR A MILLION"}
	rows := [][]string{
		{"commits, one writer"},
		{fmt.Sprintf("commits, %d with a handle each", report.Costs.ContendedWriters)},
		{"lookups of the latest, cold"},
		{"lookups of the latest, warm"},
	}
	for _, cost := range report.Costs.Stores {
		header = append(header, strings.ToUpper(cost.Store))
		for i, usd := range []float64{cost.Commits, cost.ContendedCommits, cost.ColdLookups, cost.WarmLookups} {
			rows[i] = append(rows[i], fmt.Sprintf("%.2f", usd))
		}
	}
	return append([][]string{header}, rows...)
}

// benchNotes is what the tables rest on.
func benchNotes(place string, report bench.Report, chart string) string {
	var b strings.Builder
	var at []string
	for _, cost := range report.Costs.Stores {
		at = append(at, fmt.Sprintf("%s %s (%s)", cost.Store, cost.Class, cost.Region))
	}
	fmt.Fprintf(&b, "\nList prices of %s, requests only: %s.\n", report.Costs.PricesRead, strings.Join(at, "; "))
	fmt.Fprintf(&b, "%s: %d objects, manifests of %d bytes, %.1f s", place, report.Objects, report.ManifestBytes, report.Elapsed.Seconds())
	if n := len(report.Left); n > 0 {
		fmt.Fprintf(&b, "; %d objects may be left in %s\n", n, report.Folder)
	} else {
		fmt.Fprint(&b, "; nothing is left\n")
	}
	if failed := benchFailures(report); failed > 0 {
		fmt.Fprintf(&b, "%d calls failed and are not in the times.\n", failed)
	}
	if chart != "" {
		fmt.Fprintf(&b, "Chart: %s\n", chart)
	}
	return b.String()
}

// benchFailures counts the calls that failed.
func benchFailures(report bench.Report) (failed int) {
	ops := report.Operations
	for _, op := range []bench.Operation{ops.Put, ops.Head, ops.List, ops.Commit, ops.LatestCold, ops.LatestWarm} {
		failed += op.Failed
	}
	for _, c := range report.Contention {
		failed += c.Failed
	}
	return failed
}

// shortTime writes a time with three digits or so.
func shortTime(d time.Duration) string {
	switch ms := float64(d) / float64(time.Millisecond); {
	case ms < 1:
		return fmt.Sprintf("%.0f µs", ms*1000)
	case ms < 10:
		return fmt.Sprintf("%.2f ms", ms)
	case ms < 100:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 10_000:
		return fmt.Sprintf("%.0f ms", ms)
	default:
		return fmt.Sprintf("%.1f s", ms/1000)
	}
}

func rate(perSecond float64) string {
	if perSecond < 100 {
		return fmt.Sprintf("%.1f", perSecond)
	}
	return fmt.Sprintf("%.0f", perSecond)
}

func count(requests float64) string { return fmt.Sprintf("%.2f", requests) }
