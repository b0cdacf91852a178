package memory

import "syscall"

// ownPeak is the most resident memory that this process had.
func ownPeak() (int64, error) {
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return usage.Maxrss, err
}
