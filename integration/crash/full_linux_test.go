package crash

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

func TestAFullDiskStoresNothingAndTakesTheSameCommitLater(t *testing.T) {
	for name, make := range map[string]func(t *testing.T) disk{
		"tmpfs": func(t *testing.T) disk { return newTmpfs(t, "1m") },
		"ext4":  func(t *testing.T) disk { return newDisk(t, "ext4", t.TempDir(), 4<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			d := make(t)
			w := watch(order{Dir: d.dir, Root: "db/t.lance", Scheme: naming.V2})
			w.layVersions(t, 1)
			ballast := filepath.Join(d.dir, "ballast")
			fill(t, ballast)
			dead := w.writeUntil(t, 0, map[string]int{}, func() error { return nil })
			w.requireBuried(t, dead)
			require.Empty(t, w.leftovers, "who is told of a full disk cleans up")
			for _, p := range dead {
				requireRefusal(t, p, "no space left on device")
			}
			p := dead[0]
			require.NoError(t, os.Remove(ballast))
			w.requireCommits(t, p.ID, p.last().Call)
			w.requireWhole(t)
		})
	}
}

// fill writes until a disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	for size := 1 << 16; size > 0; {
		if _, err = file.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	require.ErrorContains(t, err, "no space left on device")
}

// requireRefusal requires that a writer's last answer says what is wrong, where,
// and that nothing was stored.
func requireRefusal(t *testing.T, p *process, what string) {
	t.Helper()
	last := p.last()
	require.Equal(t, notStored, last.Kind, last.Text)
	require.Contains(t, last.Text, what)
	require.Contains(t, last.Text, backends.ErrNotStored.Error())
	version, ok := p.lastBuilt(last.Call)
	require.True(t, ok)
	require.Contains(t, last.Text, p.Scheme.Final(version))
}

// The journal cannot be written either, so that names which a writer has seen in
// memory are lost.
func TestADiskThatFailsLosesNoAnswer(t *testing.T) {
	for name, size := range map[string]int64{"ext4": 64 << 20, "xfs": 512 << 20} {
		t.Run(name, func(t *testing.T) {
			d := newFailing(t, name, size)
			w := watch(order{Dir: d.dir, Root: "db/t.lance", Scheme: naming.V2})
			w.layVersions(t, 2)
			answers := map[string]int{}
			for failure := range *losses {
				dead := w.writeUntil(t, failure, answers, func() error {
					time.Sleep(50 * time.Millisecond)
					return d.refuseWrites(true)
				})
				d.unmount(t)
				require.NoError(t, d.refuseWrites(false))
				d.mount(t)
				w.requireBuried(t, dead)
			}
			w.requireWhole(t)
			t.Logf("%d failures, %d versions, %d leftovers; answers: %v", *losses, len(w.versions), len(w.leftovers), answers)
			require.Positive(t, answers[notStored]+answers[unknown])
		})
	}
}

func TestADiskThatIsReadOnlyRefusesAndTakesTheSameCommitLater(t *testing.T) {
	d := newTmpfs(t, "4m")
	w := watch(order{Dir: d.dir, Root: "db/t.lance", Scheme: naming.V2})
	w.layVersions(t, 2)
	d.remount(t, "ro")
	err := w.commits(t, "refused", 1, 3)
	require.ErrorIs(t, err, backends.ErrPermission)
	require.NotErrorIs(t, err, committer.ErrUnknownOutcome)
	require.True(t, strings.Contains(err.Error(), "read-only file system") && strings.Contains(err.Error(), naming.V2.Final(3)), err)
	require.NoError(t, w.lists(t.Context()))
	d.remount(t, "rw")
	w.requireCommits(t, "refused", 1)
	w.requireWhole(t)
}
