// Package servers gives integration tests the object stores that run on one
// machine: MinIO and versitygw (S3), fake-gcs-server (GCS) and Azurite (Azure
// Blob Storage), each at one pinned version, in a process of its own on a free
// loopback port.
//
//	func TestMain(m *testing.M) { os.Exit(servers.StopAfter(m).Run()) }
//
//	func TestCommits(t *testing.T) {
//		server := servers.Require(t, servers.MinIO)
//		bucket := server.Bucket(t)
//		…
//	}
//
// The environment variable LANCECOMMIT_SERVERS chooses: names with commas
// between, or all. A test that needs a server that was not chosen is skipped; a
// chosen server that cannot be had is a failure.
//
// A server is installed on first use into integration/.cache/servers, started on
// first use in a test binary, and shared by its tests, which keep apart by their
// buckets. Its data is in a temporary folder. StopAfter ends it and removes the
// data. When the test binary is killed, Linux ends the server with it, and the
// data stays in the folder for temporary files.
//
// StartProxy puts a recording proxy in front of a server, which counts requests
// and can lose, delay and forge replies.
//
// The servers are programs that tests run; nothing here or elsewhere links them.
package servers
