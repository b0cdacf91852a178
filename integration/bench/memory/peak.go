package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

// A Config says what to measure.
type Config struct {
	// Location is a folder or the URL of a bucket, Options are those of
	// [all.Open].
	Location string
	Options  map[string]string
	// Size is that of the staged manifest, in bytes.
	Size int
}

// A Result is in bytes of resident memory.
type Result struct {
	// Peak is the most that the process had which committed the manifest, Base
	// that of one which committed a manifest of a kilobyte.
	Peak, Base int64
}

// Growth is what the manifest cost, as a multiple of its size.
func (r Result) Growth(size int) float64 { return float64(r.Peak-r.Base) / float64(size) }

const (
	smallSize = 1 << 10
	stagedAs  = "6ba7b810-9dad-41d1-80b4-00c04fd430c8"
)

// Peak stages a manifest of about the size, has another process commit it, and
// removes what was made. The process has neither GOMEMLIMIT nor GOGC set. It is
// [errors.ErrUnsupported] on systems other than Linux and macOS.
func Peak(ctx context.Context, cfg Config) (Result, error) {
	store, prefix, err := all.Open(ctx, cfg.Location, cfg.Options)
	if err != nil {
		return Result{}, err
	}
	var r Result
	err = errors.Join(
		measure(ctx, store, prefix, cfg, smallSize, &r.Base),
		measure(ctx, store, prefix, cfg, cfg.Size, &r.Peak),
		store.Close(),
	)
	return r, err
}

// measure commits version 1 of a table in a process of its own.
func measure(ctx context.Context, store backends.Store, prefix string, cfg Config, size int, peak *int64) error {
	table := naming.Join(prefix, fmt.Sprintf("peak-%d-%d.lance", os.Getpid(), size))
	final := naming.Versions(table) + naming.V2.Final(1)
	staged := naming.Staging(final, stagedAs)
	if _, err := store.PutIfAbsent(ctx, staged, testmanifest.Appended(1, size), backends.PutOptions{}); err != nil {
		return fmt.Errorf("stage %d bytes: %w", size, err)
	}
	told, err := start(ctx, order{Location: cfg.Location, Options: cfg.Options, Table: table, Staged: staged})
	*peak = told
	for _, key := range []string{staged, final, naming.Versions(table) + naming.Hint} {
		err = errors.Join(err, store.Delete(ctx, key))
	}
	return err
}

// start starts the process that commits, and returns the peak that it told.
func start(ctx context.Context, o order) (peak int64, err error) {
	text, err := json.Marshal(o)
	if err != nil {
		return 0, err
	}
	executable, err := os.Executable()
	if err != nil {
		return 0, err
	}
	var stderr bytes.Buffer
	child := exec.CommandContext(ctx, executable, "-test.run=^$")
	child.Env = append(unlimited(os.Environ()), orderVariable+"="+string(text))
	child.Stderr = &stderr
	told, err := child.Output()
	if err != nil {
		return 0, fmt.Errorf("the process that commits: %w; it wrote: %s", err, &stderr)
	}
	return strconv.ParseInt(strings.TrimSpace(string(told)), 10, 64)
}

// unlimited removes from an environment what sets up Go's memory.
func unlimited(environment []string) []string {
	var left []string
	for _, entry := range environment {
		if !strings.HasPrefix(entry, "GOMEMLIMIT=") && !strings.HasPrefix(entry, "GOGC=") {
			left = append(left, entry)
		}
	}
	return left
}
