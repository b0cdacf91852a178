package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/lancecommit/lancecommit/backends/all"
	"github.com/lancecommit/lancecommit/committer"
)

// orderVariable tells a process that it is to commit, and what.
const orderVariable = "LANCECOMMIT_MEMORY_ORDER"

// An order is what the process that is measured has to commit as version 1.
type order struct {
	Location      string
	Options       map[string]string
	Table, Staged string
}

// Main does nothing, unless [Peak] started this process: then it commits, tells
// its peak, and ends the process.
func Main() {
	text := os.Getenv(orderVariable)
	if text == "" {
		return
	}
	peak, err := commit(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(peak)
	os.Exit(0)
}

func commit(text string) (peak int64, err error) {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return 0, err
	}
	ctx := context.Background()
	store, _, err := all.Open(ctx, o.Location, o.Options)
	if err != nil {
		return 0, err
	}
	table := committer.NewNamespace(store, o.Table, committer.AtTable())
	_, err = table.CreateTableVersion(ctx, &committer.CreateTableVersionRequest{Version: 1, ManifestPath: o.Staged})
	if err := errors.Join(err, store.Close()); err != nil {
		return 0, err
	}
	return ownPeak()
}
