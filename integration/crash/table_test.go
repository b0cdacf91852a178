//go:build linux || darwin

package crash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// A watched table is what the disk has shown and what writers were told of one
// table. Its methods read the folder itself, beside the library, and return the
// first broken rule.
type watched struct {
	order // what all its writers have in common

	mu sync.Mutex
	// versions are those seen, with the commit that made each.
	versions map[uint64]string
	// told are the versions that a writer was told that it had committed.
	told map[uint64]string
	// never are commits that a writer was told are not made, or that were
	// absent when their writer was dead.
	never map[string]bool
	// leftovers are temporary files of dead writers.
	leftovers map[string]bool
}

func watch(o order) *watched {
	return &watched{
		order: o, versions: map[uint64]string{}, told: map[uint64]string{}, never: map[string]bool{},
		leftovers: map[string]bool{},
	}
}

func (w *watched) folder() string { return filepath.Join(w.Dir, w.Root, "_versions") }

func (w *watched) path(version uint64) string {
	return filepath.Join(w.folder(), w.Scheme.Final(version))
}

// commitAt names a commit as a version: a call can build for several.
func commitAt(commit string, version uint64) string {
	return commit + " as " + strconv.FormatUint(version, 10)
}

// examine reads the folder. Names that it has seen are read again if all is set.
func (w *watched) examine(all bool) (temporary []fs.FileInfo, err error) {
	// The hint is read first: a later end is no excuse for an earlier hint.
	hint, hintErr := os.ReadFile(filepath.Join(w.folder(), naming.Hint))
	entries, err := os.ReadDir(w.folder())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var end uint64
	for _, entry := range entries {
		name := naming.Parse(entry.Name())
		switch name.Kind {
		case naming.Final:
			if name.Scheme != w.Scheme {
				return nil, fmt.Errorf("%s is a name of another scheme", entry.Name())
			}
			end = max(end, name.Version)
			if err := w.see(name.Version, all); err != nil {
				return nil, err
			}
		case naming.Temporary:
			info, err := entry.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue // its writer is alive
			}
			if err != nil {
				return nil, err
			}
			temporary = append(temporary, info)
		case naming.HintFile:
		default:
			return nil, fmt.Errorf("%q is no name that a writer makes", entry.Name())
		}
	}
	for version := uint64(1); version <= end; version++ {
		// A folder that changes is not read at one moment.
		if err := w.see(version, false); err != nil {
			return nil, fmt.Errorf("the end is %d: %w", end, err)
		}
	}
	switch {
	case hintErr == nil:
		return temporary, checkHint(string(hint), end)
	case errors.Is(hintErr, fs.ErrNotExist):
		return temporary, nil
	}
	return nil, hintErr
}

// see reads a version and compares it with what is known of it.
func (w *watched) see(version uint64, again bool) error {
	known, seen := w.versions[version]
	if seen && !again {
		if _, err := os.Lstat(w.path(version)); err != nil {
			return fmt.Errorf("version %d of %s: %w", version, known, err)
		}
		return nil
	}
	body, err := os.ReadFile(w.path(version))
	if err != nil {
		return fmt.Errorf("version %d: %w", version, err)
	}
	commit, err := commitIn(body, version)
	if err != nil {
		return fmt.Errorf("version %d is torn: %w", version, err)
	}
	if seen && commit != known {
		return fmt.Errorf("version %d was %s and is %s", version, known, commit)
	}
	if w.never[commitAt(commit, version)] {
		return fmt.Errorf("version %d is %s, which was not to be", version, commit)
	}
	w.versions[version] = commit
	return nil
}

var hintText = regexp.MustCompile(`^\{"version":(\d+)\}[0-9}]*$`)

// checkHint refuses a hint above the end. A hint can be empty, where a writer
// was killed after it had made the file, and can have a rest of a longer one.
func checkHint(hint string, end uint64) error {
	if hint == "" {
		return nil
	}
	found := hintText.FindStringSubmatch(hint)
	if found == nil {
		return fmt.Errorf("the hint is %q", hint)
	}
	if version, err := strconv.ParseUint(found[1], 10, 64); err != nil || version > end {
		return fmt.Errorf("the hint is %q, the end %d", hint, end)
	}
	return nil
}

