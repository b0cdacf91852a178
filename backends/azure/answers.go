package azure

import (
	"encoding/xml"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"

	"github.com/lancecommit/lancecommit/backends"
)

// An answer is the status of an answer and the store's name for the error. Both
// must be as the service documents them: a code in an answer with another status
// proves nothing.
type answer struct {
	status int
	code   bloberror.Code
}

// A meaning is the sentinel that an answer proves, nil for none, and what to say
// beside it.
type meaning struct {
	is   error
	text string
}

const (
	// protects is said where a create may have lost to the object that is
	// there. It is no proof of a conflict, so the caller looks.
	protects  = "protects the object that is there, if there is one; look at it"
	malformed = "the request is malformed"
)

// meanings has the answers that mean the same for every method.
var meanings = map[answer]meaning{
	{404, bloberror.ContainerNotFound}:     {backends.ErrNoBucket, "the container does not exist"},
	{409, bloberror.ContainerBeingDeleted}: {backends.ErrNoBucket, "the container is being deleted"},
	{404, bloberror.BlobNotFound}:          {is: backends.ErrNotExist},
	// The service says so of a container that is private, to a request without
	// credentials.
	{404, bloberror.ResourceNotFound}: {backends.ErrPermission, "the container does not exist or is hidden from this caller"},

	{401, bloberror.NoAuthenticationInformation}: {is: backends.ErrUnauthenticated},
	{400, bloberror.InvalidAuthenticationInfo}:   {is: backends.ErrUnauthenticated},
	{401, bloberror.InvalidAuthenticationInfo}:   {is: backends.ErrUnauthenticated},
	{403, bloberror.InvalidAuthenticationInfo}:   {is: backends.ErrUnauthenticated},
	{403, bloberror.AuthenticationFailed}:        {is: backends.ErrUnauthenticated},
	{409, "PublicAccessNotPermitted"}:            {is: backends.ErrUnauthenticated},

	{403, bloberror.AccountIsDisabled}:               {backends.ErrPermission, "the account is disabled"},
	{403, bloberror.AuthorizationFailure}:            {backends.ErrPermission, "the credentials or the account's network rules do not allow it"},
	{403, bloberror.AuthorizationPermissionMismatch}: {backends.ErrPermission, "the SAS token or the role lacks the right"},
	{403, bloberror.AuthorizationSourceIPMismatch}:   {backends.ErrPermission, "the SAS token is for another address"},
	{403, bloberror.AuthorizationProtocolMismatch}:   {backends.ErrPermission, "the SAS token is for https"},
	{403, bloberror.ContainerDisabled}:               {backends.ErrPermission, "the container is disabled"},
	{409, bloberror.ContainerDisabled}:               {backends.ErrPermission, "the container is disabled"},

	{400, bloberror.EmptyMetadataKey}:              {backends.ErrInvalid, malformed},
	{400, bloberror.InvalidHeaderValue}:            {backends.ErrInvalid, "a header has a value that the store does not take; an old emulator refuses new service versions so"},
	{400, bloberror.InvalidInput}:                  {backends.ErrInvalid, malformed},
	{400, bloberror.InvalidMetadata}:               {backends.ErrInvalid, malformed},
	{400, bloberror.InvalidQueryParameterValue}:    {backends.ErrInvalid, "a part of the query is malformed, such as a token of another listing"},
	{400, bloberror.InvalidResourceName}:           {backends.ErrInvalid, "the store does not take the name"},
	{400, bloberror.InvalidURI}:                    {backends.ErrInvalid, "the store does not take the name"},
	{400, bloberror.MetadataTooLarge}:              {backends.ErrInvalid, malformed},
	{400, bloberror.MissingContentLengthHeader}:    {backends.ErrInvalid, malformed},
	{411, bloberror.MissingContentLengthHeader}:    {backends.ErrInvalid, malformed},
	{400, bloberror.MissingRequiredHeader}:         {backends.ErrInvalid, malformed},
	{400, bloberror.MissingRequiredQueryParameter}: {backends.ErrInvalid, malformed},
	{400, bloberror.OutOfRangeInput}:               {backends.ErrInvalid, "a part of the request is out of range, such as the length of the name"},
	{400, bloberror.OutOfRangeQueryParameterValue}: {backends.ErrInvalid, malformed},
	{400, bloberror.RequestURLFailedToParse}:       {backends.ErrInvalid, "the store does not take the name"},
	{413, bloberror.RequestBodyTooLarge}:           {backends.ErrInvalid, "the content is larger than the store takes in one request"},

	{400, bloberror.ConditionHeadersNotSupported}:         {backends.ErrUnsupported, "the store does not know the condition"},
	{400, bloberror.MultipleConditionHeadersNotSupported}: {backends.ErrUnsupported, "the store does not know the condition"},
	{400, bloberror.UnsupportedHeader}:                    {backends.ErrUnsupported, "the store does not know a header of the request"},
	{400, bloberror.UnsupportedQueryParameter}:            {backends.ErrUnsupported, "the store does not know a part of the query"},
	{405, bloberror.UnsupportedHTTPVerb}:                  {backends.ErrUnsupported, "the store does not know the method"},
	{409, bloberror.FeatureVersionMismatch}:               {backends.ErrUnsupported, "the object needs a newer version of the service"},
	{409, bloberror.BlobUsesCustomerSpecifiedEncryption}:  {backends.ErrUnsupported, "the object is encrypted with a key or scope that the request does not name"},

	{409, bloberror.AccountBeingCreated}:              {text: "the account is still being made; try again later"},
	{409, bloberror.BlobArchived}:                     {text: "the object is in the archive tier; bring it back online first"},
	{409, bloberror.BlobBeingRehydrated}:              {text: "the object is being brought back from the archive tier; try again later"},
	{409, bloberror.BlobImmutableDueToPolicy}:         {text: "an immutability policy or a legal hold " + protects},
	{409, bloberror.LeaseIDMissing}:                   {text: "a lease " + protects},
	{412, bloberror.LeaseIDMissing}:                   {text: "a lease " + protects},
	{409, bloberror.LeaseIDMismatchWithBlobOperation}: {text: "a lease " + protects},
	{412, bloberror.LeaseIDMismatchWithBlobOperation}: {text: "a lease " + protects},
	{409, bloberror.InvalidBlobType}:                  {text: "the object that is there is no block blob"},
	{403, bloberror.UnauthorizedBlobOverwrite}:        {text: "the credentials do not allow replacing the object that is there, if there is one; look at it"},
	{400, bloberror.InvalidBlockList}:                 {text: "the store refused the content, which can be a lost race; look at the object"},
	{500, bloberror.InternalError}:                    {text: "the store failed"},
	{500, bloberror.OperationTimedOut}:                {text: "the store ran out of time"},
	{503, bloberror.ServerBusy}:                       {text: "the store is busy"},
}

