package committer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/lancecommit/lancecommit/backends"
)

// Permissions, as ProbeReport.Denied has them, in its order.
const (
	mayList   = "list"
	mayCreate = "create"
	mayRead   = "read"
	mayDelete = "delete"
)

const (
	// probeReads is how often a read is tried that fails.
	probeReads = 3
	// probeCreates is how often a create is sent of which the store says that it
	// decided or wrote nothing.
	probeCreates = 8
)

// handle returns one of the handles. Numbers that follow one another are
// different ones, if there are several.
func (p *probe) handle(n int) bounded { return p.handles[n%len(p.handles)] }

// create sends one create, again where the store says that nothing came of it.
// An outcome that is unknown is returned at once. It is safe for concurrent use.
func (p *probe) create(ctx context.Context, handle int, key string, body []byte) (attrs backends.Attrs, took time.Duration, err error) {
	p.track(key, 1)
	defer func() {
		// A store that says that it lost may have written all the same.
		if err != nil && says(err) && backends.IsDefinite(err) {
			p.track(key, -1)
		}
	}()
	h := p.handle(handle)
	for try := 1; ; try++ {
		sent := time.Now()
		err = within(ctx, h.policy.attemptTimeout(len(body)), func(ctx context.Context) (err error) {
			attrs, err = h.PutIfAbsent(ctx, key, body, backends.PutOptions{Metadata: probeMetadata})
			return err
		})
		took = time.Since(sent)
		if !decidedNothing(err) || try >= p.mostCreates(err) || p.pause(ctx, try, err) != nil {
			return attrs, took, err
		}
	}
}

// track counts requests that may have made an object.
func (p *probe) track(key string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.keys[key] += n; p.keys[key] == 0 {
		delete(p.keys, key)
	}
}

// probeMetadata is what the probe's objects have as metadata.
const probeMetadata = "eyJpZCI6InByb2JlIiwic2hhMjU2IjoiMDEyMzQ1Njc4OWFiY2RlZiJ9"

// decidedNothing reports whether the same create may be sent again without harm.
func decidedNothing(err error) bool {
	return backends.IsDefinite(err) && (errors.Is(err, backends.ErrContended) || errors.Is(err, backends.ErrThrottled) ||
		errors.Is(err, backends.ErrNotStored))
}

// diskCreates is how often a create is sent to a disk that wrote nothing. Another
// probe can have removed its empty folder in between; all else is there to stay.
const diskCreates = 3

// mostCreates is how often a create is sent at most that ended so.
func (p *probe) mostCreates(err error) int {
	switch {
	case !p.disk || !errors.Is(err, backends.ErrNotStored):
		return probeCreates
	case isFull(err), errors.Is(err, syscall.ENOTDIR):
		return 1
	}
	return diskCreates
}

// isFull reports whether a disk has no room, or none for the caller.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// isOnDisk reports whether a store is a folder on disk, which has a path.
func isOnDisk(store backends.Store) bool {
	located, ok := store.(backends.Located)
	return ok && slices.ContainsFunc(located.URLs(), func(url string) bool { return !strings.Contains(url, "://") })
}

// head looks at an object. The time is that of the last try.
func (p *probe) head(ctx context.Context, handle int, key string) (attrs backends.Attrs, took time.Duration, err error) {
	err = p.reading(ctx, func(ctx context.Context) (err error) {
		sent := time.Now()
		attrs, err = p.handle(handle).Head(ctx, key)
		took = time.Since(sent)
		return err
	})
	return attrs, took, err
}

func (p *probe) get(ctx context.Context, handle int, key string) (body []byte, err error) {
	err = p.reading(ctx, func(ctx context.Context) (err error) {
		body, _, err = p.handle(handle).getSized(ctx, key, 0)
		return err
	})
	return body, err
}

func (p *probe) list(ctx context.Context, handle int, in backends.ListInput) (page backends.Page, err error) {
	err = p.reading(ctx, func(ctx context.Context) (err error) {
		sent := time.Now()
		page, err = p.handle(handle).List(ctx, in)
		if err == nil {
			p.lists = append(p.lists, time.Since(sent))
			p.clock.read(page.Now, sent)
		}
		return err
	})
	return page, err
}

