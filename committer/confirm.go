package committer

import (
	"context"
	"fmt"
	"time"
)

// slowAttempt is how long a PUT may take before the time that the store gives
// an object no longer says when the PUT took effect.
const slowAttempt = time.Second

// confirm ends a publication whose version is there. A success that comes late,
// when the end of the chain was learned more than StaleAfter ago, is not
// believed: others may have committed this version and more, and a clean-up may
// have freed its name again. One LIST decides.
//
// a is the answer to the attempt that led to the proof.
func (p *publication) confirm(ctx context.Context, v Version, a answer) error {
	t := p.table
	age := between(p.learned, a.proven())
	if age >= t.staleAfter {
		seen, err := t.neighbours(ctx, p.version)
		if err != nil {
			return p.unknown(fmt.Errorf("the end of the chain was known %v before, and to list it again failed: %w", age, err))
		}
		if err := p.judge(seen, v, age, elapsed(a.sent)); err != nil {
			return err
		}
		if seen.higher != nil {
			// Others built on this version already, and their hint is better. Without
			// what they made, Latest would look for this version, which can be cleaned
			// up by now, and go back behind it.
			t.learnList(known{scheme: v.Scheme, end: seen.higher[0], learned: seen.listed, listed: seen.listed})
			return nil
		}
	}
	learned := a.sent
	if a.err != nil {
		// A look proved it. The version can have been there since the end of the
		// chain was learned, and others past it, when the last attempt was sent.
		learned = p.learned
	}
	t.learnCommit(v, learned, p.body)
	t.writeHint(ctx, v)
	return nil
}

// neighbours are the versions around one version, as a listing that began at a time
// shows them. The newest is the first.
type neighbours struct {
	before, itself *Version
	higher         []Version
	listed         time.Time
}

// neighbours lists down to the version before the given one.
func (t *Table) neighbours(ctx context.Context, version uint64) (n neighbours, err error) {
	err = t.persist(ctx, func(ctx context.Context) error {
		n = neighbours{listed: time.Now()}
		for v, err := range t.newestFirst(ctx, firstPage) {
			switch {
			case err != nil:
				return err
			case v.Number > version:
				n.higher = append(n.higher, v)
			case v.Number == version:
				n.itself = &v
			case v.Number == version-1:
				n.before = &v
			}
			if v.Number < version {
				break
			}
		}
		return nil
	})
	return n, err
}

// judge decides whether a late success is a commit. The store's own times are
// compared with one another, never with this machine's clock.
func (p *publication) judge(seen neighbours, v Version, age, took time.Duration) error {
	stale := func(evidence Version) error {
		return &StaleCommitError{Version: p.version, Key: p.key, Evidence: evidence, Age: age}
	}
	undecided := func(format string, args ...any) error {
		return p.unknown(fmt.Errorf("the end of the chain was known %v before, and "+format,
			append([]any{age.Round(time.Millisecond)}, args...)...))
	}
	written := v.Modified
	if seen.itself != nil {
		written = seen.itself.Modified
	}
	switch {
	case seen.itself == nil && len(seen.higher) == 0:
		return undecided("version %d is gone", p.version)
	case seen.itself != nil && seen.itself.ETag != "" && v.ETag != "" && seen.itself.ETag != v.ETag:
		return undecided("version %d is another object by now", p.version)
	}
	rebuilt := false
	if p.base.exists() && seen.before != nil {
		switch {
		case seen.before.ETag == "" || p.base.ETag == "":
			return undecided("the store gives version %d no ETag to compare", seen.before.Number)
		case seen.before.ETag == p.base.ETag:
			rebuilt = true
		case seen.before.Modified.After(written):
			// Another writer may have been the late one, and have made the
			// predecessor again, after a clean-up, when this version was there.
			return undecided("version %d was made again after it", seen.before.Number)
		default:
			return stale(*seen.before)
		}
	}
	// A slow PUT took effect at any time until its answer.
	latest := written
	if took > slowAttempt {
		latest = written.Add(took)
	}
	for _, higher := range seen.higher {
		switch {
		case written.IsZero() || higher.Modified.IsZero():
			return undecided("the store dates neither version %d nor %d", p.version, higher.Number)
		case higher.Modified.Before(written):
			return stale(higher)
		case higher.Modified.Before(latest):
			return undecided("version %d may have been there before it", higher.Number)
		case higher.Modified.Equal(written) && !rebuilt:
			return undecided("the store dates version %d alike", higher.Number)
		}
	}
	if p.base.exists() && seen.before == nil && len(seen.higher) == 0 {
		return undecided("version %d, which it was built on, is gone", p.base.Number)
	}
	return nil
}
