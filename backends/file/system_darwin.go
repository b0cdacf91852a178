package file

import (
	"os"

	"golang.org/x/sys/unix"
)

// errNoAttribute is the answer for an extended attribute that is not set.
const errNoAttribute = unix.ENOATTR

// renameNoReplace renames a file inside a folder. It fails with EEXIST when the
// new name is taken, with ENOTSUP where this cannot be had.
func renameNoReplace(in *os.File, oldname, newname string) error {
	fd := int(in.Fd())
	err := unix.RenameatxNp(fd, oldname, fd, newname, unix.RENAME_EXCL)
	return os.NewSyscallError("renameatx_np", err)
}

func isReadOnly(folder *os.File) bool {
	var stat unix.Statfs_t
	return unix.Fstatfs(int(folder.Fd()), &stat) == nil && stat.Flags&unix.MNT_RDONLY != 0
}
