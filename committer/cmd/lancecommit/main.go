// Command lancecommit reads and commits versions of Lance tables, straight on
// the store, with no server in between.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := untilSignal()
	// The one who logs is net/http: what a server sends unasked, which can be the
	// request that it was sent, with its credentials.
	log.SetOutput(io.Discard)
	// A reader that goes away must not kill a commit: the write fails instead.
	signal.Ignore(syscall.SIGPIPE)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// untilSignal returns a context that ends with the first interrupt, request to end,
// or closing of the terminal, unless that is ignored as under nohup.
func untilSignal() (context.Context, context.CancelFunc) {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	// The first signal ends the command in good order, the second at once. But a
	// terminal that closes can send its signal twice.
	context.AfterFunc(ctx, func() {
		signal.Ignore(syscall.SIGHUP)
		stop()
	})
	return ctx, stop
}

// streams are what a command reads and writes. Results go to out, all else to
// err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run is the command without the process around it. It returns the exit code.
func run(ctx context.Context, args []string, io streams) int {
	out := &output{Writer: io.out}
	io.out = out
	app := &app{streams: io, args: args}
	root := newRoot(app)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if out.left(err) {
		return exitOK
	}
	if err = forCommands(err); err != nil {
		app.printError(err)
		return exitCode(err)
	}
	return exitOK
}

// An output remembers why it could not be written to, so that this is not taken
// for an error of the store, which can be a broken pipe, too.
type output struct {
	io.Writer
	broken error
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		o.broken = err
	}
	return n, err
}

// left reports whether a command ended with err because the reader of its output
// has seen enough and gone, as head does.
func (o *output) left(err error) bool {
	return o.broken != nil && errors.Is(err, o.broken) && errors.Is(o.broken, syscall.EPIPE)
}
