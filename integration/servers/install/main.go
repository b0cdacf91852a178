// Command install installs the servers that LANCECOMMIT_SERVERS chooses, ahead of
// the tests: go test bounds a test binary by ten minutes, and MinIO alone takes
// six on two cores when Go has to build all of it.
//
//	LANCECOMMIT_SERVERS=all go run ./integration/servers/install
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/lancecommit/lancecommit/integration/servers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := install(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func install(ctx context.Context) error {
	chosen, err := servers.Chosen()
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		return fmt.Errorf("no server is chosen: set %s", servers.EnvChoose)
	}
	for _, kind := range chosen {
		begun := time.Now()
		folder, err := servers.Install(ctx, kind)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s, %.1f s\n", kind, folder, time.Since(begun).Seconds())
	}
	return nil
}
