package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/lancecommit/lancecommit/integration/fixtures"
	"github.com/lancecommit/lancecommit/naming"
)

// onTerminal runs a command whose standard error is a terminal, and returns in
// place of that what the terminal was sent.
func onTerminal(t *testing.T, args ...string) result {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals to be had: %v", err)
	}
	defer control.Close()
	require.NoError(t, unix.IoctlSetPointerInt(int(control.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(control.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(control.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	terminal, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	sent := make(chan []byte)
	go func() {
		// It ends with an error once the terminal is closed.
		all, _ := io.ReadAll(control)
		sent <- all
	}()
	var out bytes.Buffer
	code := run(context.Background(), args, streams{nil, &out, terminal})
	require.NoError(t, terminal.Close())
	return result{code, out.String(), string(<-sent)}
}

// layVersions adds versions to a table whose latest is 2, all of them old, and
// leftovers of version 1.
func layVersions(t *testing.T, table string, last uint64, leftovers int) {
	t.Helper()
	versions := filepath.Join(table, "_versions")
	for v := uint64(3); v <= last; v++ {
		require.NoError(t, os.WriteFile(filepath.Join(versions, naming.V2.Final(v)), []byte("a manifest"), 0o666))
	}
	for i := range leftovers {
		name := naming.Staging(naming.V2.Final(1), "00000000-0000-4000-8000-"+strconv.Itoa(100_000_000_000+i))
		require.NoError(t, os.WriteFile(filepath.Join(versions, name), []byte("left"), 0o666))
	}
	age(t, table, 8*24*time.Hour)
}

func TestDeleteAndSweepShowHowFarTheyAreOnATerminal(t *testing.T) {
	for _, tc := range []struct {
		args  []string // behind the table
		shows []string
		out   string
	}{
		{[]string{"delete", "0:"}, []string{"deleting versions", "(100/249)", "(200/249)"}, "249 versions deleted, 1 kept\n"},
		{[]string{"sweep"}, []string{"removing leftovers", "(100/150)"}, "150 leftovers deleted, 600 bytes; 0 kept\n"},
	} {
		t.Run(tc.args[0], func(t *testing.T) {
			command := func(table string, flags ...string) []string {
				return append(append([]string{tc.args[0], table}, tc.args[1:]...), flags...)
			}
			table := layFixture(t, fixtures.V2())
			require.NoError(t, os.Remove(filepath.Join(filepath.Dir(table), fixtures.V2().Main.Staged)))
			layVersions(t, table, 250, 150)
			got := onTerminal(t, command(table, "--dry-run")...)
			require.Equal(t, exitOK, got.code, got.err)
			require.Empty(t, got.err, "nothing is done, so that there is nothing to show")

			got = onTerminal(t, command(table)...)
			require.Equal(t, exitOK, got.code, got.err)
			rest := got.err
			for _, text := range tc.shows {
				_, after, found := bytes.Cut([]byte(rest), []byte(text))
				require.True(t, found, "%q in %q", text, got.err)
				rest = string(after)
			}
			require.Regexp(t, `\r *\r$`, rest, "the bar is cleared when all is done")
			require.True(t, bytes.HasPrefix([]byte(got.out), []byte(tc.out)), got.out)
			require.NotContains(t, got.out, "\r")

			table = layFixture(t, fixtures.V2())
			layVersions(t, table, 250, 150)
			require.Empty(t, onTerminal(t, command(table, "--json")...).err, "a program gets none")

			table = layFixture(t, fixtures.V2())
			layVersions(t, table, 250, 150)
			require.Empty(t, call(t, command(table)...).err, "nor does a pipe")
		})
	}
}
