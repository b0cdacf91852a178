//go:build race

package all_test

const withRace = true
