//go:build linux || darwin

package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// A process is a writer process, seen from the test.
type process struct {
	order
	command *exec.Cmd
	stdin   io.Closer
	stdout  io.Reader
	stderr  bytes.Buffer
	// words are what it told.
	words []word
}

func start(o order) (*process, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{order: o, command: exec.Command(executable, "-test.run=^$")}
	p.command.Env = append(os.Environ(), orderVariable+"="+string(text))
	p.command.Stderr = &p.stderr
	if p.stdin, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	if p.stdout, err = p.command.StdoutPipe(); err != nil {
		return nil, err
	}
	return p, p.command.Start()
}

// kill is kill -9.
func (p *process) kill() { _ = p.command.Process.Kill() }

// follow reads what the process tells, until it ends, and waits for it. A word
// that a kill cut off was never told.
func (p *process) follow(each func(word)) error {
	decoder := json.NewDecoder(p.stdout)
	for {
		var told word
		if decoder.Decode(&told) != nil {
			break
		}
		p.words = append(p.words, told)
		each(told)
	}
	_ = p.stdin.Close()
	if err := p.command.Wait(); err != nil && !p.wasKilled() {
		return fmt.Errorf("writer %s ended: %w; it wrote: %s", p.ID, err, &p.stderr)
	}
	return nil
}

func (p *process) wasKilled() bool {
	status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// last is the last word, an empty one if it told nothing.
func (p *process) last() word {
	if len(p.words) == 0 {
		return word{}
	}
	return p.words[len(p.words)-1]
}

// inFlight returns the bytes that the process was about to commit when it ended,
// and their version. There are none when its last call was over.
func (p *process) inFlight() (version uint64, call int, ok bool) {
	for i := len(p.words) - 1; i >= 0; i-- {
		switch told := p.words[i]; told.Step {
		case committed, failed:
			return 0, 0, false
		case built:
			return told.Version, told.Call, true
		}
	}
	return 0, 0, false
}

// lastBuilt returns the version that a call was last built for.
func (p *process) lastBuilt(call int) (version uint64, ok bool) {
	for _, told := range p.words {
		if told.Step == built && told.Call == call {
			version, ok = told.Version, true
		}
	}
	return version, ok
}
