// Package histories runs many writers and readers of one table at once, in
// memory, on disk from several processes, and on the servers of package servers
// through a network that loses replies and delays requests, and checks with
// package history that all answers are those of one chain of versions.
package histories
