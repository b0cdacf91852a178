package file

import (
	"os"

	"golang.org/x/sys/unix"
)

// errNoAttribute is the answer for an extended attribute that is not set.
const errNoAttribute = unix.ENODATA

// renameNoReplace renames a file inside a folder. It fails with EEXIST when the
// new name is taken, with EINVAL or ENOSYS where this cannot be had.
func renameNoReplace(in *os.File, oldname, newname string) error {
	fd := int(in.Fd())
	err := unix.Renameat2(fd, oldname, fd, newname, unix.RENAME_NOREPLACE)
	return os.NewSyscallError("renameat2", err)
}

func isReadOnly(folder *os.File) bool {
	var stat unix.Statfs_t
	return unix.Fstatfs(int(folder.Fd()), &stat) == nil && stat.Flags&unix.ST_RDONLY != 0
}
