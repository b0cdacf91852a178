// Package crash holds the tests that break processes and disks under the
// committer: writers that are killed at random moments and at every step, file
// systems that lose their power, are full, fail, or become read-only.
//
//	go test ./integration/crash -kills 5000 -seed 7
//	LANCECOMMIT_DISKS=all go test ./integration/crash -losses 100
//
// # What is real, and what is not
//
// The kills are kill -9 of processes of their own, several on one table.
//
// A power loss is the shutdown call of ext4 and XFS (the ioctl that their own
// test suites use), on a file system of its own, in a file: from one moment to
// the next nothing reaches the device any more, neither data nor the journal in
// memory. The file system is then mounted again and repairs itself, as after a
// power cut. What this does not show is a device that says "durable" and loses
// it, or that writes its cache in another order: the blocks that the file system
// did write are all kept. Package backends/file has a test beside this one that
// forgets in a model whatever was not synced, in every combination.
//
// A failing disk is a zram device that is refused more memory, so that writes to
// it end with EIO, those of the journal included, while writers are at work. A
// full disk is a small tmpfs and a small ext4.
package crash
