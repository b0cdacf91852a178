package committer

import (
	"bytes"
	"context"
	"errors"

	"github.com/lancecommit/lancecommit/backends"
)

// arrive finds out whether the store is there, and opens the connections of all
// handles, so that creates that are sent together arrive together.
func (p *probe) arrive(ctx context.Context) error {
	if _, err := p.list(ctx, 0, backends.ListInput{Prefix: p.folder, Limit: firstPage}); errors.Is(err, backends.ErrPermission) {
		p.denied[mayList] = err
	} else if err != nil {
		return p.end(ctx, mayList, err)
	}
	for n := range p.handles {
		if err := p.seesNothing(ctx, n, p.name("absent", n)); err != nil {
			return err
		}
	}
	p.step()
	return nil
}

// seesNothing looks at a name that nobody created.
func (p *probe) seesNothing(ctx context.Context, handle int, key string) error {
	_, took, err := p.head(ctx, handle, key)
	switch {
	case err == nil:
		p.find(ProbeStaleReads, "A HEAD shows a name that nobody created.")
	case errors.Is(err, backends.ErrPermission):
		// S3 answers so to callers that may not list. To read what is there may be allowed.
		p.absentDenied = err
	case !errors.Is(err, backends.ErrNotExist):
		return p.end(ctx, mayRead, err)
	}
	p.heads = append(p.heads, took)
	return nil
}

// pairs creates names twice, the second time over another connection.
func (p *probe) pairs(ctx context.Context) error {
	figures := &p.report.Figures
	for i := range probePairs {
		decided, err := p.pair(ctx, i)
		if err != nil {
			return err
		}
		figures.Pairs++
		if decided {
			figures.DecidedPairs++
		}
		p.step()
		if p.found(ProbeIgnored) {
			return nil
		}
	}
	if 2*figures.DecidedPairs <= figures.Pairs {
		p.find(ProbeUnstable, "Only in %d of %d cases was it decided what becomes of a second create.", figures.DecidedPairs, figures.Pairs)
	}
	return nil
}

// pair creates one name twice. It reports whether the second create is proven to
// have been refused.
func (p *probe) pair(ctx context.Context, i int) (decided bool, err error) {
	key, first, second := p.name("pair", i), probeBody("pair", i, 1), probeBody("second", i, 22)
	if err := p.seesNothing(ctx, i+1, key); err != nil {
		return false, err
	}
	there, err := p.lay(ctx, i, key, first)
	if err != nil || !there {
		return false, err
	}
	if err := p.shows(ctx, i+1, key, first); err != nil {
		return false, err
	}
	if i == 0 {
		if decided, err := p.again(ctx, i, key, first, first); err != nil || !decided {
			return false, err
		}
	}
	return p.again(ctx, i+1, key, first, second)
}

// lay creates a name that nobody has. It reports whether the object is there then.
func (p *probe) lay(ctx context.Context, handle int, key string, body []byte) (there bool, err error) {
	attrs, took, err := p.create(ctx, handle, key, body)
	switch {
	case err == nil:
		p.puts = append(p.puts, took)
		p.clock.read(attrs.Modified, timeBefore(took))
		p.etags[key] = attrs.ETag
	case errors.Is(err, backends.ErrExists) && backends.IsDefinite(err):
		return p.refusedAbsent(ctx, handle, key, body)
	case backends.IsDefinite(err):
		return false, p.end(ctx, mayCreate, err)
	default:
		p.report.Figures.Unknown++
		got, err := p.get(ctx, handle+1, key)
		switch {
		case errors.Is(err, backends.ErrNotExist):
			p.unresolved++
			return false, nil
		case err != nil:
			return false, p.end(ctx, mayRead, err)
		case !bytes.Equal(got, body):
			p.find(ProbeStaleReads, "A name that one create was sent for has other bytes.")
			return false, nil
		}
	}
	p.held[key] = body
	return true, nil
}

// refusedAbsent finds out why a create was refused that nobody competed with.
func (p *probe) refusedAbsent(ctx context.Context, handle int, key string, body []byte) (there bool, err error) {
	got, err := p.get(ctx, handle+1, key)
	switch {
	case err == nil && bytes.Equal(got, body):
		p.find(ProbeRepeated, "A create of a name that nobody else uses was refused as taken, and its own bytes are there.")
		p.held[key] = body
		return true, nil
	case err == nil:
		p.find(ProbeStaleReads, "A name that one create was sent for has other bytes.")
		return false, nil
	case !errors.Is(err, backends.ErrNotExist):
		return false, p.end(ctx, mayRead, err)
	}
	text := "A create of a name that is absent was refused as taken."
	if over, ok := p.handle(handle).Store.(backends.Overwriter); ok {
		err := within(ctx, p.opts.RequestTimeout, func(ctx context.Context) error { return over.Overwrite(ctx, key, body) })
		if err == nil {
			_, _, err = p.create(ctx, handle, key, probeBody("over", 0, 22))
			switch {
			case err == nil:
				text += " One of a name that is there succeeded."
			case errors.Is(err, backends.ErrExists):
				text += " One of a name that is there was refused, too."
			}
		}
	}
	p.find(ProbeInverted, "%s", text)
	return false, errProbeEnds
}

