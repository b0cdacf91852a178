package servers

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// A process is one server under way. It ends with this process.
type process struct {
	cmd    *exec.Cmd
	output lastBytes
	ended  chan struct{} // closed when the process is gone and reaped
	err    error         // of the process, once ended is closed
}

// startProcess starts a command in folder with nothing of this process's
// environment but the search path, so that no setting of the user's changes what
// a server does, and with a home in folder, where servers leave files.
func startProcess(argv, environment []string, folder string) (*process, error) {
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), ended: make(chan struct{})}
	p.cmd.Dir = folder
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "TMPDIR=" + folder}, environment...)
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	p.cmd.WaitDelay = 5 * time.Second
	own(p.cmd)

	started := make(chan error, 1)
	go func() {
		// Linux ends the server when the thread that started it ends, not the
		// process. So the thread is this goroutine's for as long as the server runs.
		runtime.LockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
		}
		close(p.ended)
	}()
	if err := <-started; err != nil {
		<-p.ended
		return nil, err
	}
	return p, nil
}

// stop ends the process at once: nobody wants its data any more.
func (p *process) stop() {
	select {
	case <-p.ended:
	default:
		kill(p.cmd)
		<-p.ended
	}
}

var errEnded = errors.New("the server has ended")

// endedError tells why the process ended, and is nil while it runs.
func (p *process) endedError() error {
	select {
	case <-p.ended:
	default:
		return nil
	}
	how := "exit status 0"
	if p.err != nil {
		how = p.err.Error()
	}
	return fmt.Errorf("%w: %s\n%s", errEnded, how, p.output.Bytes())
}

// lastBytes keeps the end of what is written to it: enough to show why a server
// died, whatever it said before.
type lastBytes struct {
	mu   sync.Mutex
	kept []byte
}

const lastBytesLimit = 8 << 10

func (l *lastBytes) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, p...)
	if over := len(l.kept) - lastBytesLimit; over > 0 {
		l.kept = append(l.kept[:0], l.kept[over:]...)
	}
	return len(p), nil
}

func (l *lastBytes) Bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.kept)
}
