package crash

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A failing disk is one whose device can be made to refuse writes. A loop device
// will not do: it calls a write done that was cut short.
type failing struct {
	disk
	// settings is the folder of the device in sysfs.
	settings string
}

// newFailing makes a file system on a zram device of its own.
func newFailing(t *testing.T, name string, size int64) failing {
	t.Helper()
	requireDisk(t, name)
	const control = "/sys/class/zram-control/"
	number, err := os.ReadFile(control + "hot_add")
	require.NoError(t, err, "the kernel must have zram")
	id := strings.TrimSpace(string(number))
	t.Cleanup(func() { require.NoError(t, os.WriteFile(control+"hot_remove", []byte(id), 0)) })
	d := failing{disk{image: "/dev/zram" + id, dir: t.TempDir()}, "/sys/block/zram" + id}
	require.NoError(t, d.set("disksize", size))
	run(t, "mkfs."+name, "-q", d.image)
	d.mount(t)
	t.Cleanup(func() { d.unmount(t) })
	return d
}

// mount mounts the device itself.
func (d failing) mount(t *testing.T) {
	t.Helper()
	run(t, "mount", d.image, d.dir)
}

func (d failing) set(name string, value int64) error {
	return os.WriteFile(filepath.Join(d.settings, name), []byte(strconv.FormatInt(value, 10)), 0)
}

// refuseWrites has the device refuse what needs memory, which only pages of one
// repeated byte do not, or nothing.
func (d failing) refuseWrites(refuse bool) error {
	if refuse {
		return d.set("mem_limit", 1)
	}
	return d.set("mem_limit", 0)
}
