package committer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/naming"
)

// refFor is for how long a branch's ref is remembered.
const refFor = time.Minute

// branchRef is what a table knows of its branch.
type branchRef struct {
	// first is the number of the first version of the chain: 1, or for a
	// branch the version that it forks from.
	first uint64
	// registered is false for a new branch whose ref is not written yet.
	registered bool
	read       time.Time
}

// branchRef returns the ref of the table's branch. Main has none and costs
// nothing.
func (t *Table) branchRef(ctx context.Context) (branchRef, error) {
	if t.branch == "" {
		return branchRef{first: naming.MinVersion, registered: true}, nil
	}
	t.mu.Lock()
	ref := t.ref
	t.mu.Unlock()
	if ref.registered && elapsed(ref.read) < refFor {
		return ref, nil
	}
	ref, err := t.readRef(ctx)
	if err != nil {
		return branchRef{}, fmt.Errorf("branch %q: %w", t.branch, err)
	}
	t.mu.Lock()
	t.ref = ref
	t.mu.Unlock()
	return ref, nil
}

// readRef looks for the ref at each place where it can be.
func (t *Table) readRef(ctx context.Context) (branchRef, error) {
	began := time.Now()
	for _, key := range naming.BranchRefs(t.table, t.branch) {
		body, _, err := t.reads.getSized(ctx, key, 0)
		switch {
		case errors.Is(err, backends.ErrNotExist):
			continue
		case err != nil:
			return branchRef{}, err
		}
		fork, err := parseFork(body)
		if err == nil {
			err = naming.CheckVersion(fork.version)
		}
		if err != nil {
			return branchRef{}, fmt.Errorf("%w: %s: %w; mend it, or remove it if nobody needs the branch", ErrBadRef, key, err)
		}
		return branchRef{first: fork.version, registered: true, read: began}, nil
	}
	if t.isNew {
		return branchRef{first: t.newBranch, read: began}, nil
	}
	return branchRef{}, fmt.Errorf("%w: there is no %s; check the name, or make the branch first; only the first version of a new branch comes before its ref: "+
		"create that from a staged manifest, or open the table for a new branch",
		ErrBranchNotFound, naming.BranchRefs(t.table, t.branch)[0])
}

// allows refuses versions after the first one of a branch without a ref: its
// chain is a zombie, or not registered yet.
func (t *Table) allows(ref branchRef, version uint64) error {
	if ref.registered || version == ref.first {
		return nil
	}
	return fmt.Errorf("branch %q: %w: it has no ref yet, so only its first version %d can be committed; write %s first",
		t.branch, ErrBranchNotFound, ref.first, naming.BranchRefs(t.table, t.branch)[0])
}

// zombie refuses a chain that has versions and no ref. Nobody can tell a branch
// that is being made from one that was deleted and left its versions.
func (t *Table) zombie(end Version) error {
	return fmt.Errorf("branch %q: %w: it has versions up to %d and no ref; write %s first, or remove what a deleted branch left",
		t.branch, ErrBranchNotFound, end.Number, naming.BranchRefs(t.table, t.branch)[0])
}
