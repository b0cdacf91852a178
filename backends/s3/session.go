package s3

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"github.com/lancecommit/lancecommit/backends"
)

// sessions gives a client the sessions that a directory bucket wants its requests
// to be signed with. The SDK keeps one for some minutes and has none at first, so
// that a request can need a CreateSession before it. That is a read: a client
// that does nothing else sends it, and retries it as the caller's does. The
// client of creates neither watches it nor takes it for a create.
type sessions struct {
	awss3.ExpressCredentialsProvider // the SDK's, unless the caller has another
}

// withSessions returns an option of the SDK for the store's clients.
func (s *Store) withSessions(caller *awss3.Client) func(*awss3.Options) {
	if !isDirectory(s.bucket) {
		return func(*awss3.Options) {}
	}
	asker := awss3.New(caller.Options(), s.opts.apply, func(o *awss3.Options) {
		if o.Credentials == nil {
			// The SDK does not look whether there are any.
			o.Credentials = aws.CredentialsProviderFunc(noneGiven)
		}
	})
	provider := sessions{asker.Options().ExpressCredentials}
	return func(o *awss3.Options) {
		o.ExpressCredentials = provider
		o.APIOptions = append(o.APIOptions, keepNoSession)
	}
}

func noneGiven(context.Context) (aws.Credentials, error) {
	return aws.Credentials{}, fmt.Errorf("%w: a directory bucket takes no requests without a signature; give credentials",
		backends.ErrInvalid)
}

// mostWaits is how often one request waits for a session.
const mostWaits = 3

// Retrieve implements awss3.ExpressCredentialsProvider.
func (s sessions) Retrieve(ctx context.Context, bucket string) (found aws.Credentials, err error) {
	for range mostWaits {
		found, err = s.ExpressCredentialsProvider.Retrieve(ctx, bucket)
		// The SDK asks once for all requests that wait, within the call of one of
		// them. Where only that call has ended, this one asks again.
		if !isCanceled(err) || ctx.Err() != nil {
			break
		}
	}
	if ended := ctx.Err(); err != nil && ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	if kept, ok := ctx.Value(noSessionKey{}).(*noSession); ok {
		kept.error = err
	}
	return found, err
}

// isCanceled reports whether the SDK gave a call up because its context ended.
func isCanceled(err error) bool {
	var sending *smithy.CanceledError
	var pausing *aws.RequestCanceledError
	return errors.As(err, &sending) || errors.As(err, &pausing)
}

// noSession is an error of getting a session. The request that wanted it was not
// sent.
type noSession struct{ error }

func (n noSession) Error() string { return "no session with the directory bucket: " + n.error.Error() }
func (n noSession) Unwrap() error { return n.error }

type noSessionKey struct{}

// keepNoSession is an option of the SDK that wraps errors of sessions, of which
// the SDK keeps the text only.
func keepNoSession(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("KeepNoSession", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		var kept noSession
		out, metadata, err := next.HandleInitialize(context.WithValue(ctx, noSessionKey{}, &kept), in)
		if err != nil && kept.error != nil {
			err = kept
		}
		return out, metadata, err
	}), middleware.Before)
}
