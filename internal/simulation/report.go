package simulation

import (
	"fmt"
	"maps"
	"time"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/fault"
)

// A Report is what a world came to.
type Report struct {
	Violations []Violation
	// Commits is how many versions were made, Deleted how many of them removed.
	Commits, Deleted int
	Crashes          int
	// Created is how many versions were staged manifests, Swept how many old
	// leftovers a sweep removed.
	Created, Swept int
	// Answers counts what writing calls were told.
	Answers  map[string]int
	Resolved map[committer.Outcome]int
	Faults   map[fault.Kind]int
	// Elapsed is fake time.
	Elapsed time.Duration
	// Fingerprint is that of all that happened, and when.
	Fingerprint uint32
	// Scripts are the faults of each process, as fault.Parse reads them.
	Scripts []string
	// Trace has a line for each request and answer, where Config.Trace is set.
	Trace []string
}

func newReport() Report {
	return Report{Answers: make(map[string]int), Resolved: make(map[committer.Outcome]int), Faults: make(map[fault.Kind]int)}
}

// Add adds the counts of another world.
func (r *Report) Add(other Report) {
	if r.Answers == nil {
		empty := newReport()
		r.Answers, r.Resolved, r.Faults = empty.Answers, empty.Resolved, empty.Faults
	}
	r.Commits += other.Commits
	r.Deleted += other.Deleted
	r.Crashes += other.Crashes
	r.Created += other.Created
	r.Swept += other.Swept
	r.Elapsed += other.Elapsed
	addAll(r.Answers, other.Answers)
	addAll(r.Resolved, other.Resolved)
	addAll(r.Faults, other.Faults)
}

func addAll[K comparable](to, from map[K]int) {
	for key := range maps.Keys(from) {
		to[key] += from[key]
	}
}

// String writes the counts.
func (r Report) String() string {
	return fmt.Sprintf("%d commits, %d of them staged, %d cleaned up, %d leftovers swept, %d crashes, %v of fake time; calls %v; resolved %v; faults %v",
		r.Commits, r.Created, r.Deleted, r.Swept, r.Crashes, r.Elapsed.Round(time.Second), r.Answers, r.Resolved, r.Faults)
}