// shows requires that a name that was created is shown, at once and as it was
// written.
func (p *probe) shows(ctx context.Context, handle int, key string, body []byte) error {
	attrs, took, err := p.head(ctx, handle, key)
	switch {
	case errors.Is(err, backends.ErrNotExist):
		p.find(ProbeStaleReads, "A HEAD right after a create says that the object is not there.")
	case err != nil:
		return p.end(ctx, mayRead, err)
	case attrs.Size != int64(len(body)):
		p.find(ProbeStaleReads, "A HEAD says %d bytes of an object that has %d.", attrs.Size, len(body))
	default:
		p.heads = append(p.heads, took)
		p.judgeMetadata(attrs.Metadata)
		p.judgeETag("HEAD", key, attrs.ETag)
	}
	if err := p.holds(ctx, handle, key, ProbeStaleReads, "A GET right after a create"); err != nil {
		return err
	}
	if p.denied[mayList] != nil {
		return nil
	}
	all, err := p.listAll(ctx, handle, backends.ListInput{Prefix: p.folder})
	if err != nil {
		return p.end(ctx, mayList, err)
	}
	for _, object := range all.objects {
		if object.Key == key {
			if object.Size != int64(len(body)) {
				p.find(ProbeStaleReads, "A LIST says %d bytes of an object that has %d.", object.Size, len(body))
			}
			p.judgeETag("LIST", key, object.ETag)
			return nil
		}
	}
	p.missing(ctx, handle, key, all)
	return nil
}

// judgeETag compares an ETag with that of the create. Where they differ a writer
// takes its own version for that of a table which was made again; where one is
// missing, it asks more often, and cannot prove a late success.
func (p *probe) judgeETag(request, key, etag string) {
	if created := p.etags[key]; created != "" && etag != "" && etag != created {
		p.find(ProbeStaleReads, "A %s says the ETag %q of an object that was created as %q.", request, etag, created)
	}
}

func (p *probe) judgeMetadata(got string) {
	switch {
	case !p.caps.Metadata && p.metadata == "":
		p.metadata = "none"
		p.find(probeNoMetadata, "The store keeps no metadata with objects.")
	case p.caps.Metadata && got != probeMetadata:
		p.metadata = "lost"
		p.find(probeMetadataLost, "The metadata that a create sent is not what the object has.")
	case p.metadata == "":
		p.metadata = "kept"
	}
}

// holds reads a name that must have the bytes that are held for it. Another
// content is the finding that the caller names.
func (p *probe) holds(ctx context.Context, handle int, key string, otherwise ProbeVerdict, reading string) error {
	got, err := p.get(ctx, handle, key)
	switch {
	case errors.Is(err, backends.ErrNotExist):
		p.find(ProbeStaleReads, "%s says that the object is not there.", reading)
	case err != nil:
		return p.end(ctx, mayRead, err)
	case !bytes.Equal(got, p.held[key]):
		p.find(otherwise, "%s gives other bytes than were written.", reading)
	}
	return nil
}

// again creates a name that is there with other bytes or with the same ones. It
// reports whether that is proven to be refused.
func (p *probe) again(ctx context.Context, handle int, key string, first, second []byte) (refused bool, err error) {
	defer func() {
		if !refused {
			delete(p.held, key) // nothing more is to be learned from it
		}
	}()
	same := bytes.Equal(first, second)
	for range probeReads {
		_, _, err := p.create(ctx, handle, key, second)
		definite := backends.IsDefinite(err)
		got, readErr := p.get(ctx, handle+1, key)
		switch {
		case errors.Is(readErr, backends.ErrNotExist):
			p.find(ProbeStaleReads, "A GET says that an object is not there that was created.")
			return false, nil
		case readErr != nil:
			return false, p.end(ctx, mayRead, readErr)
		case err == nil && same:
			p.find(ProbeIgnored, "A second create of a name succeeded that had the same bytes as the first.")
			return false, nil
		case err == nil:
			what := "replaced the bytes of the first"
			if bytes.Equal(got, first) {
				what = "the bytes of the first are still there"
			}
			p.find(ProbeIgnored, "A second create of a name succeeded, and %s.", what)
			return false, nil
		case !bytes.Equal(got, first):
			what := "without a usable answer"
			if definite {
				what = "that was refused"
			}
			p.find(ProbeIgnored, "A second create of a name, %s, replaced the bytes of the first.", what)
			return false, nil
		case errors.Is(err, backends.ErrExists) && definite:
			return true, nil
		case decidedNothing(err):
			return false, nil
		case definite:
			return false, p.end(ctx, mayCreate, err)
		}
		p.report.Figures.Unknown++
	}
	return false, nil
}

// reuse deletes a name and creates it again.
func (p *probe) reuse(ctx context.Context) error {
	key := p.name("pair", 0)
	defer p.step()
	first := p.held[key]
	if first == nil {
		return nil
	}
	if err := p.handle(0).Delete(ctx, key); errors.Is(err, backends.ErrPermission) {
		p.denied[mayDelete] = err
		return nil
	} else if err != nil {
		// The clean-up says what it cannot remove.
		delete(p.held, key)
		return nil
	}
	delete(p.held, key)
	body := probeBody("again", 0, 3)
	_, _, err := p.create(ctx, 1, key, body)
	switch {
	case err == nil:
		p.held[key] = body
	case !backends.IsDefinite(err):
		p.report.Figures.Unknown++
	case errors.Is(err, backends.ErrExists):
		if got, err := p.get(ctx, 0, key); errors.Is(err, backends.ErrNotExist) {
			p.find(probeNotReusable, "A name that was deleted was refused as taken, and is not there.")
		} else if err == nil && bytes.Equal(got, first) {
			p.find(ProbeDeleteIgnored, "A name that the store said it deleted is still there.")
		}
	case !decidedNothing(err):
		return p.end(ctx, mayCreate, err)
	}
	return nil
}
