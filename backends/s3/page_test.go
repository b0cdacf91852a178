package s3_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/s3"
)

// A listing as AWS, MinIO and versitygw write it.
const (
	declaration = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	listing     = `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><Prefix>t/</Prefix>`

	ofAWS = declaration + listing + `<KeyCount>3</KeyCount><MaxKeys>1000</MaxKeys><Delimiter>/</Delimiter><IsTruncated>false</IsTruncated>` +
		`<StartAfter>t/0</StartAfter><Contents><Key>t/1&amp;&lt;&gt;&quot;</Key><LastModified>2026-11-29T17:00:00.000Z</LastModified>` +
		`<ETag>&quot;e-1&quot;</ETag><ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm><ChecksumType>FULL_OBJECT</ChecksumType>` +
		`<Size>434234</Size><StorageClass>STANDARD</StorageClass></Contents><CommonPrefixes><Prefix>t/a/</Prefix></CommonPrefixes>` +
		`<CommonPrefixes><Prefix>t/b/</Prefix></CommonPrefixes></ListBucketResult>`
	ofMinIO = declaration + listing + `<NextContinuationToken>dC9z[minio_cache:v2,return:]</NextContinuationToken>` +
		`<KeyCount>1</KeyCount><MaxKeys>1</MaxKeys><Delimiter>/</Delimiter><IsTruncated>true</IsTruncated>` +
		`<Contents><Key>t/1&amp;&#34;&#39;&lt;&gt;</Key><LastModified>2026-11-30T01:33:40.286Z</LastModified>` +
		`<ETag>&#34;9dd4&#34;</ETag><Size>1</Size><StorageClass>STANDARD</StorageClass></Contents></ListBucketResult>`
	ofVersityGW = declaration + listing + `<KeyCount>1</KeyCount><MaxKeys>3</MaxKeys><Delimiter>/</Delimiter><IsTruncated>false</IsTruncated>` +
		`<Contents><LastModified>2026-11-30T01:33:40Z</LastModified><ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm>` +
		`<ChecksumType>FULL_OBJECT</ChecksumType><ETag>&#34;9dd4&#34;</ETag><Key>t/1</Key><Size>1</Size>` +
		`<StorageClass>STANDARD</StorageClass></Contents><EncodingType></EncodingType></ListBucketResult>`
)

// answering is a client whose requests are all answered with status 200 and a body.
func answering(body string) *awss3.Client {
	return clientOf("http://127.0.0.1:1", once, func(o *awss3.Options) {
		o.HTTPClient = clientFunc(func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: http.StatusOK, Header: http.Header{"Date": {"Sun, 29 Nov 2026 18:00:00 GMT"}}, Request: r,
				Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
			}, nil
		})
	})
}

// sdkPage is the page that the SDK makes of an answer, false where there is none.
func sdkPage(ctx context.Context, body string) (backends.Page, bool) {
	out, err := answering(body).ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: aws.String("bucket")})
	if err != nil || out.Name == nil || out.IsTruncated == nil || *out.IsTruncated && aws.ToString(out.NextContinuationToken) == "" {
		return backends.Page{}, false
	}
	page := backends.Page{Token: aws.ToString(out.NextContinuationToken)}
	if now, ok := awsmiddleware.GetServerTime(out.ResultMetadata); ok {
		page.Now = now.UTC()
	}
	for _, o := range out.Contents {
		page.Objects = append(page.Objects, backends.Object{Key: aws.ToString(o.Key), Attrs: backends.Attrs{
			Size: aws.ToInt64(o.Size), ETag: quoted(aws.ToString(o.ETag)), Modified: aws.ToTime(o.LastModified).UTC(),
		}})
	}
	for _, p := range out.CommonPrefixes {
		page.Prefixes = append(page.Prefixes, aws.ToString(p.Prefix))
	}
	return page, true
}

func quoted(etag string) string {
	if etag == "" || strings.HasSuffix(etag, `"`) {
		return etag
	}
	return `"` + etag + `"`
}

// sameAsSDK requires that an answer is to the store what it is to the SDK.
func sameAsSDK(t *testing.T, body string) {
	store, err := s3.New(answering(body), "bucket")
	require.NoError(t, err)
	got, err := store.List(t.Context(), backends.ListInput{})
	want, ok := sdkPage(t.Context(), body)
	require.Equal(t, ok, err == nil, "%v", err)
	require.Equal(t, want, got)
}

