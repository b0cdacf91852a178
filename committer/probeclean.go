package committer

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/lancecommit/lancecommit/backends"
)

// clean removes what the probe made. It does so once.
func (p *probe) clean(ctx context.Context) {
	p.mu.Lock()
	keys := slices.Sorted(maps.Keys(p.keys))
	clear(p.keys)
	p.mu.Unlock()
	if len(keys) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.opts.Grace)
	defer cancel()
	failed := p.remove(ctx, keys)
	// What is not known to be gone may be gone, and what is may have come back:
	// a create without an answer can land late.
	listed, err := p.listLeft(ctx)
	if err == nil && len(listed) > 0 && p.denied[mayDelete] == nil {
		listed = p.removeAgain(ctx, listed)
	}
	if err == nil && !p.found(ProbeStaleReads) && !p.found(ProbeWrongListing) {
		failed = nil
	}
	p.report.Left = append(p.report.Left, slices.Compact(slices.Sorted(slices.Values(append(failed, listed...))))...)
	p.step()
}

// removeAgain removes objects that are listed after they were removed, and returns
// those that may still be there. A store that keeps on listing them does not do
// what it says.
func (p *probe) removeAgain(ctx context.Context, keys []string) []string {
	failed := p.remove(ctx, keys)
	listed, err := p.listLeft(ctx)
	if err != nil {
		return keys
	}
	still := slices.DeleteFunc(slices.Clone(listed), func(key string) bool {
		return slices.Contains(failed, key) || !slices.Contains(keys, key)
	})
	if len(still) > 0 && p.denied[mayDelete] == nil {
		p.find(ProbeDeleteIgnored, "The store said that it deleted %s, and lists what it deleted.", counted(len(still), "object"))
	}
	return listed
}

// remove deletes objects, and returns those that may still be there.
func (p *probe) remove(ctx context.Context, keys []string) []string {
	r := newRemover(p.handles[0])
	for range probeReads {
		var left []string
		// The store may take fewer keys at a time, once it refused a bulk delete.
		for rest := keys; len(rest) > 0; {
			batch := rest[:min(len(rest), r.batch())]
			rest = rest[len(batch):]
			fates, err := r.remove(ctx, batch)
			if errors.Is(err, fs.ErrPermission) {
				p.denied[mayDelete] = err
			}
			for i, key := range batch {
				if fates[i] != fateGone {
					left = append(left, key)
				}
			}
		}
		if keys = left; len(keys) == 0 || p.denied[mayDelete] != nil || ctx.Err() != nil {
			break
		}
	}
	return keys
}

// listLeft lists the objects of the probe.
func (p *probe) listLeft(ctx context.Context) (left []string, err error) {
	for _, folder := range []string{p.folder, p.folder + listFolder, p.folder + listFolder + innerFolder} {
		all, err := p.listAll(ctx, 0, backends.ListInput{Prefix: folder})
		if err != nil {
			return nil, err
		}
		left = append(left, all.keys()...)
	}
	return left, nil
}
