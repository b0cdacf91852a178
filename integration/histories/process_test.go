package histories_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/history"
)

// childVariable has the folder of the store. It is set in children only.
const childVariable = "LANCECOMMIT_HISTORIES_CHILD"

// A letter carries an order to a child, and its answer back.
type letter struct {
	ID     int
	Order  order             `json:",omitzero"`
	Answer history.Operation `json:",omitzero"`
}

// serveParent does the work of a child process, which has one table in a folder
// and carries out all orders at once, and exits. In the parent it returns.
func serveParent() {
	folder := os.Getenv(childVariable)
	if folder == "" {
		return
	}
	if err := serve(folder, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serve(folder string, in io.Reader, out io.Writer) error {
	store, _, err := all.Open(context.Background(), folder, nil)
	if err != nil {
		return err
	}
	defer store.Close()
	do := on(committer.NewTable(store, root))
	var mu sync.Mutex
	answers, orders := json.NewEncoder(out), json.NewDecoder(in)
	var busy sync.WaitGroup
	defer busy.Wait()
	for {
		var l letter
		if err := orders.Decode(&l); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		busy.Go(func() {
			answer := do(l.Order)
			mu.Lock()
			defer mu.Unlock()
			_ = answers.Encode(letter{ID: l.ID, Answer: answer}) // a parent that has gone needs none
		})
	}
}

// startProcess starts a process that works on a folder, and ends with the test.
func startProcess(t *testing.T, folder string) handle {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(executable, "-test.run=^$")
	command.Env = append(os.Environ(), childVariable+"="+folder)
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	require.NoError(t, err)
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())

	p := &process{orders: json.NewEncoder(stdin), waiting: make(map[int]chan history.Operation)}
	var reading sync.WaitGroup
	reading.Go(func() { p.read(json.NewDecoder(stdout)) })
	t.Cleanup(func() {
		_ = stdin.Close()
		reading.Wait()
		require.NoError(t, command.Wait(), "a child process")
	})
	return p.do
}

// A process is a child, seen from the parent.
type process struct {
	mu      sync.Mutex
	orders  *json.Encoder
	sent    int
	waiting map[int]chan history.Operation
}

// ended is the answer of a child that is no more. The test has failed then.
var ended = history.Operation{Result: history.Failed, Error: "the process has ended"}

func (p *process) do(o order) history.Operation {
	answer := make(chan history.Operation, 1)
	p.mu.Lock()
	p.sent++
	if p.waiting == nil || p.orders.Encode(letter{ID: p.sent, Order: o}) != nil {
		answer <- ended
	} else {
		p.waiting[p.sent] = answer
	}
	p.mu.Unlock()
	return <-answer
}

func (p *process) read(answers *json.Decoder) {
	for {
		var l letter
		err := answers.Decode(&l)
		p.mu.Lock()
		if err != nil {
			for _, answer := range p.waiting {
				answer <- ended
			}
			p.waiting = nil
			p.mu.Unlock()
			return
		}
		p.waiting[l.ID] <- l.Answer
		delete(p.waiting, l.ID)
		p.mu.Unlock()
	}
}
