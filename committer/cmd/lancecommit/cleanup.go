package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/committer"
)

// A cleanUp is what a command says that has to remove what it made, when it is
// interrupted.
type cleanUp struct {
	app  *app
	ctx  context.Context
	said chan struct{}
	stop func() bool
}

// begin is called with the folder that is to be removed. The clean-up is told of
// as soon as the context ends.
func (c *cleanUp) begin(store backends.Store, folder string) {
	c.said = make(chan struct{})
	c.stop = context.AfterFunc(c.ctx, func() {
		defer close(c.said)
		c.app.printInterrupt(placeOf(store, folder))
	})
}

// end is called after the clean-up.
func (c *cleanUp) end() {
	if c.stop != nil && !c.stop() {
		<-c.said
	}
}

// printInterrupt says what goes on after a first interrupt: a second one kills
// the process, which can then say nothing.
func (a *app) printInterrupt(place string) {
	const next = "another interrupt leaves it there, to be removed by hand"
	if !a.json {
		fmt.Fprintf(a.err, "lancecommit: interrupted: cleaning up in %s; %s\n", place, next)
		return
	}
	_ = json.NewEncoder(a.err).Encode(struct {
		Interrupted bool   `json:"interrupted"`
		CleaningUp  string `json:"cleaning_up"`
		Note        string `json:"note"`
	}{true, place, next})
}

// placeOf is where a folder of a store is, for a person.
func placeOf(store backends.Store, folder string) string {
	if paths := pathsOf(store, folder); len(paths) > 0 {
		return paths[0]
	}
	if located, ok := store.(backends.Located); ok {
		if urls := located.URLs(); len(urls) > 0 {
			return urls[0] + folder
		}
	}
	return folder
}

// pathsOf are the paths of a key of a store on disk, of which there can be two,
// and none for any other store.
func pathsOf(store backends.Store, key string) (paths []string) {
	located, ok := store.(backends.Located)
	if !ok {
		return nil
	}
	for _, url := range located.URLs() {
		if !strings.Contains(url, "://") {
			// A path without its first slash.
			paths = append(paths, filepath.Join("/", url, filepath.FromSlash(key)))
		}
	}
	return paths
}

// checkThere refuses a store on disk whose folder was removed since, as the
// working directory can be. It would look like a store that cannot be reached.
func checkThere(store backends.Store) error {
	located, ok := store.(backends.Located)
	if _, onDisk := store.(*file.Store); !ok || !onDisk {
		return nil
	}
	paths := pathsOf(store, "")
	isThere := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.IsDir()
	}
	// A folder that is gone has no URLs either, where its path was relative. The
	// root of the file system has URLs and no path.
	if len(located.URLs()) > 0 && (len(paths) == 0 || slices.ContainsFunc(paths, isThere)) {
		return nil
	}
	return fmt.Errorf("%w: its folder is gone, removed or moved since it was opened; name a folder that is there", backends.ErrNoBucket)
}

// checkFolder refuses a folder that is gone, and a symlink to nothing in place of
// the one in it that a command is to work in: folders would be made behind it,
// where nobody looks for them.
func checkFolder(store backends.Store, root, name string) error {
	if err := checkThere(store); err != nil {
		return err
	}
	for _, path := range pathsOf(store, root+"/"+name) {
		info, err := os.Lstat(path)
		if err != nil || info.Mode().Type() != fs.ModeSymlink {
			continue
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %s is a symlink that leads nowhere; remove it", committer.ErrInvalid, path)
		}
	}
	return nil
}

// removeFolders removes a folder that a command made, the folders in it and the
// one that it is in, those that are empty. Only on disk are there such. Files and
// symlinks stay, whoever made them.
func removeFolders(store backends.Store, folder string) {
	if folder == "" {
		return
	}
	for _, root := range pathsOf(store, folder) {
		dirs := []string{filepath.Dir(root)}
		_ = filepath.WalkDir(root, func(dir string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				dirs = append(dirs, dir)
			}
			return nil
		})
		for _, dir := range slices.Backward(dirs) {
			_ = syscall.Rmdir(dir) // os.Remove would take a file, too
		}
	}
}
