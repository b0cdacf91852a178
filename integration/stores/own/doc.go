// Package own gives integration tests a store of whoever runs them, such as a
// bucket at AWS, Google or Azure.
//
// The environment variable LANCECOMMIT_STORE is its location, anything that
// package backends/all opens. LANCECOMMIT_STORE_OPTIONS are its options by the
// names that Lance has: name=value with commas between, or, where a value has a
// comma, a JSON object of texts. Credentials are in no output; the host of an
// endpoint can be in the error of a connection.
//
// Each test works in a folder of its own with a random name, below the location.
// Nothing outside that folder is read or written; only the names that start with
// [Prefix] are listed, once a test, to see whether the location can be used. When
// the test ends, failed or not, everything in the folder is removed. A test
// binary that is killed leaves its folder.
package own