// putMeanings has the answers that prove something only of a create.
var putMeanings = map[answer]meaning{
	{409, bloberror.BlobAlreadyExists}:    {is: backends.ErrExists},
	{412, bloberror.ConditionNotMet}:      {is: backends.ErrExists},
	{409, bloberror.AccountBeingCreated}:  {backends.ErrNotStored, "the account is still being made; try again later"},
	{409, bloberror.ResourceTypeMismatch}: {backends.ErrNotStored, "a folder has the name"},
	{400, bloberror.MD5Mismatch}:          {backends.ErrNotStored, "the content was damaged on its way"},
	{400, bloberror.InvalidMD5}:           {backends.ErrInvalid, malformed},
}

// statuses has what a status means where the code is none of the above. Of a
// create it proves that only where the store itself gave the answer.
var statuses = map[int]meaning{
	401: {is: backends.ErrUnauthenticated},
	403: {backends.ErrPermission, "the store refuses it to this caller"},
	429: {backends.ErrThrottled, "too many requests"},
}

// notTheStores is said of answers without the mark of the store.
const notTheStores = "no error code of Azure: something between here and the store may have answered"

// codeOf returns the store's name for the error, empty where the answer is not
// the store's. Azure names it in a header of every error, and in a body of XML.
// The SDK also takes a name out of JSON and out of any <code>, as a proxy's page
// may have one.
func codeOf(err *azcore.ResponseError) string {
	if err.RawResponse == nil {
		return err.ErrorCode
	}
	if code := err.RawResponse.Header.Get("x-ms-error-code"); code != "" {
		return code
	}
	// The SDK has read it already.
	body, _ := runtime.Payload(err.RawResponse)
	var named struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
	}
	if xml.Unmarshal(body, &named) != nil {
		return ""
	}
	return named.Code
}

// meaningOf says what an answer proves of a method.
func meaningOf(op string, status int, code string) meaning {
	key := answer{status, bloberror.Code(code)}
	m, ok := putMeanings[key]
	if !ok || op != "put" {
		m, ok = meanings[key]
	}
	if !ok {
		m, ok = statuses[status]
	}
	switch {
	case code == "" && (op == "put" || !ok):
		return meaning{text: notTheStores}
	case code == "":
		return meaning{m.is, notTheStores}
	case !ok && status == 501:
		return meaning{backends.ErrUnsupported, "the store does not have what the request needs"}
	case !ok && op == "put":
		return meaning{text: "the answer proves nothing about the object"}
	case !ok:
		return meaning{text: "the store refused the request or failed"}
	case m.is == backends.ErrNotExist && (op == "put" || op == "list"):
		return meaning{text: "the answer makes no sense for this request"}
	}
	return m
}
