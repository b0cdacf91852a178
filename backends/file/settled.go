//go:build linux || darwin

package file

import (
	"os"
	"path"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// kept returns the folder of a path as it has been open since this store settled
// it, and none unless every name on the way still is that of the very folder
// that it was then. It can be closed at any time, when the store settles others.
func (s *Store) kept(dir string) *folder {
	var in *folder
	for _, at := range wayTo(dir) {
		known, ok := s.settled.get(at)
		if !ok || in != nil && !in.has(path.Base(at), known.info) {
			return nil
		}
		in = known.folder
	}
	return in
}

// openSettled opens a folder that this store has settled before, if it still is
// that of the path, and returns none otherwise. It is opened anew, since a sync
// tells of a failed write once: to each that had opened the folder before.
func (s *Store) openSettled(dir string) *folder {
	parent := s.kept(path.Dir(dir))
	known, ok := s.settled.get(dir)
	if parent == nil || !ok {
		return nil
	}
	file, err := parent.open(path.Base(dir), os.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil
	}
	if info, err := file.Stat(); err != nil || !os.SameFile(known.info, info) {
		_ = file.Close()
		return nil
	}
	return &folder{File: file, settled: true}
}

// maxSettled bounds the folders that stay open.
const maxSettled = 128

// folders are those that are known to be durable. They are kept open: otherwise
// the number of a folder that was removed could come back as that of another,
// and the new one would pass for the old.
type folders struct {
	mu     sync.Mutex
	open   map[string]settledFolder
	closed bool
}

type settledFolder struct {
	*folder
	info os.FileInfo
}

func (f *folders) get(dir string) (settledFolder, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known, ok := f.open[dir]
	return known, ok
}

func (f *folders) has(dir string, info os.FileInfo) bool {
	known, ok := f.get(dir)
	return ok && os.SameFile(known.info, info)
}

func (f *folders) add(dir string, settled settledFolder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		_ = settled.Close()
		return
	}
	if f.open == nil {
		f.open = make(map[string]settledFolder)
	}
	// Those that were below the folder before this one may have moved here since.
	if known, ok := f.open[dir]; !ok || !os.SameFile(known.info, settled.info) {
		for other := range f.open {
			if strings.HasPrefix(other, dir+"/") {
				f.drop(other)
			}
		}
	}
	f.drop(dir)
	for other := range f.open {
		if len(f.open) < maxSettled {
			break
		}
		f.drop(other)
	}
	f.open[dir] = settled
}

// drop forgets a folder. Whoever uses it finds it closed, or is done first.
func (f *folders) drop(dir string) {
	if known, ok := f.open[dir]; ok {
		_ = known.Close()
		delete(f.open, dir)
	}
}

func (f *folders) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for dir := range f.open {
		f.drop(dir)
	}
}