// reading repeats what may go better the next time. Before the first answer the
// repeats of the store's own client must do: where nobody listens, they take long
// enough.
func (p *probe) reading(ctx context.Context, read func(context.Context) error) error {
	for try := 1; ; try++ {
		err := read(ctx)
		p.answered = p.answered || answers(err)
		if err == nil || says(err) || !p.answered || errors.Is(err, context.DeadlineExceeded) || try == probeReads ||
			p.pause(ctx, try, err) != nil {
			return err
		}
	}
}

// answers reports whether a store said anything at all.
func answers(err error) bool {
	var answer *backends.Error
	return err == nil || says(err) || errors.Is(err, backends.ErrThrottled) || errors.As(err, &answer) && answer.Status != 0
}

// pause waits before the try after so many failures. What the store asks for is
// kept to within reason.
func (p *probe) pause(ctx context.Context, failures int, err error) error {
	return sleep(ctx, min(p.handles[0].policy.backoff(failures, err), p.opts.RequestTimeout))
}

// says reports whether an error of a read is an answer that stays the same.
func says(err error) bool { return backends.IsRefusal(err) || errors.Is(err, backends.ErrNotExist) }

// end finds why the probe cannot go on after an error of a request that needs a
// permission.
func (p *probe) end(ctx context.Context, permission string, err error) error {
	text := saidBy(err)
	switch ended := ctx.Err(); {
	case errors.Is(err, errEndless):
		p.find(ProbeWrongListing, "A listing has no end after %d pages.", mostProbePages)
	case errors.Is(err, backends.ErrUnsupported), isNotImplemented(err):
		p.find(ProbeUnsupported, "The store cannot do what it was asked for to %s: %s.", permission, text)
	case errors.Is(err, backends.ErrUnauthenticated) && (isClock(err) || p.isClockOff() && hasNoCode(err)):
		p.find(ProbeClockSkew, "The store says: %s.", text)
	case errors.Is(err, backends.ErrUnauthenticated):
		p.find(ProbeUnauthenticated, "The store says: %s.", text)
	case errors.Is(err, backends.ErrNoBucket):
		p.find(ProbeNoBucket, "The store says: %s.", text)
	case errors.Is(err, backends.ErrThrottled):
		p.find(ProbeThrottled, "The store says: %s.", text)
	case errors.Is(err, backends.ErrPermission):
		p.denied[permission] = err
	case errors.Is(err, backends.ErrInvalid):
		p.find(ProbeInvalid, "The store says: %s.", text)
	case ended != nil && errors.Is(context.Cause(ctx), errProbeTime):
		p.find(ProbeUnstable, "The time of %v was up after %s.", p.opts.Timeout, counted(int(p.requests.Load()), "request"))
	case ended != nil:
		p.find(ProbeUnfinished, "The probe was ended after %s.", counted(int(p.requests.Load()), "request"))
	case p.disk && isFull(err):
		p.find(ProbeDisk, "There is no room on the disk: %s.", text)
	case p.disk && errors.Is(err, syscall.ENOTDIR):
		p.find(ProbeDisk, "Something that is no folder has a name on the way to %s: %s.", p.folder, text)
	case p.disk:
		p.find(ProbeDisk, "The disk fails to %s: %s.", permission, text)
	default:
		p.find(ProbeUnreachable, "The store did not answer, or failed: %s.", text)
	}
	return errProbeEnds
}

// timeBefore is when a request was sent that took so long.
func timeBefore(took time.Duration) time.Time { return time.Now().Add(-took) }

// neutral takes out of errors what a probe says itself: what a request was for that
// a store does not have, and that a key is empty.
var neutral = strings.NewReplacer(
	"the store cannot create conditionally, and a commit needs it: ", "",
	` "": `, ": ",
)

// saidBy is the text of an error, to stand at the end of a sentence.
func saidBy(err error) string { return strings.TrimRight(neutral.Replace(err.Error()), ".") }

// isNotImplemented reports whether a store lacks a request. Only an answer with a
// body can say so in a code.
func isNotImplemented(err error) bool {
	var answer *backends.Error
	return errors.As(err, &answer) && answer.Status == http.StatusNotImplemented
}

// probeBody returns the bytes of one writer, as long as a small manifest. Those of
// different writers are different, and of one length.
func probeBody(kind string, number, writer int) []byte {
	line := fmt.Appendf(nil, "probe %s %04d by writer %04d\n", kind, number, writer)
	return bytes.Repeat(line, 600/len(line)+1)
}
