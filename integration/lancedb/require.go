package lancedb

import (
	"os"
	"testing"
)

// EnvEnable is the environment variable that turns on the tests that need
// LanceDB. They run when it is "1".
const EnvEnable = "LANCECOMMIT_LANCEDB"

// Require skips t unless the environment has LANCECOMMIT_LANCEDB=1. When it has,
// Require returns the folder with LanceDB in node_modules, installed on first
// use, and fails t when that is not possible.
func Require(t testing.TB) (folder string) {
	t.Helper()
	if os.Getenv(EnvEnable) != "1" {
		t.Skip("needs LanceDB from npm: set " + EnvEnable + "=1")
	}
	folder, err := Install(t.Context())
	if err != nil {
		t.Fatalf("%s=1 is set, but LanceDB is not to be had: %v", EnvEnable, err)
	}
	return folder
}
