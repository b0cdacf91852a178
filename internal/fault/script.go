package fault

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxEntries bounds the requests of a script that is parsed from text.
const maxEntries = 1 << 20

// A Script decides what goes wrong with each request. It counts the requests of
// each method apart, so that what happens to the third PUT does not change with
// the number of reads before it. It is safe for concurrent use; with concurrent
// requests the decisions go to them in the order in which they ask.
type Script struct {
	decide func(method string, n int) Fault

	mu      sync.Mutex
	decided map[string][]Fault
}

func newScript(decide func(method string, n int) Fault) *Script {
	return &Script{decide: decide, decided: make(map[string][]Fault)}
}

// Rates say how probable each fault is for a request that can have it, from 0
// to 1. They are tried in the order of the kinds.
type Rates map[Kind]float64

// FromSeed returns a script that draws each decision. Delays are below maxDelay.
func FromSeed(seed uint64, rates Rates, maxDelay time.Duration) *Script {
	rng := rand.New(rand.NewPCG(seed, 0))
	return newScript(func(method string, _ int) Fault {
		at := rng.Float64()
		for _, kind := range methods[method] {
			if at -= rates[kind]; at >= 0 {
				continue
			}
			return amount(kind, time.Duration(rng.Int64N(int64(max(maxDelay, 1)))), rng.IntN(4))
		}
		return Fault{}
	})
}

// FromBytes returns a script that takes two bytes for each request, and does
// nothing once they are used up. Every sequence of bytes is a script. It has no
// faults of the kinds in without.
func FromBytes(data []byte, without ...Kind) *Script {
	return newScript(func(method string, _ int) Fault {
		if len(data) < 2 {
			return Fault{}
		}
		choice, by := int(data[0]), int(data[1])
		data = data[2:]
		can := methods[method]
		// Half of the values are no fault.
		if choice >= 2*len(can) {
			choice %= 2 * len(can)
		}
		if choice >= len(can) || slices.Contains(without, can[choice]) {
			return Fault{}
		}
		return amount(can[choice], time.Duration(by)*20*time.Millisecond, by%4)
	})
}

// amount sets the field that belongs to the kind.
func amount(kind Kind, delay time.Duration, limit int) Fault {
	f := Fault{Kind: kind}
	switch kind {
	case Late, Throttled:
		f.Delay = delay
	case Short:
		f.Limit = limit
	}
	return f
}

// Parse returns the script that a text says: for each method its faults in the
// order of the requests, a number standing for so many requests without one. So
// "PUT=1,late:3s,denied HEAD=stall" lets the first PUT and everything behind
// these faults through.
func Parse(text string) (*Script, error) {
	plan := make(map[string][]Fault)
	for field := range strings.FieldsSeq(text) {
		method, list, ok := strings.Cut(field, "=")
		if _, known := methods[method]; !ok || !known {
			return nil, fmt.Errorf("%q is not METHOD=FAULT,FAULT…; the methods are %s",
				field, strings.Join(slices.Sorted(maps.Keys(methods)), ", "))
		}
		for word := range strings.SplitSeq(list, ",") {
			if clean, err := strconv.Atoi(word); err == nil {
				if clean < 0 || clean > maxEntries-len(plan[method]) {
					return nil, fmt.Errorf("%s: %d requests are out of bounds", method, clean)
				}
				plan[method] = append(plan[method], make([]Fault, clean)...)
				continue
			}
			f, err := parse(word)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", method, err)
			}
			if f.Kind != None && !f.Kind.Meets(method) {
				return nil, fmt.Errorf("%s cannot have the fault %s", method, f.Kind)
			}
			plan[method] = append(plan[method], f)
		}
	}
	return newScript(func(method string, n int) Fault {
		if n < len(plan[method]) {
			return plan[method][n]
		}
		return Fault{}
	}), nil
}

// Next decides about the next request of a method of intercept.Call.
func (s *Script) Next(method string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.decide(method, len(s.decided[method]))
	s.decided[method] = append(s.decided[method], f)
	return f
}

// Counts returns how many faults of each kind were decided on so far.
func (s *Script) Counts() map[Kind]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := make(map[Kind]int)
	for _, faults := range s.decided {
		for _, f := range faults {
			if f.Kind != None {
				counts[f.Kind]++
			}
		}
	}
	return counts
}

// String writes what was decided so far in the form that [Parse] reads.
func (s *Script) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var fields []string
	for _, method := range slices.Sorted(maps.Keys(s.decided)) {
		if words := entries(s.decided[method]); len(words) > 0 {
			fields = append(fields, method+"="+strings.Join(words, ","))
		}
	}
	return strings.Join(fields, " ")
}

// entries writes the faults of one method; what is clean at the end is left out.
func entries(faults []Fault) (words []string) {
	clean := 0
	for _, f := range faults {
		if f.Kind == None {
			clean++
			continue
		}
		if clean > 0 {
			words = append(words, strconv.Itoa(clean))
		}
		words, clean = append(words, f.String()), 0
	}
	return words
}
