package backendtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// writers is how many goroutines race for each key.
const writers = 16

// racing has the rules of concurrent calls in one process.
var racing = []rule{
	{"of concurrent creates of one key exactly one wins", func(ctx context.Context, t reporter, s subject) {
		for i := range s.keys {
			s.raceFor(ctx, t, fmt.Sprintf("t/_versions/%d.manifest", i+1))
		}
	}},
	{"a reader sees a whole object or none", func(ctx context.Context, t reporter, s subject) {
		for i := range max(1, s.keys/20) {
			s.readWhileCreated(ctx, t, fmt.Sprintf("t/%d", i))
		}
	}},
}

// raceFor has all writers create one key at the same moment.
func (s subject) raceFor(ctx context.Context, t reporter, key string) {
	t.Helper()
	bodyBy := func(writer int) []byte { return bodyOf(fmt.Sprintf("%s by writer %d", key, writer), 500+writer) }
	var results [writers]struct {
		attrs backends.Attrs
		err   error
	}
	start := make(chan struct{})
	var racers sync.WaitGroup
	for w := range writers {
		racers.Go(func() {
			body := bodyBy(w)
			<-start
			results[w].attrs, results[w].err = createDecided(ctx, s, key, body)
		})
	}
	close(start)
	racers.Wait()

	var winners []int
	for w, result := range results {
		if result.err == nil {
			winners = append(winners, w)
			continue
		}
		wantError(t, result.err, "put", key, backends.ErrExists)
	}
	require.Lenf(t, winners, 1, "writers that were told that they had created %q", key)
	attrs := s.holds(ctx, t, key, bodyBy(winners[0]))
	require.Equalf(t, attrs.ETag, results[winners[0]].attrs.ETag, "ETag that the winner of %q was told", key)
}

// mostTries bounds how often a create is sent again.
const mostTries = 100

// createDecided creates until the store decides: one that says that it decided
// nothing may be asked again.
func createDecided(ctx context.Context, store backends.Store, key string, body []byte) (attrs backends.Attrs, err error) {
	for range mostTries {
		attrs, err = store.PutIfAbsent(ctx, key, body, backends.PutOptions{})
		if !errors.Is(err, backends.ErrContended) {
			break
		}
	}
	return attrs, err
}

// readWhileCreated reads one key in all ways while writers race for it.
func (s subject) readWhileCreated(ctx context.Context, t reporter, key string) {
	t.Helper()
	body := bodyOf(key, 256<<10)
	seen := make(chan error, 3)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for _, look := range []func() error{
		func() error {
			got, _, err := s.Get(ctx, key)
			if err == nil && !bytes.Equal(got, body) {
				return fmt.Errorf("a read of %q got %s of %d bytes", key, brief(got), len(body))
			}
			return err
		},
		func() error {
			attrs, err := s.Head(ctx, key)
			return wholeOrError(key, attrs, body, err)
		},
		func() error {
			page, err := s.List(ctx, in(key))
			if err != nil || len(page.Objects) == 0 {
				return err
			}
			return wholeOrError(key, page.Objects[0].Attrs, body, nil)
		},
	} {
		readers.Go(func() {
			for {
				if err := look(); err != nil && !errors.Is(err, backends.ErrNotExist) {
					seen <- err
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	var creators sync.WaitGroup
	for range 4 {
		creators.Go(func() { _, _ = s.PutIfAbsent(ctx, key, body, backends.PutOptions{}) })
	}
	creators.Wait()
	close(done)
	readers.Wait()
	close(seen)
	for err := range seen {
		require.NoError(t, err, "a reader beside the creates")
	}
	s.holds(ctx, t, key, body)
}

func wholeOrError(key string, attrs backends.Attrs, body []byte, err error) error {
	if err == nil && attrs.Size != int64(len(body)) {
		return fmt.Errorf("%q was seen with %d of %d bytes", key, attrs.Size, len(body))
	}
	return err
}
