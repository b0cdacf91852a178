package s3

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/middleware"
	smithytime "github.com/aws/smithy-go/time"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// A pageDecoder reads the pages of listings in the place of the SDK's decoder,
// which needs milliseconds and 55 allocations a key for it. It reads the plain XML
// that stores write, and leaves everything else to that decoder, so that a page
// means the same, and is refused the same, with either.
type pageDecoder struct {
	middleware.DeserializeMiddleware // the SDK's
}

// decodePages is an option of the SDK.
func decodePages(stack *middleware.Stack) error {
	const id = "OperationDeserializer"
	sdk, found := stack.Deserialize.Get(id)
	if stack.ID() != "ListObjectsV2" || !found {
		return nil
	}
	_, err := stack.Deserialize.Swap(id, pageDecoder{sdk})
	return err
}

// mostPage is how much of a page is read at once, in bytes. A larger one is the
// SDK's.
const mostPage = 16 << 20

func (d pageDecoder) HandleDeserialize(
	ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler,
) (middleware.DeserializeOutput, middleware.Metadata, error) {
	out, metadata, err := next.HandleDeserialize(ctx, in)
	if response, ok := out.RawResponse.(*smithyhttp.Response); ok && err == nil && response.StatusCode == http.StatusOK {
		var body strings.Builder
		body.Grow(int(min(max(response.ContentLength, 0), mostPage)))
		// An answer that breaks off is no page, or was one before.
		_, _ = io.Copy(&body, io.LimitReader(response.Body, mostPage))
		if page := readPage(body.String()); page != nil {
			_ = response.Body.Close()
			out.Result = page
			return out, metadata, nil
		}
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(strings.NewReader(body.String()), response.Body), response.Body}
	}
	return d.DeserializeMiddleware.HandleDeserialize(ctx, in, middleware.DeserializeHandlerFunc(func(
		context.Context, middleware.DeserializeInput,
	) (middleware.DeserializeOutput, middleware.Metadata, error) {
		return out, metadata, err
	}))
}

// readPage returns what the store reads of a page, nil for one that is not plain:
// elements without attributes, which are known, and printable ASCII in them.
func readPage(body string) *awss3.ListObjectsV2Output {
	p := plain{rest: body}
	p.cut(`<?xml version="1.0" encoding="UTF-8"?>`)
	p.space()
	if !p.cut(`<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`) && !p.cut("<ListBucketResult>") {
		return nil
	}
	page := &awss3.ListObjectsV2Output{Contents: make([]types.Object, 0, strings.Count(body, "<Contents>"))}
	for tag := range p.children("ListBucketResult") {
		switch tag {
		case "Contents":
			page.Contents = append(page.Contents, p.object())
		case "CommonPrefixes":
			page.CommonPrefixes = append(page.CommonPrefixes, p.prefix())
		case "Name":
			page.Name = p.kept(tag)
		case "NextContinuationToken":
			page.NextContinuationToken = p.kept(tag)
		case "IsTruncated":
			page.IsTruncated = read(&p, tag, strconv.ParseBool)
		case "KeyCount", "MaxKeys":
			read(&p, tag, strconv.Atoi)
		case "Prefix", "Delimiter", "StartAfter", "ContinuationToken", "EncodingType":
			p.text(tag)
		default:
			return nil
		}
	}
	if p.odd {
		return nil
	}
	return page
}

// object reads a Contents element.
func (p *plain) object() types.Object {
	var o types.Object
	for tag := range p.children("Contents") {
		switch tag {
		case "Key":
			o.Key = p.kept(tag)
		case "ETag":
			o.ETag = p.kept(tag)
		case "Size":
			o.Size = read(p, tag, func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) })
		case "LastModified":
			o.LastModified = read(p, tag, func(text string) (time.Time, error) { return smithytime.ParseDateTime(text) })
		case "StorageClass", "ChecksumAlgorithm", "ChecksumType":
			p.text(tag)
		default:
			p.odd = true
		}
	}
	return o
}

// prefix reads a CommonPrefixes element.
func (p *plain) prefix() types.CommonPrefix {
	var c types.CommonPrefix
	for tag := range p.children("CommonPrefixes") {
		if tag != "Prefix" {
			p.odd = true
		}
		if !p.odd {
			c.Prefix = p.kept(tag)
		}
	}
	return c
}
