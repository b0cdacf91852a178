package committer

import (
	"context"
	"fmt"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/naming"
)

// writeHint tells Lance's readers of an unordered store where to begin to look.
// It is best effort: a hint may be old or missing, and this library never reads
// it, since looking upward from an old hint stops at a hole.
func (t *Table) writeHint(ctx context.Context, v Version) {
	store, ok := t.store.(backends.Overwriter)
	if !ok || !t.hint || t.ordered() {
		return
	}
	// The commit is done, so that a context that ends now must not leave the
	// hint behind.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.retry.Grace)
	defer cancel()
	err := store.Overwrite(ctx, t.versions+naming.Hint, fmt.Appendf(nil, `{"version":%d}`, v.Number))
	if err != nil {
		t.log(ctx, "hint", "version", v.Number, "err", err)
	}
}
