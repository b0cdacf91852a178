// Command lancecommit reads and commits versions of Lance tables, straight on
// the store, with no server in between.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the command in good order, the second at once.
	context.AfterFunc(ctx, stop)
	// A reader that goes away must not kill a commit: the write fails instead.
	signal.Ignore(syscall.SIGPIPE)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// streams are what a command reads and writes. Results go to out, all else to
// err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run is the command without the process around it. It returns the exit code.
func run(ctx context.Context, args []string, io streams) int {
	app := &app{streams: io}
	root := newRoot(app)
	// Errors of the flags themselves are JSON, too, wherever --json stands.
	app.json = slices.Contains(args, "--json")
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if errors.Is(err, syscall.EPIPE) {
		// The reader has seen enough, as head does.
		return exitOK
	}
	if err != nil {
		app.printError(err)
		return exitCode(err)
	}
	return exitOK
}
