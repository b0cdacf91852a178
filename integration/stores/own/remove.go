package own

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/lancecommit/lancecommit/backends"
)

const (
	// removeTimeout bounds the removal of a folder.
	removeTimeout = 5 * time.Minute
	// removers is how many deletes are under way at once.
	removers = 16
	// passes is how often a folder is listed at most. MinIO lists nothing below a
	// key that is an object itself, until that is gone.
	passes = 5
)

// remove removes everything in a folder.
func (s *Store) remove(ctx context.Context, name string, in backends.Store) error {
	if folder := s.disk(name); folder != "" {
		return os.RemoveAll(folder) // with the folders that are no objects
	}
	for range passes {
		keys, err := keysBelow(ctx, in, "")
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := deleteAll(ctx, in, keys); err != nil {
			return err
		}
	}
	return errors.New("objects are still listed after their deletion")
}

// keysBelow lists the keys that start with a prefix.
func keysBelow(ctx context.Context, in backends.Store, prefix string) (keys []string, err error) {
	for page := (backends.ListInput{Prefix: prefix}); ; {
		listed, err := in.List(ctx, page)
		if err != nil {
			return nil, err
		}
		for _, object := range listed.Objects {
			keys = append(keys, object.Key)
		}
		for _, folder := range listed.Prefixes {
			below, err := keysBelow(ctx, in, folder)
			if err != nil {
				return nil, err
			}
			keys = append(keys, below...)
		}
		if page.Token = listed.Token; page.Token == "" {
			return keys, nil
		}
	}
}

// deleteAll deletes objects, and goes on when one cannot be deleted.
func deleteAll(ctx context.Context, in backends.Store, keys []string) error {
	queue := make(chan string)
	failed := make(chan error, len(keys))
	var deleters sync.WaitGroup
	for range removers {
		deleters.Go(func() {
			for key := range queue {
				if err := in.Delete(ctx, key); err != nil {
					failed <- err
				}
			}
		})
	}
	for _, key := range keys {
		queue <- key
	}
	close(queue)
	deleters.Wait()
	close(failed)
	if first, some := <-failed; some {
		return fmt.Errorf("%d of %d objects were not deleted; the first: %w", len(failed)+1, len(keys), first)
	}
	return nil
}
