package histories_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/history"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

// An order is what a client wants done. The manifest of a write is that of its
// version and note.
type order struct {
	Kind    history.Kind
	Version uint64
	Note    string
	// Patience is how long the client waits.
	Patience time.Duration
}

func (o order) manifest(version uint64) []byte { return testmanifest.New(version, "", o.Note) }

// A handle carries out orders on one table. It is safe for concurrent use.
type handle func(order) history.Operation

// on returns a handle that works in this process.
func on(table *committer.Table) handle {
	return func(o order) history.Operation {
		ctx, cancel := context.WithTimeout(context.Background(), o.Patience)
		defer cancel()
		return o.carryOut(ctx, table)
	}
}

func (o order) carryOut(ctx context.Context, table *committer.Table) history.Operation {
	switch o.Kind {
	case history.Commit:
		return o.commit(ctx, table)
	case history.Update:
		return o.update(ctx, table)
	case history.Latest:
		v, err := table.Latest(ctx)
		if errors.Is(err, committer.ErrTableNotFound) {
			err = nil
		}
		done := history.Operation{Kind: o.Kind, End: v.Number, ETag: v.ETag, Result: history.Done}
		return orFailed(done, err)
	case history.Read:
		return o.read(ctx, table)
	default:
		return o.resolve(ctx, table)
	}
}

func (o order) commit(ctx context.Context, table *committer.Table) history.Operation {
	body := o.manifest(o.Version)
	v, err := table.Commit(ctx, o.Version, body)
	did := history.Operation{Kind: o.Kind, Version: o.Version, Content: history.ContentOf(body), Result: history.Done, ETag: v.ETag}
	var conflict *committer.ConflictError
	if errors.As(err, &conflict) {
		did.Result, did.End, did.Error = history.Conflict, conflict.Latest, err.Error()
		if conflict.Winner != nil {
			did.Winner, did.ETag = true, conflict.Winner.ETag
		}
		return did
	}
	return orUnknown(did, err)
}

func (o order) update(ctx context.Context, table *committer.Table) history.Operation {
	did := history.Operation{Kind: o.Kind, Result: history.Done}
	v, err := table.Update(ctx, func(_ context.Context, base committer.Version) ([]byte, error) {
		body := o.manifest(base.Number + 1)
		did.Version, did.Content = base.Number+1, history.ContentOf(body)
		return body, nil
	})
	did.ETag = v.ETag
	switch {
	case err == nil && v.Number != did.Version:
		err = fmt.Errorf("the update returned version %d", v.Number)
	case errors.Is(err, committer.ErrConflict):
		did.Result, did.Error = history.Conflict, err.Error()
		return did
	}
	return orUnknown(did, err)
}

func (o order) read(ctx context.Context, table *committer.Table) history.Operation {
	did := history.Operation{Kind: o.Kind, Version: o.Version, Result: history.Done}
	v, err := table.Version(ctx, o.Version)
	if errors.Is(err, committer.ErrVersionNotFound) {
		did.Result = history.Absent
		return did
	}
	if err != nil {
		return orFailed(did, err)
	}
	body, err := table.ReadManifest(ctx, v)
	did.Content, did.ETag = history.ContentOf(body), v.ETag
	return orFailed(did, err)
}

func (o order) resolve(ctx context.Context, table *committer.Table) history.Operation {
	body := o.manifest(o.Version)
	did := history.Operation{Kind: o.Kind, Version: o.Version, Content: history.ContentOf(body)}
	outcome, err := table.Resolve(ctx, o.Version, body)
	did.Result = map[committer.Outcome]history.Result{
		committer.Committed: history.Done, committer.Conflict: history.Conflict, committer.Absent: history.Absent, committer.Unknown: history.Unknown,
	}[outcome]
	if err != nil {
		did.Error = err.Error()
	}
	return did
}

func orFailed(did history.Operation, err error) history.Operation {
	if err != nil {
		did.Result, did.ETag, did.Error = history.Failed, "", err.Error()
	}
	return did
}

// unexpected marks the error of a write that neither its patience nor its rivals
// explain.
const unexpected = "unexpected: "

// orUnknown is orFailed for writes.
func orUnknown(did history.Operation, err error) history.Operation {
	did = orFailed(did, err)
	switch {
	case errors.Is(err, committer.ErrUnknownOutcome):
		did.Result = history.Unknown
	case err != nil && !errors.Is(err, committer.ErrContention) && !errors.Is(err, context.DeadlineExceeded):
		did.Error = unexpected + did.Error
	}
	return did
}
