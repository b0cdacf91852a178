//go:build linux || darwin

package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// A power is what the disk under a store keeps for certain: the content of files
// and the names in folders as they were when they were synced last. Of all
// else a power loss can keep any part: each name by itself, and of a file
// nothing, a half or all.
type power struct {
	dir string
	// files are the contents, names the entries of folders, by inode.
	files map[uint64][]byte
	names map[uint64]map[string]uint64
	// told are the versions that somebody was told are there.
	told map[string][]byte
	// bodies are those that writers have built, by the version's name.
	bodies map[string][][]byte
	// losses counts the disks that losses of power could have left.
	losses int
	broken error
}

// powered watches the syncs of a store, and has the power fail after each call.
func powered(t *testing.T, s *Store) *power {
	p := &power{
		dir: s.root.Name(), files: map[uint64][]byte{}, names: map[uint64]map[string]uint64{},
		told: map[string][]byte{}, bodies: map[string][][]byte{},
	}
	calls := s.calls
	s.calls.write = func(f *os.File, body []byte) error {
		delete(p.files, inodeOf(t, f))
		defer p.fail(t)
		return calls.write(f, body)
	}
	s.calls.syncFile = func(f *os.File) error {
		p.fail(t)
		body, err := os.ReadFile(f.Name())
		require.NoError(t, err)
		p.files[inodeOf(t, f)] = body
		p.fail(t)
		return nil
	}
	s.calls.link = func(in *os.File, oldname, newname string) error {
		defer p.fail(t)
		return calls.link(in, oldname, newname)
	}
	s.calls.syncFolder = func(f *os.File) error {
		p.fail(t)
		p.names[inodeOf(t, f)] = entriesOf(t, f.Name())
		p.fail(t)
		return nil
	}
	return p
}

func inodeOf(t *testing.T, f *os.File) uint64 {
	info, err := f.Stat()
	require.NoError(t, err)
	return info.Sys().(*syscall.Stat_t).Ino
}

func entriesOf(t *testing.T, folder string) map[string]uint64 {
	entries := map[string]uint64{}
	for _, name := range filesIn(t, folder) {
		info, err := os.Lstat(filepath.Join(folder, name))
		require.NoError(t, err)
		entries[name] = info.Sys().(*syscall.Stat_t).Ino
	}
	return entries
}

// fail checks every disk that a loss of power could leave now.
func (p *power) fail(t *testing.T) {
	if p.broken != nil {
		return
	}
	for c := new(choices); ; {
		left := map[string][]byte{}
		info, err := os.Lstat(p.dir)
		require.NoError(t, err)
		p.lay(t, c, p.dir, "", info.Sys().(*syscall.Stat_t).Ino, left)
		p.losses++
		if p.broken = p.check(left); p.broken != nil || !c.next() {
			return
		}
	}
}

// lay adds to left what the choices keep of a folder.
func (p *power) lay(t *testing.T, c *choices, at, below string, inode uint64, left map[string][]byte) {
	now, kept := entriesOf(t, at), p.names[inode]
	all := maps.Clone(now)
	maps.Copy(all, kept)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		_, isNow := now[name]
		_, isKept := kept[name]
		if isNow != isKept && c.of(2) == 0 {
			continue
		}
		path := filepath.Join(at, name)
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			p.lay(t, c, path, below+name+"/", all[name], left)
			continue
		}
		body, synced := p.files[all[name]]
		if !synced {
			now, err := os.ReadFile(path)
			require.NoError(t, err)
			body = now[:len(now)*c.of(3)/2]
		}
		left[below+name] = body
	}
}

// check returns what is wrong with what a loss of power left.
func (p *power) check(left map[string][]byte) error {
	var end uint64
	for name, body := range left {
		version := naming.Parse(strings.TrimPrefix(name, naming.Versions("t")))
		if version.Kind != naming.Final {
			continue
		}
		end = max(end, version.Version)
		if !slices.ContainsFunc(p.bodies[name], func(b []byte) bool { return bytes.Equal(b, body) }) {
			return errTorn
		}
	}
	for name, body := range p.told {
		if !bytes.Equal(left[name], body) {
			return errLost
		}
	}
	var hinted uint64
	hint := string(left[naming.Versions("t")+naming.Hint])
	if n, _ := fmt.Sscanf(hint, `{"version":%d}`, &hinted); n == 1 && hinted > end && strings.HasSuffix(hint, "}") {
		return errHint
	}
	return nil
}

