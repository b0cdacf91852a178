// Command run runs a Node script with the pinned LanceDB, which it installs when
// it is absent:
//
//	go run ./integration/lancedb/run SCRIPT [ARGUMENT...]
//
// SCRIPT is a path below integration/, such as fixtures/generate.mjs. Run it
// inside the module.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/lancecommit/lancecommit/integration/lancedb"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./integration/lancedb/run SCRIPT [ARGUMENT...]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, script string, args []string) error {
	folder, err := lancedb.Install(ctx)
	if err != nil {
		return err
	}
	cmd := lancedb.Command(ctx, folder, script, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
