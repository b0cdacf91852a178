package fault

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

// An Injector does what a script says. It is safe for concurrent use.
type Injector struct {
	script *Script
	late   sync.WaitGroup
}

// New returns an injector.
func New(script *Script) *Injector { return &Injector{script: script} }

// Wait waits for the requests that are applied late.
func (i *Injector) Wait() { i.late.Wait() }

type lateKey struct{}

// IsLate reports whether the context is that of a request which is applied after
// its caller was told that it failed. A decorator below can ask.
func IsLate(ctx context.Context) bool { return ctx.Value(lateKey{}) != nil }

// later applies a request that its caller has given up.
func (i *Injector) later(ctx context.Context, delay time.Duration, apply func(context.Context)) {
	ctx = context.WithValue(context.WithoutCancel(ctx), lateKey{}, true)
	i.late.Go(func() {
		time.Sleep(delay)
		apply(ctx)
	})
}

// errReset is what a caller sees whose connection broke.
var errReset = fmt.Errorf("connection reset: %w", io.ErrUnexpectedEOF)

// The codes are S3's.
const (
	codeInternal  = "InternalError"
	codeContended = "ConditionalRequestConflict"
	codeThrottled = "SlowDown"
	codeDenied    = "AccessDenied"
)

// around decides about a request that keeps nothing of its caller's.
func (i *Injector) around(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
	f := i.script.Next(call.Method)
	if f.Kind == Late {
		i.later(ctx, f.Delay, func(ctx context.Context) { _ = do(ctx) })
		return answer(call, errReset)
	}
	return meet(ctx, f, call, do)
}

// meet makes a request meet a fault other than Late and those of pages.
func meet(ctx context.Context, f Fault, call intercept.Call, do func(context.Context) error) error {
	switch f.Kind {
	case Before:
		err := answer(call, errReset)
		err.Status, err.Code = http.StatusInternalServerError, codeInternal
		return err
	case After:
		_ = do(ctx)
		return answer(call, errReset)
	case Duplicate:
		if err := do(ctx); ctx.Err() != nil {
			return err // nobody is left to send it again
		}
		return do(ctx)
	case Contended:
		err := answer(call, backends.ErrContended)
		err.Status, err.Code = http.StatusConflict, codeContended
		return err
	case Throttled:
		err := answer(call, backends.ErrThrottled)
		err.Status, err.Code, err.RetryAfter = http.StatusTooManyRequests, codeThrottled, f.Delay
		return err
	case Stall:
		<-ctx.Done()
		return answer(call, ctx.Err())
	case Denied:
		err := answer(call, backends.ErrPermission)
		err.Status, err.Code = http.StatusForbidden, codeDenied
		return err
	default:
		return do(ctx)
	}
}

func answer(call intercept.Call, err error) *backends.Error {
	return &backends.Error{Op: strings.ToLower(call.Method), Key: call.Key, Err: err}
}