var (
	errTorn = errors.New("a version is torn")
	errLost = errors.New("a version is lost that a writer was told of")
	errHint = errors.New("the hint is above the end")
)

// build returns the bytes of a version, and knows them from then on.
func (p *power) build(version uint64, note string) []byte {
	key, body := naming.Versions("t")+naming.V2.Final(version), manifestOf(version, note)
	p.bodies[key] = append(p.bodies[key], body)
	return body
}

// tells is called with what a writer was told.
func (p *power) tells(t *testing.T, version uint64, body []byte) {
	p.told[naming.Versions("t")+naming.V2.Final(version)] = body
	p.fail(t)
}

// choices goes through all sequences of choices, one run after the other.
type choices struct {
	taken, sizes []int
	at           int
}

// of chooses one of n.
func (c *choices) of(n int) int {
	if c.at == len(c.taken) {
		c.taken, c.sizes = append(c.taken, 0), append(c.sizes, n)
	}
	c.at++
	return c.taken[c.at-1]
}

// next begins another run, unless all were made.
func (c *choices) next() bool {
	for at := len(c.taken) - 1; at >= 0; at-- {
		if c.taken[at]++; c.taken[at] < c.sizes[at] {
			c.taken, c.sizes, c.at = c.taken[:at+1], c.sizes[:at+1], 0
			return true
		}
	}
	return false
}

// writeUnderPower makes a table: a first version, more, a lost race, an update.
func writeUnderPower(t *testing.T, s *Store, p *power) {
	table, rival := tableOf(s), tableOf(s)
	commit := func(table *committer.Table, version uint64, note string) {
		body := p.build(version, note)
		_, err := table.Commit(t.Context(), version, body)
		require.NoError(t, err)
		p.tells(t, version, body)
	}
	commit(table, 1, "first")
	commit(table, 2, "second")
	_, err := rival.Latest(t.Context())
	require.NoError(t, err)
	commit(table, 3, "winner")
	_, err = rival.Commit(t.Context(), 3, p.build(3, "loser"))
	require.ErrorIs(t, err, committer.ErrConflict)
	p.fail(t)
	var body []byte
	_, err = rival.Update(t.Context(), func(_ context.Context, base committer.Version) ([]byte, error) {
		body = p.build(base.Number+1, "update")
		return body, nil
	})
	require.NoError(t, err)
	p.tells(t, 4, body)
}

func TestAPowerLossAtAnyMomentKeepsWhatWasTold(t *testing.T) {
	s, _ := newStore(t)
	p := powered(t, s)
	writeUnderPower(t, s, p)
	require.NoError(t, p.broken)
	require.Greater(t, p.losses, 100)
	t.Logf("%d disks that a loss of power could leave", p.losses)
}

// Each sync is needed: without it a loss of power breaks something.
func TestAPowerLossFindsASyncThatIsMissing(t *testing.T) {
	for name, c := range map[string]struct {
		skip func(t *testing.T, s *Store, c *calls)
		want error
	}{
		"of the file": {func(_ *testing.T, _ *Store, c *calls) { c.syncFile = syncAnswers(nil) }, errTorn},
		"of the folder": {func(t *testing.T, s *Store, c *calls) {
			skipFolders(t, s, c, func(folder string) bool { return folder == "t/_versions" })
		}, errLost},
		"of the way to the folder": {func(t *testing.T, s *Store, c *calls) {
			skipFolders(t, s, c, func(folder string) bool { return folder != "t/_versions" })
		}, errLost},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newStore(t)
			p := powered(t, s)
			c.skip(t, s, &s.calls)
			writeUnderPower(t, s, p)
			require.ErrorIs(t, p.broken, c.want)
		})
	}
}

func skipFolders(t *testing.T, s *Store, c *calls, skip func(folder string) bool) {
	sync := c.syncFolder
	c.syncFolder = func(f *os.File) error {
		name, err := filepath.Rel(s.root.Name(), filepath.Clean(f.Name()))
		require.NoError(t, err)
		if skip(name) {
			return nil
		}
		return sync(f)
	}
}
