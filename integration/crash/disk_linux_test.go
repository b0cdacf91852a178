package crash

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// disksVariable chooses the file systems that tests make and mount, by name with
// commas between, or all. It takes root on Linux, and mkfs of each.
const disksVariable = "LANCECOMMIT_DISKS"

// A disk is a file system of its own, made for one test.
type disk struct {
	// image is the file that it is in. A tmpfs has none.
	image string
	// dir is where it is mounted.
	dir string
}

// requireDisk skips a test whose file system is not chosen. One that is chosen and
// not to be had is a failure.
func requireDisk(t *testing.T, name string) {
	t.Helper()
	chosen := os.Getenv(disksVariable)
	for one := range strings.SplitSeq(chosen, ",") {
		if one == name || one == "all" {
			return
		}
	}
	t.Skipf("%s does not name %s: it makes and mounts a file system, as root", disksVariable, name)
}

// newTmpfs mounts a file system in memory. Size is as its option has it.
func newTmpfs(t *testing.T, size string) disk {
	t.Helper()
	requireDisk(t, "tmpfs")
	d := disk{dir: t.TempDir()}
	run(t, "mount", "-t", "tmpfs", "-o", "size="+size, "lancecommit", d.dir)
	t.Cleanup(func() { d.unmount(t) })
	return d
}

// newDisk makes a file system in a file in a folder and mounts it.
func newDisk(t *testing.T, name, folder string, size int64) disk {
	t.Helper()
	requireDisk(t, name)
	d := disk{image: filepath.Join(folder, name+".image"), dir: t.TempDir()}
	require.NoError(t, os.WriteFile(d.image, nil, 0o600))
	require.NoError(t, os.Truncate(d.image, size))
	run(t, "mkfs."+name, "-q", d.image)
	d.mount(t)
	t.Cleanup(func() { d.unmount(t) })
	return d
}

func (d disk) mount(t *testing.T) {
	t.Helper()
	run(t, "mount", "-o", "loop", d.image, d.dir)
}

func (d disk) unmount(t *testing.T) {
	t.Helper()
	run(t, "umount", d.dir)
}

func (d disk) remount(t *testing.T, options string) {
	t.Helper()
	run(t, "mount", "-o", "remount,"+options, d.dir)
}

// goDown ends all writing to the device from now on, that of what is in memory
// and in the journal's memory included. It is the same call for ext4
// (EXT4_IOC_SHUTDOWN) and XFS (XFS_IOC_GOINGDOWN).
func (d disk) goDown() error {
	const shutdown, withoutLogFlush = 0x8004587d, 2
	folder, err := os.Open(d.dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := unix.IoctlSetPointerInt(int(folder.Fd()), shutdown, withoutLogFlush); err != nil {
		return fmt.Errorf("shut %s down: %w", d.dir, err)
	}
	return nil
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	output, err := exec.Command(name, args...).CombinedOutput()
	require.NoErrorf(t, err, "%s %s: %s", name, strings.Join(args, " "), output)
}
