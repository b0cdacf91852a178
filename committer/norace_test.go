//go:build !race

package committer_test

// underRace says that the race detector watches.
const underRace = false
