package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/lancecommit/lancecommit/backends"
)

// ErrLeft means that objects could not be removed.
var ErrLeft = errors.New("objects are left")

const (
	// passes is how often it is tried to remove everything.
	passes = 3
	// singles is how many keys are removed between two looks at the progress
	// where the store cannot remove many at a time.
	singles = 100
	// mostNamed is how many objects an error names.
	mostNamed = 3
)

// clean removes what the benchmark made, and returns what is still there, or may
// be, with an error of ErrLeft and of the last failure. It does so once.
func (b *bench) clean(ctx context.Context) (left []string, err error) {
	if b.cleaned {
		return nil, nil
	}
	b.cleaned = true
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.cfg.Grace)
	defer cancel()
	keys := b.recorder.keys()
	if len(keys) == 0 {
		return []string{}, nil
	}
	r := remover{store: b.cfg.Stores[0], progress: func(done int) {
		if b.cfg.Progress != nil {
			b.cfg.Progress(fmt.Sprintf("removing %d objects", len(keys)), min(done, len(keys)), len(keys))
		}
	}}
	r.bulk, _ = r.store.(backends.BulkDeleter)
	left = keys
	for range passes {
		left = r.remove(ctx, left)
		// What was told to be removed may be there all the same, and a create
		// whose answer was lost may have landed only now.
		listed, listErr := b.listed(ctx, keys)
		if listErr == nil {
			left = listed
		}
		if len(left) == 0 || ctx.Err() != nil || errors.Is(r.failed, fs.ErrPermission) {
			break
		}
	}
	if len(left) == 0 {
		return []string{}, nil
	}
	named := slices.Clone(left[:min(len(left), mostNamed)])
	if len(named) < len(left) {
		named = append(named, "…")
	}
	err = fmt.Errorf("%w: %d in %s could not be removed, or may be there still (%s); remove that folder",
		ErrLeft, len(left), b.folder, strings.Join(named, ", "))
	if r.failed != nil {
		err = fmt.Errorf("%w: %w", err, r.failed)
	}
	return left, err
}

// listed lists what is in the folders of the keys.
func (b *bench) listed(ctx context.Context, keys []string) (found []string, err error) {
	folders := make(map[string]bool)
	for _, key := range keys {
		folders[path.Dir(key)+"/"] = true
	}
	for folder := range folders {
		in := backends.ListInput{Prefix: folder}
		for {
			var page backends.Page
			err := b.within(ctx, func(ctx context.Context) (err error) {
				page, err = b.cfg.Stores[0].List(ctx, in)
				return err
			})
			if err != nil {
				return nil, err
			}
			for _, object := range page.Objects {
				found = append(found, object.Key)
			}
			if in.Token = page.Token; in.Token == "" {
				break
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// A remover deletes objects, many in one request where the store can.
type remover struct {
	store backends.Store
	// bulk is nil where the store has no such method, or refused it.
	bulk     backends.BulkDeleter
	progress func(done int)
	// failed is the last failure.
	failed error
}

// remove deletes objects and returns those that may still be there.
func (r *remover) remove(ctx context.Context, keys []string) (left []string) {
	for done := 0; done < len(keys); {
		r.progress(done)
		size := singles
		if r.bulk != nil {
			size = max(1, r.bulk.BulkLimit())
		}
		batch := keys[done:min(done+size, len(keys))]
		failed, err := r.batch(ctx, batch)
		if err != nil {
			r.failed = err
		}
		left = append(left, failed...)
		if done += len(batch); ctx.Err() != nil || errors.Is(err, fs.ErrPermission) {
			left = append(left, keys[done:]...)
			break
		}
	}
	r.progress(len(keys))
	return left
}

// batch deletes some objects and returns those that failed.
func (r *remover) batch(ctx context.Context, keys []string) (failed []string, err error) {
	if r.bulk != nil {
		err := r.bulk.BulkDelete(ctx, keys)
		var partial *backends.PartialDeleteError
		switch {
		case err == nil:
			return nil, nil
		case errors.As(err, &partial):
			for _, one := range partial.Failed {
				failed = append(failed, one.Key)
			}
			return failed, err
		case !errors.Is(err, backends.ErrUnsupported):
			return keys, err
		}
		r.bulk = nil
	}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, key := range keys {
		group.Go(func() error {
			err := r.store.Delete(ctx, key)
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, key)
			}
			return err
		})
	}
	err = group.Wait()
	return failed, err
}
