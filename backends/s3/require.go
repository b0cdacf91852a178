package s3

import (
	"context"
	"errors"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
)

// errNotS3 is for a 200 that an S3 store does not give, such as an error in the
// body or the page of a proxy. The SDK would take it for an empty listing.
var errNotS3 = errors.New("the answer has status 200 and is not one of S3: something between here and the store may have answered")

// requireAnswers makes reads fail on such answers.
func requireAnswers(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("RequireAnswers", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		out, metadata, err := next.HandleInitialize(ctx, in)
		if err == nil && !isAnswer(out.Result) {
			err = errNotS3
		}
		return out, metadata, err
	}), middleware.Before)
}

func isAnswer(result any) bool {
	switch out := result.(type) {
	case *awss3.ListObjectsV2Output:
		return out.Name != nil && out.IsTruncated != nil
	case *awss3.GetObjectOutput:
		if out.ETag == nil {
			out.Body.Close()
		}
		return out.ETag != nil
	case *awss3.HeadObjectOutput:
		return out.ETag != nil
	}
	return true
}
