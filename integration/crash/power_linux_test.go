package crash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/lancecommit/lancecommit/naming"
)

const notSynced = "not synced"

func TestAPowerLossLosesNoAnswer(t *testing.T) {
	for name, size := range map[string]int64{"ext4": 64 << 20, "xfs": 512 << 20} {
		t.Run(name, func(t *testing.T) {
			d := newDisk(t, name, t.TempDir(), size)
			t.Logf("-losses %d -seed %d", *losses, *seed)
			random := rand.New(rand.NewPCG(*seed, uint64(size)))
			w := watch(order{Dir: d.dir, Root: "db/t.lance", Scheme: naming.V2})
			answers := map[string]int{}
			for loss := range *losses {
				forgotten := filepath.Join(d.dir, "forgotten")
				dead := w.writeUntil(t, loss, answers, func() error {
					time.Sleep(time.Duration(random.Int64N(int64(300 * time.Millisecond))))
					if err := os.WriteFile(forgotten, []byte(notSynced), 0o666); err != nil {
						return err
					}
					return d.goDown()
				})
				d.unmount(t)
				d.mount(t)
				// The name may have been kept by the sync of another's file.
				content, _ := os.ReadFile(forgotten)
				require.NotEqual(t, notSynced, string(content), "the power was not lost, so that nothing is proven")
				w.requireBuried(t, dead)
			}
			w.requireWhole(t)
			t.Logf("%d losses, %d versions, %d leftovers; answers: %v", *losses, len(w.versions), len(w.leftovers), answers)
		})
	}
}

// writeUntil has writers at the table until their disk breaks, and counts what
// they were told. The disk must be mended and the table buried afterwards.
func (w *watched) writeUntil(t *testing.T, round int, answers map[string]int, broken func() error) []*process {
	t.Helper()
	var group errgroup.Group
	var opened sync.WaitGroup
	opened.Add(crew)
	processes := make([]*process, crew)
	for slot := range processes {
		o := w.order
		o.ID = fmt.Sprintf("w%d-%d", slot, round)
		o.Updates = (slot+round)%2 == 0
		p, err := start(o)
		require.NoError(t, err)
		processes[slot] = p
		group.Go(func() error {
			once := sync.OnceFunc(opened.Done)
			defer once()
			return p.follow(func(told word) {
				if told.Step == ready {
					once()
				}
			})
		})
	}
	opened.Wait()
	err := broken()
	require.NoError(t, group.Wait())
	require.NoError(t, err)
	for _, p := range processes {
		for _, told := range p.words {
			switch told.Step {
			case committed:
				answers[committed]++
			case failed:
				answers[told.Kind]++
			}
		}
	}
	return processes
}

// requireBuried looks at a table whose disk is mended, and takes in what its dead
// writers were told.
func (w *watched) requireBuried(t *testing.T, dead []*process) {
	t.Helper()
	temporary, err := w.examine(true)
	require.NoError(t, err)
	for _, p := range dead {
		require.NoErrorf(t, w.bury(p), "after %v", p.last())
		require.NoError(t, w.resolves(t.Context(), p))
	}
	known := len(w.leftovers)
	for _, info := range temporary {
		w.leftovers[info.Name()] = true
	}
	require.LessOrEqual(t, len(w.leftovers), known+len(dead), "one leftover a writer")
	require.NoError(t, w.lists(t.Context()))
	require.NoError(t, w.sweepsNothing(t.Context()))
}
