//go:build linux || darwin

package file

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/lancecommit/lancecommit/backends"
)

// syncFolder makes the names in a folder durable. A file system that is mounted
// read-only and has no such call, such as squashfs, has nothing to lose.
func syncFolder(folder *os.File) error {
	err := folder.Sync()
	if lacksCall(err) && isReadOnly(folder) {
		return nil
	}
	if err == nil {
		// XFS that has shut down after a failed write of its log drops the names
		// that were not in the log yet, and then has nothing to sync: success.
		// It does refuse to describe the folder from then on.
		_, err = folder.Stat()
	}
	return err
}

// settle makes the way from the root to a folder durable. It costs nothing for a
// folder that this store has settled before. That a folder is there is not
// enough: another process may have made it and not synced it yet.
func (s *Store) settle(dir string, in *folder) error {
	way := wayTo(dir)
	settled := true
	for _, at := range way[:len(way)-1] {
		info, err := s.root.Stat(at)
		if err != nil {
			return err
		}
		settled = settled && s.settled.has(at, info)
	}
	info, err := in.file.Stat()
	if err != nil {
		return err
	}
	if settled && s.settled.has(dir, info) {
		return nil
	}
	for _, at := range way {
		if err := s.settleOne(at); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) settleOne(dir string) error {
	file, err := s.root.Open(dir + "/.")
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	if err := s.calls.syncFolder(file); err != nil {
		if lacksCall(err) {
			err = fmt.Errorf("%w: this file system cannot make a folder durable: %w", backends.ErrUnsupported, err)
		}
		return errors.Join(err, file.Close())
	}
	s.settled.add(dir, settledFolder{file, info})
	return nil
}

// confirm makes what was just seen in a folder durable.
func (s *Store) confirm(in *folder) error {
	if err := s.calls.syncFolder(in.file); err != nil {
		return fmt.Errorf("%w: %w", backends.ErrNotDurable, err)
	}
	return nil
}

// wayTo returns the folders from the root to dir, both included.
func wayTo(dir string) []string {
	way := []string{"."}
	if dir == "." {
		return way
	}
	for at := range len(dir) {
		if dir[at] == '/' {
			way = append(way, dir[:at])
		}
	}
	return append(way, dir)
}

// maxSettled bounds the folders that stay open.
const maxSettled = 128

// folders are those that are known to be durable. They are kept open: otherwise
// the number of a folder that was removed could come back as that of another,
// and the new one would pass for the old.
type folders struct {
	mu   sync.Mutex
	open map[string]settledFolder
}

type settledFolder struct {
	file *os.File
	info os.FileInfo
}

func (f *folders) has(dir string, info os.FileInfo) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	known, ok := f.open[dir]
	return ok && os.SameFile(known.info, info)
}

func (f *folders) add(dir string, settled settledFolder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil {
		f.open = make(map[string]settledFolder)
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

// drop forgets a folder. Nothing was written through the file, so its close has
// nothing to report.
func (f *folders) drop(dir string) {
	if known, ok := f.open[dir]; ok {
		_ = known.file.Close()
		delete(f.open, dir)
	}
}

func (f *folders) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for dir := range f.open {
		f.drop(dir)
	}
}
