//go:build linux || darwin

package file

import (
	"errors"
	"fmt"
	"os"

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
	if in.settled {
		return nil
	}
	way := wayTo(dir)
	settled := true
	for _, at := range way[:len(way)-1] {
		info, err := s.root.Stat(at)
		if err != nil {
			return err
		}
		settled = settled && s.settled.has(at, info)
	}
	info, err := in.Stat()
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
	s.settled.add(dir, settledFolder{&folder{File: file, settled: true}, info})
	return nil
}

// confirm makes what was just seen in a folder durable.
func (s *Store) confirm(in *folder) error {
	if err := s.calls.syncFolder(in.File); err != nil {
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
