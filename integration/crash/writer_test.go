//go:build linux || darwin

package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/naming"
)

// orderVariable holds the order for a writer process. It is set in these only.
const orderVariable = "LANCECOMMIT_CRASH_WRITER"

// An order tells a writer process what to do.
type order struct {
	// Dir is the folder of the store, Root the table in it.
	Dir, Root string
	// ID is part of all manifests that the process builds.
	ID string
	// Updates has it call Update instead of Latest and Commit.
	Updates bool
	Scheme  naming.Scheme
	// Umask marks the files that the process makes.
	Umask int
	// Calls is how many commits it makes, 0 for as many as it can.
	Calls int
	// StopAt is a step of the StopIn-th call after which it does nothing more.
	StopAt string
	StopIn int
	// MaxFile limits the size of files, in bytes, during the first call.
	MaxFile uint64
}

// A word is what a writer process tells as it goes, one write to a pipe for each.
type word struct {
	// Step is a request in capitals before it is made and in small letters
	// after it, or one of the steps below.
	Step    string
	Call    int
	Version uint64 `json:",omitempty"`
	// Kind and Text are those of the error that ended a call.
	Kind, Text string `json:",omitempty"`
}

const (
	ready     = "ready"     // the store is open
	built     = "built"     // the bytes of this version are about to be committed
	committed = "committed" // the call succeeded
	failed    = "failed"    // the call ended with an error
)

// Kinds of errors.
const (
	conflict   = "conflict"
	contention = "contention"
	unknown    = "unknown"
	notStored  = "not stored"
	denied     = "denied"
	other      = "other"
)

func kindOf(err error) string {
	for _, k := range []struct {
		err  error
		kind string
	}{
		{committer.ErrUnknownOutcome, unknown}, {committer.ErrConflict, conflict}, {committer.ErrContention, contention},
		{backends.ErrNotStored, notStored}, {backends.ErrPermission, denied},
	} {
		if errors.Is(err, k.err) {
			return k.kind
		}
	}
	return other
}

// writerProcess does the work of a writer process and exits. In the test process
// it returns at once.
func writerProcess() {
	text := os.Getenv(orderVariable)
	if text == "" {
		return
	}
	var o order
	err := json.Unmarshal([]byte(text), &o)
	if err == nil {
		err = (&writer{order: o, words: json.NewEncoder(os.Stdout)}).work()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

type writer struct {
	order
	words *json.Encoder
	call  int
}

// tell writes a word before it returns: from then on a kill cannot take it back.
func (w *writer) tell(told word) {
	told.Call = w.call
	if err := w.words.Encode(told); err != nil {
		panic(err)
	}
	if told.Step == w.StopAt && w.call == w.StopIn {
		// The other side never writes: it kills.
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

func (w *writer) around(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
	w.tell(word{Step: call.Method})
	defer w.tell(word{Step: strings.ToLower(call.Method)})
	return do(ctx)
}

func (w *writer) work() error {
	syscall.Umask(w.Umask)
	store, err := file.Open(w.Dir)
	if err != nil {
		return err
	}
	defer store.Close()
	if w.MaxFile > 0 {
		if err := limitFiles(w.MaxFile); err != nil {
			return err
		}
	}
	table := committer.NewTable(intercept.Wrap(store, w.around), w.Root,
		committer.WithScheme(w.Scheme), committer.WithVersionHint(true))
	w.tell(word{Step: ready})
	for w.call = 1; w.Calls == 0 || w.call <= w.Calls; w.call++ {
		v, err := w.commit(context.Background(), table)
		if err == nil {
			w.tell(word{Step: committed, Version: v.Number})
		} else {
			w.tell(word{Step: failed, Kind: kindOf(err), Text: err.Error()})
		}
		if w.MaxFile > 0 && w.call == 1 {
			if err := limitFiles(math.MaxUint64); err != nil {
				return err
			}
		} else if kind := kindOf(err); err != nil && kind != conflict && kind != contention {
			return nil
		}
	}
	return nil
}

// commit makes one commit, of bytes that nobody else makes.
func (w *writer) commit(ctx context.Context, table *committer.Table) (committer.Version, error) {
	build := func(_ context.Context, base committer.Version) ([]byte, error) {
		w.tell(word{Step: built, Version: base.Number + 1})
		return bodyOf(w.ID, w.call, base.Number+1), nil
	}
	if w.Updates {
		return table.Update(ctx, build)
	}
	latest, err := table.Latest(ctx)
	if err != nil && !errors.Is(err, committer.ErrTableNotFound) {
		return committer.Version{}, err
	}
	body, err := build(ctx, latest)
	if err != nil {
		return committer.Version{}, err
	}
	return table.Commit(ctx, latest.Number+1, body)
}

// limitFiles limits the size of the files that this process can write.
func limitFiles(size uint64) error {
	// The signal would end the process; the error of the write is what counts.
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = min(size, limit.Max)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}
