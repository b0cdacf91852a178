//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/internal/bench"
)

func TestAClosedTerminalEndsACommandInGoodOrder(t *testing.T) {
	for _, tc := range []struct {
		name    string
		ignored bool
		code    int
	}{
		{"its signal is that to end", false, exitOther},
		{"it is ignored where it was, as under nohup", true, exitOK},
	} {
		t.Run(tc.name, func(t *testing.T) {
			// The command ignores the signal where the test does, which may itself run
			// under nohup, and does not where the test catches it.
			if tc.ignored {
				signal.Ignore(syscall.SIGHUP)
			} else {
				signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
			}
			defer signal.Reset(syscall.SIGHUP)
			store := t.TempDir()
			command := exec.Command(os.Args[0], "bench", store, "--for", "3s", "--max-objects", "1000", "--writers", "1")
			command.Env = append(os.Environ(), asCommand+"=1")
			var said bytes.Buffer
			command.Stderr = &said
			require.NoError(t, command.Start())
			require.Eventually(t, func() bool {
				made, _ := filepath.Glob(filepath.Join(store, bench.Folder, "*", "*", "*"))
				return len(made) > 0
			}, time.Minute, time.Millisecond)
			for range 2 { // a terminal that closes can send it twice
				require.NoError(t, command.Process.Signal(syscall.SIGHUP))
				time.Sleep(10 * time.Millisecond)
			}
			_ = command.Wait()
			require.Equal(t, tc.code, command.ProcessState.ExitCode(), said.String())
			require.Equal(t, !tc.ignored, bytes.Contains(said.Bytes(), []byte("interrupted: cleaning up")), said.String())
			left, err := os.ReadDir(store)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}
