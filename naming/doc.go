// Package naming translates between the versions of a Lance table and the
// names of the objects that hold them.
//
// It is pure: it does no I/O and imports nothing but the standard library.
// Every function is safe for concurrent use.
//
// A table's history is the folder _versions/ below its root. The manifest of a
// version has one of two names there, by the table's naming scheme:
//
//	V1  {version}.manifest            decimal, not padded
//	V2  {2^64-1-version}.manifest     decimal, padded with zeros to 20 digits
//
// A V2 name is always 29 bytes, and byte order of V2 names is newest first.
// Other names live in the same folder (detached manifests, manifests staged for
// publication, leftovers of writers, the hint file); [Parse] tells them apart.
//
// The rules are those of the Lance table format.
package naming
