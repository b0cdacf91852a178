package lancedb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Version is the version of LanceDB that Install installs.
const Version = "0.31.0"

// installTimeout bounds one run of npm.
const installTimeout = 8 * time.Minute

// lockFile says what npm installs, each package by the hash of its content.
const lockFile = "package-lock.json"

// Install makes sure that LanceDB is in integration/.cache of the module around
// the working directory, and returns its folder there. It needs npm only when
// LanceDB is absent. Processes may call it at the same time: each installs into
// a folder of its own, the first to finish gives it its name.
//
// A folder made from another package-lock.json is an error that names it.
func Install(ctx context.Context) (folder string, err error) {
	source, err := sourceFolder()
	if err != nil {
		return "", err
	}
	cache := filepath.Join(filepath.Dir(source), ".cache")
	folder = filepath.Join(cache, "lancedb-"+Version)
	if installed, err := isInstalled(source, folder); installed || err != nil {
		return folder, err
	}

	if err := os.MkdirAll(cache, 0o777); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(cache, "installing-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	for _, name := range []string{"package.json", lockFile} {
		if err := copyFile(filepath.Join(work, name), filepath.Join(source, name)); err != nil {
			return "", err
		}
	}
	if err := npmInstall(ctx, work); err != nil {
		return "", err
	}
	if renameErr := os.Rename(work, folder); renameErr != nil {
		// Another process may have been faster.
		if installed, err := isInstalled(source, folder); !installed {
			return "", errors.Join(renameErr, err)
		}
	}
	return folder, nil
}

// Command returns a command that runs a Node script, given by its path below
// integration/, with LanceDB from folder, as Install returned it. The scripts
// find LanceDB with lancedb.mjs of this package.
func Command(ctx context.Context, folder, script string, args ...string) *exec.Cmd {
	integration := filepath.Dir(filepath.Dir(folder))
	cmd := exec.CommandContext(ctx, "node", append([]string{filepath.Join(integration, filepath.FromSlash(script))}, args...)...)
	cmd.Env = append(os.Environ(), "LANCECOMMIT_LANCEDB_DIR="+folder)
	return cmd
}

// isInstalled relies on folder being complete when it is there at all, since it
// gets its name only then.
func isInstalled(source, folder string) (bool, error) {
	want, err := os.ReadFile(filepath.Join(source, lockFile))
	if err != nil {
		return false, err
	}
	have, err := os.ReadFile(filepath.Join(folder, lockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !bytes.Equal(have, want) {
		return false, fmt.Errorf("%s was installed from another %s: remove that folder and run again", folder, lockFile)
	}
	return true, nil
}

func npmInstall(ctx context.Context, folder string) error {
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	// No package needs its install script, so none gets to run one.
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
	cmd.Dir = folder
	cmd.WaitDelay = 10 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci for LanceDB %s: %w\n%s", Version, err, out)
	}
	return nil
}

// sourceFolder finds this package's folder by walking up from the working
// directory, which for a test is the folder of its package.
func sourceFolder() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := start; ; at = filepath.Dir(at) {
		mod, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && bytes.HasPrefix(mod, []byte("module github.com/lancecommit/lancecommit\n")) {
			return filepath.Join(at, "integration", "lancedb"), nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is not inside the module github.com/lancecommit/lancecommit", start)
		}
	}
}

func copyFile(to, from string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o666)
}
