package servers

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"time"
)

// installTimeout bounds one installation. MinIO takes six minutes on two cores
// when nothing of it is in Go's build cache.
const installTimeout = 20 * time.Minute

var (
	//go:embed azurite/package.json
	azuritePackage []byte
	//go:embed azurite/package-lock.json
	azuriteLock []byte
)

// Install makes sure that a server is in integration/.cache/servers of the module
// around the working directory, and returns its folder there. It needs Go or npm
// only when the server is absent. Processes may call it at the same time: one
// installs, the others wait.
//
// An Azurite that was made from another package-lock.json is an error that names
// its folder.
func Install(ctx context.Context, kind Kind) (folder string, err error) {
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	folder = filepath.Join(cache, string(kind)+"-"+recipes[kind].version)
	ctx, cancel := context.WithTimeoutCause(ctx, installTimeout,
		fmt.Errorf("not installed after %v: %w", installTimeout, context.DeadlineExceeded))
	defer cancel()
	if err := installOnce(ctx, folder, recipes[kind].install); err != nil {
		return "", fmt.Errorf("install %s: %w", kind.title(), err)
	}
	if kind == Azurite {
		return folder, checkAzuriteLock(folder)
	}
	return folder, nil
}

// installOnce makes folder what build makes of an empty folder, unless it is
// there. It gets its name only when it is complete, so a build that was killed
// leaves no half of it under that name.
func installOnce(ctx context.Context, folder string, build func(ctx context.Context, work string) error) error {
	installed := func() (bool, error) {
		_, err := os.Stat(folder)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	if done, err := installed(); done || err != nil {
		return err
	}
	cache := filepath.Dir(folder)
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return err
	}
	unlock, err := lock(ctx, folder+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	if done, err := installed(); done || err != nil {
		return err
	}
	work, err := os.MkdirTemp(cache, "installing-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := build(ctx, work); err != nil {
		return err
	}
	err = os.Rename(work, folder)
	// Where there are no locks, another process may have been faster.
	if done, _ := installed(); done {
		return nil
	}
	return err
}

// goInstall builds a command of another module, apart from this one's go.mod.
func goInstall(command, version string) func(ctx context.Context, work string) error {
	return func(ctx context.Context, work string) error {
		cmd := exec.CommandContext(ctx, "go", "install", "-ldflags=-s -w", command+"@"+version)
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "GOBIN="+work, "GOFLAGS=-mod=mod", "GOWORK=off")
		if err := runInstaller(ctx, cmd); err != nil {
			return err
		}
		_, err := os.Stat(filepath.Join(work, path.Base(command)))
		return err
	}
}

func npmInstallAzurite(ctx context.Context, work string) error {
	for name, content := range map[string][]byte{"package.json": azuritePackage, "package-lock.json": azuriteLock} {
		if err := os.WriteFile(filepath.Join(work, name), content, 0o666); err != nil {
			return err
		}
	}
	// No package needs its install script, so none gets to run one.
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
	cmd.Dir = work
	if err := runInstaller(ctx, cmd); err != nil {
		return err
	}
	// Azurite loads its telemetry also when it is told to send none.
	telemetry := filepath.Join(work, "node_modules", "applicationinsights")
	if err := os.Mkdir(telemetry, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(telemetry, "index.js"), []byte("module.exports = {};\n"), 0o666)
}

func runInstaller(ctx context.Context, cmd *exec.Cmd) error {
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return fmt.Errorf("%s %s: %w\n%s", filepath.Base(cmd.Path), cmd.Args[1], err, out)
}

func checkAzuriteLock(folder string) error {
	have, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		return err
	}
	if !bytes.Equal(have, azuriteLock) {
		return fmt.Errorf("%s was installed from another package-lock.json: remove that folder and run again", folder)
	}
	return nil
}

// cacheFolder finds the module by walking up from the working directory, which
// for a test is the folder of its package.
func cacheFolder() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := start; ; at = filepath.Dir(at) {
		mod, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && bytes.HasPrefix(mod, []byte("module github.com/lancecommit/lancecommit\n")) {
			return filepath.Join(at, "integration", ".cache", "servers"), nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is not inside the module github.com/lancecommit/lancecommit", start)
		}
	}
}
