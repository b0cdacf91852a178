//go:build linux || darwin

package crash

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/lancecommit/lancecommit/committer"
)

// The umask of a writer marks its files, so that a leftover can be told from the
// file of another that is alive.
const (
	umaskStep = 0o002
	umasks    = 4
	modeMark  = 0o006
)

func umaskOf(slot int) int { return slot % umasks * umaskStep }

func madeUnder(umask int, info fs.FileInfo) bool {
	return int(info.Mode()&modeMark) == 0o666&^umask&modeMark
}

// leftBy returns the temporary file that a dead writer left, nil if none, and
// remembers it. No living writer may have the same umask.
func (w *watched) leftBy(p *process, temporary []fs.FileInfo) (fs.FileInfo, error) {
	var left fs.FileInfo
	for _, info := range temporary {
		if !madeUnder(p.Umask, info) || w.leftovers[info.Name()] {
			continue
		}
		if left != nil {
			return nil, fmt.Errorf("the killed %s left %s and %s", p.ID, left.Name(), info.Name())
		}
		left = info
		w.leftovers[info.Name()] = true
	}
	return left, nil
}

// momentOf says at which step a writer was killed, from its last word and from
// what it left.
func (w *watched) momentOf(p *process, left fs.FileInfo) string {
	version, call, _ := p.inFlight()
	isThere := w.outcome(p, version, call) == committer.Committed
	switch step := p.last().Step; {
	case step == "":
		return "a  before its first word"
	case step == "PUT" && left == nil && isThere:
		return "h  linked, temporary name gone, folder synced or not"
	case step == "PUT" && left == nil:
		return "b  before the temporary file, or after a lost race"
	case step == "PUT" && left.Sys().(*syscall.Stat_t).Nlink == 2:
		return "g  linked, temporary name still there"
	case step == "PUT" && left.Size() == 0:
		return "c  temporary file empty"
	case step == "PUT" && left.Size() < int64(len(bodyOf(p.ID, call, version))):
		return "d  temporary file half written"
	case step == "PUT":
		return "e  temporary file whole, synced or not"
	case step == "put" && isThere:
		return "i  create answered, hint not begun"
	case step == "OVERWRITE":
		return "j  hint being written"
	case step == "overwrite":
		return "k  hint written, success not told"
	case step == committed:
		return "l  success told"
	}
	return "m  listing, looking, building, waiting"
}

// A tally counts kills by their moment.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *tally) add(moment string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[moment]++
}

func (c *tally) total() (total int) {
	for _, n := range c.counts {
		total += n
	}
	return total
}

// String has a line for each moment, in the order of the steps.
func (c *tally) String() string {
	var b strings.Builder
	for _, moment := range slices.Sorted(maps.Keys(c.counts)) {
		fmt.Fprintf(&b, "\n%6d  %s", c.counts[moment], moment[3:])
	}
	return b.String()
}
