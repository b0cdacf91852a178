package bench

import "time"

// A Report is what was measured. It has no credential in it. Durations are
// nanoseconds in JSON.
type Report struct {
	// ManifestBytes is the size of what was committed.
	ManifestBytes int          `json:"manifest_bytes"`
	Operations    Operations   `json:"operations"`
	Contention    []Contention `json:"contention"`
	Costs         Costs        `json:"costs"`
	// Folder is where the benchmark worked, with a slash at the end. Left are the
	// objects that are still there, or may be.
	Folder string   `json:"folder"`
	Left   []string `json:"left"`
	// Objects is how many names were written, Elapsed the time of all, clean-up
	// included.
	Objects int           `json:"objects"`
	Elapsed time.Duration `json:"elapsed_ns"`
}

// Operations are single requests, and the calls of the committer that were
// measured in turns with them.
type Operations struct {
	// Put is a conditional create of the manifest's bytes, Head one of a name
	// that is absent, and List the first page of a table's versions: 8 keys, or
	// all of them on a store that lists in no order.
	Put  Operation `json:"put"`
	Head Operation `json:"head"`
	List Operation `json:"list"`
	// Commit is one on top of a chain whose end is known.
	Commit Operation `json:"commit"`
	// LatestCold is the first call of a handle, LatestWarm a further one.
	LatestCold Operation `json:"latest_cold"`
	LatestWarm Operation `json:"latest_warm"`
}

// An Operation is how long one call takes, and what it asks the store for.
type Operation struct {
	Times
	Requests Requests `json:"requests"`
	// Ratio is the median of the quotients of this call's time and that of the
	// request that was measured in turns with it.
	Ratio *float64 `json:"ratio,omitempty"`
	// Failed is how many calls failed. They are no samples.
	Failed int `json:"failed"`
}

// A Form is how writers are set up.
type Form string

const (
	// OneHandle is goroutines that share one handle and take turns.
	OneHandle Form = "one_handle"
	// HandleEach is writers with a handle each, which race as processes do.
	HandleEach Form = "handle_each"
)

// Forms are all of them.
var Forms = []Form{OneHandle, HandleEach}

// A Contention is what so many writers of one table did.
type Contention struct {
	Writers int  `json:"writers"`
	Form    Form `json:"form"`
	Commits int  `json:"commits"`
	// PerSecond is how many versions were committed in a second.
	PerSecond float64 `json:"commits_per_second"`
	// SerialLimit is how many creates the store made in a second, one after the
	// other, before and after: no committer can do more on one table.
	SerialLimit float64 `json:"serial_limit_per_second"`
	// Times are those of one update, from the call to the answer.
	Times
	// Requests are all that were made, for each commit.
	Requests Requests `json:"requests_per_commit"`
	// Slowest is the commits of the writer who had the fewest, as a share of the
	// mean. Nil means that there were too few commits to say.
	Slowest *float64 `json:"slowest_share"`
	// CutOff is how many updates were under way when the time or the objects were
	// used up. Those that the time cut off are samples, with their time so far.
	CutOff int `json:"cut_off"`
	// Failed is how many updates failed. They are no samples.
	Failed int `json:"failed"`
}

// Requests count what a store was asked for, by kind. Hint is writes of the hint
// file, which only stores that list in no order get.
type Requests struct {
	Put  float64 `json:"put"`
	Head float64 `json:"head"`
	List float64 `json:"list"`
	Get  float64 `json:"get"`
	Hint float64 `json:"hint"`
}

// With returns the contention of so many writers.
func (r Report) With(form Form, writers int) (Contention, bool) {
	for _, c := range r.Contention {
		if c.Form == form && c.Writers == writers {
			return c, true
		}
	}
	return Contention{}, false
}
