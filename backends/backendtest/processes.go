package backendtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

const (
	// childVariable holds the order for a child process. It is set in children
	// only.
	childVariable = "LANCECOMMIT_BACKENDTEST_CHILD"
	// children is how many processes race for each key.
	children = 4
)

// An order tells a child who it is. It then reads keys from its standard input
// and writes a report for each, after one to say that it is ready.
type order struct {
	Address string
	Child   int
}

// A report is a child's answer about one key.
type report struct {
	Won   bool
	Error string
}

// Child does the work of a child process of the suite and exits. In the parent
// it returns at once. Call it first in the TestMain of a store that sets
// Config.Address, which open gets:
//
//	func TestMain(m *testing.M) {
//		backendtest.Child(func(address string) (backends.Store, error) { return file.Open(address) })
//		os.Exit(m.Run())
//	}
func Child(open func(address string) (backends.Store, error)) {
	text := os.Getenv(childVariable)
	if text == "" {
		return
	}
	if err := compete(text, open); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func compete(text string, open func(address string) (backends.Store, error)) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	store, err := open(o.Address)
	if err != nil {
		return err
	}
	if closer, ok := store.(io.Closer); ok {
		defer closer.Close()
	}
	reports := json.NewEncoder(os.Stdout)
	if err := reports.Encode(report{}); err != nil {
		return err
	}
	for keys := json.NewDecoder(os.Stdin); ; {
		var key string
		if err := keys.Decode(&key); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := reports.Encode(o.create(store, key)); err != nil {
			return err
		}
	}
}

func (o order) create(store backends.Store, key string) report {
	_, err := createDecided(context.Background(), store, key, bodyByChild(o.Child, key))
	switch {
	case err == nil:
		return report{Won: true}
	case errors.Is(err, backends.ErrExists):
		return report{}
	}
	return report{Error: err.Error()}
}

func bodyByChild(child int, key string) []byte {
	return bodyOf(fmt.Sprintf("%s by process %d", key, child), 600+child)
}

// raceProcesses has child processes create each key at the same moment.
func raceProcesses(ctx context.Context, t reporter, store backends.Store, address string, keys int) {
	t.Helper()
	var racers [children]*racer
	for i := range racers {
		racers[i] = startRacer(t, order{Address: address, Child: i})
		defer racers[i].stop()
	}
	for _, r := range racers {
		r.answer(t, "say that it is ready; does TestMain call backendtest.Child?")
	}
	s := subject{Store: store}
	for i := range keys {
		key := fmt.Sprintf("t/_versions/%d.manifest", i+1)
		for _, r := range racers {
			require.NoError(t, r.keys.Encode(key))
		}
		var winners []int
		for child, r := range racers {
			answer := r.answer(t, "report on "+key)
			require.Emptyf(t, answer.Error, "process %d creating %q", child, key)
			if answer.Won {
				winners = append(winners, child)
			}
		}
		require.Lenf(t, winners, 1, "processes that were told that they had created %q", key)
		s.holds(ctx, t, key, bodyByChild(winners[0], key))
	}
	for _, r := range racers {
		require.NoErrorf(t, r.finish(), "a child process wrote: %s", &r.stderr)
	}
}

// A racer is a child process, seen from the parent.
type racer struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	keys    *json.Encoder
	reports *json.Decoder
	stderr  bytes.Buffer
}

func startRacer(t reporter, o order) *racer {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	text, err := json.Marshal(o)
	require.NoError(t, err)
	// No test matches, so that a TestMain without Child ends soon.
	r := &racer{command: exec.Command(executable, "-test.run=^$")}
	r.command.Env = append(os.Environ(), childVariable+"="+string(text))
	r.command.Stderr = &r.stderr
	r.stdin, err = r.command.StdinPipe()
	require.NoError(t, err)
	stdout, err := r.command.StdoutPipe()
	require.NoError(t, err)
	r.keys, r.reports = json.NewEncoder(r.stdin), json.NewDecoder(stdout)
	require.NoError(t, r.command.Start())
	return r
}

// answer waits for the next report.
func (r *racer) answer(t reporter, what string) report {
	t.Helper()
	var answer report
	if err := r.reports.Decode(&answer); err != nil {
		ended := r.finish()
		require.NoErrorf(t, err, "a child process did not %s (%v; it wrote: %s)", what, ended, &r.stderr)
	}
	return answer
}

// finish lets the process end and waits for it.
func (r *racer) finish() error {
	_ = r.stdin.Close()
	return r.command.Wait()
}

// stop ends the process if it has not ended.
func (r *racer) stop() {
	if r.command.ProcessState == nil {
		_ = r.command.Process.Kill()
		_ = r.command.Wait()
	}
}
