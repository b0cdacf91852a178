// Package integration holds the tests that put this module and LanceDB on the
// same tables: LanceDB reads what Go commits, Go reads what LanceDB commits, and
// both write at once. README.md says how to run them.
package integration
