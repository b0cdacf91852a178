package azure

import (
	"context"
	"net/http"
	"sync"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"

	"github.com/lancecommit/lancecommit/backends"
)

// An attempt is one create on its way: its context, what it sends and what was
// answered. It is one piece of memory, since a create is measured by those, too.
type attempt struct {
	context.Context
	content content
	upload  blockblob.UploadOptions
	answer  *http.Response
}

// once is a context in which the SDK does not retry, and shows what was answered.
var once = watched(policy.WithRetryOptions(context.Background(), policy.RetryOptions{MaxRetries: -1}), new(*http.Response))

// Value implements context.Context. It overrules what the caller's context says
// of retries, and has the SDK put the answer into the attempt.
func (a *attempt) Value(key any) any {
	switch value := once.Value(key).(type) {
	case nil:
		return a.Context.Value(key)
	case **http.Response:
		return &a.answer
	default:
		return value
	}
}

// absent is the condition of every create. The SDK only reads it.
var absent = &blob.AccessConditions{
	ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfNoneMatch: to.Ptr(azcore.ETagAny)},
}

// A label is the metadata of one create as the SDK takes it.
type label struct {
	text  string
	entry map[string]*string
}

// labels are used again: the SDK makes the headers from a label before it sends
// them, and sends them once.
var labels = sync.Pool{New: func() any {
	l := new(label)
	l.entry = map[string]*string{backends.MetadataName: &l.text}
	return l
}}
