package processes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

// writerVariable is set in writer processes only.
const writerVariable = "LANCECOMMIT_BENCH_WRITER"

// A report is what a writer tells at its end.
type report struct {
	// Took has the time of each update that committed, InTime is how many of them
	// did before the time was over.
	Took   []time.Duration
	InTime int
	PUTs   int
	Errors []string
}

// Main does the work of a writer process, and exits. In the process that calls
// Run it returns at once. It must be called before anything else.
func Main() {
	if os.Getenv(writerVariable) == "" {
		return
	}
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve takes a Config, says that it is ready, waits for the word to go, and
// tells its report.
func serve(in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	orders, answers := json.NewDecoder(in), json.NewEncoder(out)
	var c Config
	if err := orders.Decode(&c); err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	store, root, err := all.Open(ctx, c.Location, c.Options)
	if err != nil {
		return err
	}
	defer store.Close()

	var puts atomic.Int64
	table := committer.NewTable(intercept.Wrap(store, func(
		ctx context.Context, call intercept.Call, do func(context.Context) error,
	) error {
		if call.Method == "PUT" {
			puts.Add(1)
		}
		return do(ctx)
	}), root)
	// To connect is not part of what is measured.
	if _, err := table.Latest(ctx); err != nil && !errors.Is(err, committer.ErrTableNotFound) {
		return err
	}
	if err := answers.Encode(struct{}{}); err != nil {
		return err
	}
	if err := orders.Decode(&struct{}{}); err != nil {
		return fmt.Errorf("wait for the start: %w", err)
	}
	go func() {
		// Who is gone needs no report.
		_ = orders.Decode(&struct{}{})
		cancel()
	}()
	told := update(ctx, table, c)
	told.PUTs = int(puts.Load())
	return answers.Encode(told)
}

// update lets the goroutines update the table until the time is over.
func update(ctx context.Context, table *committer.Table, c Config) (told report) {
	began := time.Now()
	var mu sync.Mutex
	var writers sync.WaitGroup
	for range c.Goroutines {
		writers.Go(func() {
			for time.Since(began) < c.For && ctx.Err() == nil {
				called := time.Now()
				_, err := table.Update(ctx, build)
				took, inTime := time.Since(called), time.Since(began) < c.For
				mu.Lock()
				if err == nil {
					told.Took = append(told.Took, took)
					if inTime {
						told.InTime++
					}
				} else {
					told.Errors = append(told.Errors, err.Error())
				}
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	writers.Wait()
	return told
}

func build(_ context.Context, base committer.Version) ([]byte, error) {
	return testmanifest.New(base.Number+1, "", "processes"), nil
}
