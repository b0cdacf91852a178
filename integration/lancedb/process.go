package lancedb

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// CallTimeout bounds every call on a DB and its tables, AppendEach included.
const CallTimeout = 2 * time.Minute

// startTimeout bounds the start of Node and the loading of LanceDB.
const startTimeout = time.Minute

// ErrStopped says that the LanceDB process has ended: it crashed, its test is
// over, or an earlier call ran out of time.
var ErrStopped = errors.New("the LanceDB process has ended")

// An Error is LanceDB's refusal of one call. The process goes on.
type Error struct {
	Call string // as in the driver: open, append, …
	Text string // LanceDB's own words
}

func (e *Error) Error() string { return "lancedb " + e.Call + ": " + e.Text }

// A DB is one process with LanceDB in it. It is safe for concurrent use, and
// its calls run side by side.
type DB struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr lastBytes

	ended   chan struct{} // closed when the process is gone and reaped
	waitErr error         // of the process, once ended is closed

	writing sync.Mutex // one request is written at a time

	mu      sync.Mutex
	lastID  int
	waiting map[int]chan<- answer
}

type answer struct {
	ID     int             `json:"id"`
	Ready  string          `json:"ready"`
	Result json.RawMessage `json:"result"`
	Error  *string         `json:"error"`
}

// Start starts a LanceDB process that ends with t. It skips or fails t as
// Require does. The process works in the folder of the test's package.
func Start(t testing.TB) *DB {
	t.Helper()
	return StartIn(t, "")
}

// StartIn is Start with another working directory, which relative URIs are
// relative to. The branch of fixtures.Branch needs it: LanceDB writes into a
// branch's manifests where the table around it is, in the words it was opened
// with, and the fixtures have a relative path there.
func StartIn(t testing.TB, workingDirectory string) *DB {
	t.Helper()
	db, err := start(Command(context.WithoutCancel(t.Context()), Require(t), "lancedb/driver.mjs"), workingDirectory)
	if err != nil {
		t.Fatalf("start LanceDB: %v", err)
	}
	t.Cleanup(db.stop)
	return db
}

func start(cmd *exec.Cmd, workingDirectory string) (*DB, error) {
	db := &DB{cmd: cmd, ended: make(chan struct{}), waiting: map[int]chan<- answer{}}
	cmd.Dir = workingDirectory
	cmd.Stderr = &db.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	db.stdin = stdin
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	// The first line answers no request; it has the place of request 0.
	ready := make(chan answer, 1)
	db.waiting[0] = ready
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go db.read(stdout)

	select {
	case hello := <-ready:
		if hello.Ready != Version {
			db.stop()
			return nil, fmt.Errorf("the driver has LanceDB %q, not %s", hello.Ready, Version)
		}
		return db, nil
	case <-db.ended:
		return nil, db.stoppedError()
	case <-time.After(startTimeout):
		db.kill()
		<-db.ended
		return nil, fmt.Errorf("not ready after %v: %w", startTimeout, db.stoppedError())
	}
}

// call makes one call and decodes its result into result, unless that is nil.
func (db *DB) call(ctx context.Context, name string, table int, args, result any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, CallTimeout, fmt.Errorf("no answer after %v: %w", CallTimeout, context.DeadlineExceeded))
	defer cancel()
	// Ending the process also unblocks a write that it does not read.
	defer context.AfterFunc(ctx, db.kill)()

	answers := make(chan answer, 1)
	db.mu.Lock()
	db.lastID++
	id := db.lastID
	db.waiting[id] = answers
	db.mu.Unlock()
	defer func() {
		db.mu.Lock()
		delete(db.waiting, id)
		db.mu.Unlock()
	}()

	request, err := json.Marshal(map[string]any{"id": id, "call": name, "table": table, "args": args})
	if err != nil {
		return err
	}
	db.writing.Lock()
	_, writeErr := db.stdin.Write(append(request, '\n'))
	db.writing.Unlock()
	if writeErr != nil {
		db.kill()
	}

	select {
	case got := <-answers:
		if got.Error != nil {
			return &Error{Call: name, Text: *got.Error}
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(got.Result, result)
	case <-db.ended:
		if ctx.Err() != nil {
			return fmt.Errorf("lancedb %s: %w: %w", name, context.Cause(ctx), db.stoppedError())
		}
		return fmt.Errorf("lancedb %s: %w", name, db.stoppedError())
	}
}

// read hands out answers until the process ends, then reaps it.
func (db *DB) read(stdout io.Reader) {
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var got answer
		if err := json.Unmarshal(line, &got); err != nil {
			fmt.Fprintf(&db.stderr, "not an answer: %s", line)
			db.kill()
			continue
		}
		db.mu.Lock()
		waiting := db.waiting[got.ID]
		delete(db.waiting, got.ID)
		db.mu.Unlock()
		if waiting != nil {
			waiting <- got
		}
	}
	db.waitErr = db.cmd.Wait()
	close(db.ended)
}

// stop lets the process end by itself, which it does when its input ends.
func (db *DB) stop() {
	db.stdin.Close()
	select {
	case <-db.ended:
	case <-time.After(5 * time.Second):
		db.kill()
		<-db.ended
	}
}

func (db *DB) kill() { db.cmd.Process.Kill() }

// stoppedError tells why the process ended. Call it only when it has.
func (db *DB) stoppedError() error {
	how := "exit status 0"
	if db.waitErr != nil {
		how = db.waitErr.Error()
	}
	return fmt.Errorf("%w: %s\n%s", ErrStopped, how, db.stderr.Bytes())
}

// lastBytes keeps the end of what is written to it: enough to show why a
// process died, whatever it said before.
type lastBytes struct {
	mu   sync.Mutex
	kept []byte
}

const lastBytesLimit = 16 << 10

func (l *lastBytes) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, p...)
	if over := len(l.kept) - lastBytesLimit; over > 0 {
		l.kept = append([]byte(nil), l.kept[over:]...)
	}
	return len(p), nil
}

func (l *lastBytes) Bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.kept)
}
