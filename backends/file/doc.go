// Package file is a store in a folder on a disk, for Linux and macOS. It needs
// no server and no lock: the file system itself decides who creates a name.
//
// A create writes a temporary file beside the object, makes it durable, and
// gives it the object's name with link(2), which never replaces anything.
// Readers see the whole object or none. The folder is made durable before the
// caller learns the result, a lost race included: what a caller was told is
// still true after the power comes back.
//
// # Limits
//
// Where a file system has no hard links, a rename that refuses to replace is used
// (renameat2 with RENAME_NOREPLACE, renameatx_np with RENAME_EXCL). Where that
// is missing, too, a create is backends.ErrUnsupported and writes nothing.
//
// On NFS a reply can be lost. The result is then read off the names of the
// temporary file, and is unknown where these prove nothing. NFS itself keeps
// creates of several machines apart.
//
// A process that is killed can leave a temporary file. Its name starts with
// [TempPrefix]; it shows up in listings and harms nothing.
//
// A system call that hangs, as on a dead NFS server, is not interrupted when
// the context ends. The context is looked at before the work and right before
// the name is given.
//
// On file systems that fold case or Unicode forms, such as APFS, two keys that
// differ only in these are one.
//
// # Symlinks
//
// Nothing outside the folder is read or written, whatever symlinks there are: a
// way that leads outside is backends.ErrPermission. Symlinks that stay inside
// are followed to folders and when reading. A create never follows one at the
// name itself: the name is taken. The folder that a symlink leads to should be
// durable by itself; the store makes only the folders on the key's own path so.
package file

// TempPrefix starts the names of temporary files. One that is older than any
// create can last belongs to nobody and may be deleted.
const TempPrefix = ".tmp_lancecommit_"