// bury takes in what a writer told before it ended. Call examine first.
func (w *watched) bury(p *process) error {
	for _, told := range p.words {
		switch told.Step {
		case built:
			// Whatever a call built before the last version that it was told
			// about lost its race.
			w.never[commitAt(commitOf(p.ID, told.Call), told.Version)] = true
		case committed:
			commit := commitOf(p.ID, told.Call)
			if was, ok := w.told[told.Version]; ok {
				return fmt.Errorf("version %d was told to %s and to %s", told.Version, was, commit)
			}
			w.told[told.Version] = commit
			delete(w.never, commitAt(commit, told.Version))
		case failed:
			if told.Kind == unknown {
				if version, ok := p.lastBuilt(told.Call); ok {
					delete(w.never, commitAt(commitOf(p.ID, told.Call), version))
				}
			}
		}
	}
	if version, call, ok := p.inFlight(); ok && w.versions[version] == commitOf(p.ID, call) {
		delete(w.never, commitAt(commitOf(p.ID, call), version))
	}
	return w.keepsPromises()
}

// keepsPromises compares what writers were told with what is there.
func (w *watched) keepsPromises() error {
	for version, commit := range w.told {
		if w.versions[version] != commit {
			return fmt.Errorf("%s was told that it is version %d, which is %q", commit, version, w.versions[version])
		}
	}
	for version, commit := range w.versions {
		if w.never[commitAt(commit, version)] {
			return fmt.Errorf("version %d is %s, which was not to be", version, commit)
		}
	}
	return nil
}

// handle opens the table as a process does that knows nothing of it.
func (w *watched) handle(do func(table *committer.Table) error) error {
	store, err := file.Open(w.Dir)
	if err != nil {
		return err
	}
	return errors.Join(do(committer.NewTable(store, w.Root, committer.WithScheme(w.Scheme))), store.Close())
}

// resolves asks what became of the call that a kill interrupted, and compares
// the answer with the disk before and after.
func (w *watched) resolves(ctx context.Context, p *process) error {
	version, call, ok := p.inFlight()
	if !ok {
		return nil
	}
	before := w.outcome(p, version, call)
	var answer committer.Outcome
	err := w.handle(func(table *committer.Table) (err error) {
		answer, err = table.Resolve(ctx, version, bodyOf(p.ID, call, version))
		return err
	})
	if err != nil {
		return fmt.Errorf("resolve version %d of the killed %s: %w", version, p.ID, err)
	}
	if answer == before {
		return nil
	}
	if _, err := w.examine(false); err != nil {
		return err
	}
	if after := w.outcome(p, version, call); answer != after || before != committer.Absent || after == committer.Committed {
		return fmt.Errorf("version %d of the killed %s resolves as %v; on the disk it was %v and is %v",
			version, p.ID, answer, before, after)
	}
	return nil
}

// outcome is what the folder says of a commit.
func (w *watched) outcome(p *process, version uint64, call int) committer.Outcome {
	switch w.versions[version] {
	case "":
		return committer.Absent
	case commitOf(p.ID, call):
		return committer.Committed
	}
	return committer.Conflict
}

// sweepAge is the least age of what a sweep takes.
const sweepAge = 7 * 24 * time.Hour

// sweepsNothing has a sweep see leftovers and files of living writers, all of
// them young.
func (w *watched) sweepsNothing(ctx context.Context) error {
	if len(w.versions) == 0 && len(w.leftovers) == 0 {
		return nil // Sweep says that there is no table.
	}
	return w.handle(func(table *committer.Table) error {
		result, err := table.Sweep(ctx, sweepAge, committer.SweepOptions{})
		if len(result.Removed) > 0 {
			return fmt.Errorf("the sweep took %v, which are young", result.Removed)
		}
		for _, kept := range result.Kept {
			if kept.Reason != committer.KeptTooYoung {
				return fmt.Errorf("the sweep kept %s: %v", kept.Key, kept.Reason)
			}
		}
		return err
	})
}

// lists compares the library's listing with the folder. Nobody may write.
func (w *watched) lists(ctx context.Context) error {
	return w.handle(func(table *committer.Table) error {
		want := uint64(len(w.versions))
		for v, err := range table.Versions(ctx, committer.VersionsOptions{}) {
			if err != nil {
				return err
			}
			if v.Number != want {
				return fmt.Errorf("version %d is listed where %d must be", v.Number, want)
			}
			want--
		}
		if want != 0 {
			return fmt.Errorf("version %d is not listed", want)
		}
		return nil
	})
}
