// Command lancecommit reads and commits versions of Lance tables, straight on
// the store, with no server in between.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
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
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		app.printError(err)
		return exitCode(err)
	}
	return exitOK
}