func TestAPageIsWhatTheSDKMakesOfIt(t *testing.T) {
	replaced := func(old, with string) string { return strings.ReplaceAll(ofMinIO, old, with) }
	for name, body := range map[string]string{
		"AWS": ofAWS, "MinIO": ofMinIO, "versitygw": ofVersityGW, "no declaration": page,
		"another declaration": replaced("UTF-8", "utf-8"), "another encoding": replaced("UTF-8", "latin1"),
		"another namespace":           replaced("s3.amazonaws.com", "example.com"),
		"an attribute":                replaced("<Key>", `<Key a="b">`),
		"a comment":                   replaced("<Contents>", "<!-- - --><Contents>"),
		"CDATA":                       replaced("<Key>t/1", "<Key><![CDATA[t/2]]>"),
		"an empty element":            replaced("<StorageClass>STANDARD</StorageClass>", "<StorageClass/>"),
		"an unknown element":          replaced("<Size>", "<Owner><ID>i</ID></Owner><Size>"),
		"upper case":                  replaced("Contents", "CONTENTS"),
		"a character by its number":   replaced("&#34;", "&#x22;"),
		"a character of XML alone":    replaced("&#34;", "&nbsp;"),
		"an & alone":                  replaced("&amp;", "&"),
		"an end alone":                replaced("&gt;", "]]>"),
		"a letter beyond ASCII":       replaced("t/1", "t/ä"),
		"not UTF-8":                   replaced("t/1", "t/\xff"),
		"a control character":         replaced("t/1", "t/\x01"),
		"lines and indents":           strings.ReplaceAll(ofMinIO, "><", ">\r\n\t <"),
		"a size that is none":         replaced("<Size>1<", "<Size>one<"),
		"a time that is none":         replaced("2026-11-30T", "yesterday "),
		"a truth that is none":        replaced(">true<", ">maybe<"),
		"no size":                     replaced("<Size>1</Size>", ""),
		"a key twice":                 replaced("<Size>", "<Key>t/2</Key><Size>"),
		"no name":                     replaced("<Name>bucket</Name>", ""),
		"an empty name":               replaced("bucket", ""),
		"no token":                    replaced("NextContinuationToken", "Delimiter"),
		"another element in a prefix": strings.Replace(ofAWS, "t/a/</Prefix>", "t/a/</Prefix><Other>t/c/</Other>", 1),
		"no end":                      replaced("</Key>", ""),
		"the wrong end":               replaced("</Contents>", "</Content>"),
		"something behind":            ofMinIO + "<html>", "cut": ofMinIO[:len(ofMinIO)-9], "nothing": "", "HTML": html,
		"an error": declaration + "<Error><Code>InternalError</Code></Error>",
	} {
		t.Run(name, func(t *testing.T) { sameAsSDK(t, body) })
	}
}

func FuzzPage(f *testing.F) {
	for _, body := range []string{ofAWS, ofMinIO, ofVersityGW, page, html} {
		f.Add(body)
	}
	f.Fuzz(sameAsSDK)
}

// A page of the largest size is the SDK's own to read, and none is lost.
func TestAPageMayBeLong(t *testing.T) {
	spaces := strings.Repeat(" ", 17<<20)
	sameAsSDK(t, strings.Replace(ofMinIO, "<Contents>", spaces+"<Contents>", 1))
}

func TestPagesOfStoresAreReadWithoutTheSDKsDecoder(t *testing.T) {
	const keys = 1000
	for name, body := range map[string]string{"AWS": ofAWS, "MinIO": ofMinIO, "versitygw": ofVersityGW} {
		begin, end := strings.Index(body, "<Contents>"), strings.Index(body, "</Contents>")+len("</Contents>")
		var long bytes.Buffer
		fmt.Fprint(&long, body[:begin], strings.Repeat(body[begin:end], keys), body[end:])
		store, err := s3.New(answering(long.String()), "bucket")
		require.NoError(t, err)
		allocs := testing.AllocsPerRun(2, func() {
			got, err := store.List(t.Context(), backends.ListInput{})
			require.NoError(t, err)
			require.Len(t, got.Objects, keys)
		})
		require.Less(t, allocs/keys, 10.0, "%s: the SDK's decoder needs 50 and more for a key", name)
	}
}

// As the committer compares them.
func TestAnETagIsTheSameTextWhereServersLeaveTheQuotesOut(t *testing.T) {
	for _, etag := range []string{"841a2d689ad86bd1611447453c22c6fc", `"841a2d689ad86bd1611447453c22c6fc"`} {
		answer := reply{status: 200}.with("ETag", etag).with("x-amz-request-id", "REQ")
		created, err := put(t.Context(), storeOf(t, serve(t, answer)))
		require.NoError(t, err)
		seen, err := storeOf(t, serve(t, answer.with("Content-Length", "4"))).Head(t.Context(), "t/1")
		require.NoError(t, err)
		answer.body = "body"
		_, read, err := storeOf(t, serve(t, answer)).Get(t.Context(), "t/1")
		require.NoError(t, err)
		store, err := s3.New(answering(declaration+listing+"<IsTruncated>false</IsTruncated><Contents><Key>t/1</Key>"+
			"<ETag>"+strings.ReplaceAll(etag, `"`, "&quot;")+"</ETag><Size>4</Size></Contents></ListBucketResult>"), "bucket")
		require.NoError(t, err)
		page, err := store.List(t.Context(), backends.ListInput{Prefix: "t/"})
		require.NoError(t, err)

		const want = `"841a2d689ad86bd1611447453c22c6fc"`
		require.Equal(t, []string{want, want, want, want}, []string{created.ETag, seen.ETag, read.ETag, page.Objects[0].ETag}, "%s", etag)
	}
}
