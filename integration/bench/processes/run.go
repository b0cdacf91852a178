package processes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// A Config says who updates which table, and for how long.
type Config struct {
	// Location is the table, and Options reach its store, both as all.Open takes
	// them. The options are not shown to other users of the machine. A table
	// without versions begins with version 1.
	Location string
	Options  map[string]string
	// Processes and Goroutines, of each process, are at least 1. The goroutines
	// of a process have one committer.Table.
	Processes, Goroutines int
	// For is for how long new updates are begun. One that is under way is waited
	// for.
	For time.Duration
}

// A Result is what became of the updates.
type Result struct {
	// Commits is how many versions each process committed.
	Commits []int
	// InTime is how many of them all committed while updates were begun. Those
	// after that have fewer and fewer rivals.
	InTime int
	// PUTs is how many creates all of them sent, those that lost a race included.
	PUTs int
	// Errors are the texts of the updates that failed, which are not in Commits.
	// A goroutine ends with its first.
	Errors []string
	// P50 and P99 are percentiles of the time from the call of Update to its
	// success, the wait for other goroutines of the process included. They are
	// zero without commits.
	P50, P99 time.Duration
}

// Total is how many versions were committed.
func (r Result) Total() (n int) {
	for _, of := range r.Commits {
		n += of
	}
	return n
}

// Share is what the slowest process committed, in parts of the mean. It is zero
// without commits.
func (r Result) Share() float64 {
	if r.Total() == 0 {
		return 0
	}
	return float64(slices.Min(r.Commits)*len(r.Commits)) / float64(r.Total())
}

// Run starts the processes, lets them go at once when all are ready, and returns
// when all have ended. Failed updates are no error of Run, but in the result. The
// executable must call Main. When the context ends, the processes are killed.
func Run(ctx context.Context, c Config) (Result, error) {
	if c.Processes < 1 || c.Goroutines < 1 || c.For <= 0 {
		return Result{}, fmt.Errorf("run writers: %d processes, %d goroutines, for %v: all must be positive", c.Processes, c.Goroutines, c.For)
	}
	ctx, cancel := context.WithCancel(ctx)
	var all []*process
	defer func() {
		cancel()
		for _, p := range all {
			p.end()
		}
	}()
	for range c.Processes {
		p, err := start(ctx, c)
		if err != nil {
			return Result{}, fmt.Errorf("start a writer: %w", err)
		}
		all = append(all, p)
	}
	if err := each(all, func(p *process) error { return p.hear(&struct{}{}) }); err != nil {
		return Result{}, fmt.Errorf("start a writer: %w", err)
	}
	if err := each(all, func(p *process) error { return p.tell(struct{}{}) }); err != nil {
		return Result{}, fmt.Errorf("run writers: %w", err)
	}
	if err := each(all, func(p *process) error { return p.hear(&p.report) }); err != nil {
		return Result{}, fmt.Errorf("run writers: %w", err)
	}
	return sum(all), nil
}

// each does the same with all processes at once.
func each(all []*process, do func(*process) error) error {
	failed := make([]error, len(all))
	var doing sync.WaitGroup
	for i, p := range all {
		doing.Go(func() { failed[i] = do(p) })
	}
	doing.Wait()
	return errors.Join(failed...)
}

func sum(all []*process) (r Result) {
	var took []time.Duration
	for _, p := range all {
		r.Commits = append(r.Commits, len(p.report.Took))
		r.InTime += p.report.InTime
		r.PUTs += p.report.PUTs
		r.Errors = append(r.Errors, p.report.Errors...)
		took = append(took, p.report.Took...)
	}
	if len(took) > 0 {
		slices.Sort(took)
		r.P50, r.P99 = took[len(took)/2], took[len(took)*99/100]
	}
	return r
}

// A process is a writer, seen from the one that runs it.
type process struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	orders  *json.Encoder
	answers *json.Decoder
	stderr  bytes.Buffer
	report  report
	ended   bool
}

func start(ctx context.Context, c Config) (*process, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// An executable of tests that does not call Main runs none of them.
	p := &process{command: exec.CommandContext(ctx, executable, "-test.run=^$")}
	p.command.Env = append(os.Environ(), writerVariable+"=1")
	p.command.Stderr = &p.stderr
	if p.stdin, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	p.orders, p.answers = json.NewEncoder(p.stdin), json.NewDecoder(stdout)
	// Where the process has ended, the first answer says so.
	_ = p.tell(c)
	return p, nil
}

func (p *process) tell(order any) error { return p.orders.Encode(order) }

// hear waits for an answer. Without one, the error has what the process wrote.
func (p *process) hear(answer any) error {
	err := p.answers.Decode(answer)
	if err == nil {
		return nil
	}
	ended := p.end()
	text := bytes.TrimSpace(p.stderr.Bytes())
	if len(text) == 0 {
		text = []byte("it wrote nothing; its TestMain or main must call processes.Main first")
	}
	return fmt.Errorf("a process ended without an answer (%w, %v): %s", err, ended, text)
}

// end waits for the end of the process, which comes with that of its input.
func (p *process) end() error {
	if p.ended {
		return nil
	}
	p.ended = true
	_ = p.stdin.Close()
	return p.command.Wait()
}
