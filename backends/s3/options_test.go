package s3_test

import (
	"cmp"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/s3"
)

// answerAll answers each method with success.
var answerAll = reply{act: func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", `"e"`)
	w.Header().Set("x-amz-request-id", "REQ")
	if r.Method == http.MethodGet && r.URL.Query().Has("list-type") {
		_, _ = w.Write([]byte(page))
	}
	if r.Method == http.MethodPost {
		_, _ = w.Write([]byte(deletedOne))
	}
}}

func TestEveryRequestHasWhatTheBucketDemands(t *testing.T) {
	server := serve(t, answerAll)
	store := storeOf(t, server, s3.WithRequesterPays(), s3.WithExpectedBucketOwner("123456789012"))
	for op, call := range wire {
		require.NoError(t, call(t.Context(), store), op)
	}
	require.Len(t, server.got(), len(wire))
	for _, r := range server.got() {
		require.Equal(t, []string{"requester"}, r.Header.Values("x-amz-request-payer"), r.Method)
		require.Equal(t, []string{"123456789012"}, r.Header.Values("x-amz-expected-bucket-owner"), r.Method)
		signed := r.Header.Get("Authorization")
		require.Contains(t, signed, "x-amz-request-payer")
		require.Contains(t, signed, "x-amz-expected-bucket-owner")
	}
}

func TestEveryWriteIsEncryptedAsAsked(t *testing.T) {
	const prefix = "x-amz-server-side-encryption"
	for _, tc := range []struct {
		name string
		give s3.Encryption
		want map[string]string
	}{
		{"none", s3.Encryption{}, map[string]string{prefix: "", prefix + "-aws-kms-key-id": ""}},
		{"SSE-S3", s3.Encryption{Algorithm: "AES256"}, map[string]string{prefix: "AES256"}},
		{"SSE-KMS", s3.Encryption{Algorithm: "aws:kms"}, map[string]string{prefix: "aws:kms", prefix + "-aws-kms-key-id": ""}},
		{
			"SSE-KMS with key and bucket key", s3.Encryption{Algorithm: "aws:kms", KMSKeyID: "alias/k", BucketKey: true},
			map[string]string{prefix: "aws:kms", prefix + "-aws-kms-key-id": "alias/k", prefix + "-bucket-key-enabled": "true"},
		},
		{"DSSE-KMS", s3.Encryption{Algorithm: "AWS:KMS:DSSE"}, map[string]string{prefix: "aws:kms:dsse"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := serve(t, answerAll)
			store := storeOf(t, server, s3.WithEncryption(tc.give))
			require.NoError(t, wire["put"](t.Context(), store))
			require.NoError(t, wire["overwrite"](t.Context(), store))
			for _, r := range server.got() {
				for name, want := range tc.want {
					require.Equal(t, want, r.Header.Get(name), name)
				}
			}
		})
	}
}

func TestChecksumsAreSentWhereTheyAreWanted(t *testing.T) {
	md, sha := md5.Sum([]byte("body")), sha256.Sum256([]byte("body"))
	crc := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte("body")))
	for _, tc := range []struct {
		name     string
		endpoint func(o *awss3.Options, server string)
		give     s3.Checksum
		want     map[string]string // header, "" where it must be absent
	}{
		{"none to a server of somebody else", nil, s3.ChecksumAuto, nil},
		{"the client's own to AWS", amazon, s3.ChecksumAuto, map[string]string{"x-amz-checksum-crc32": base64.StdEncoding.EncodeToString(crc)}},
		{"none to AWS when asked", amazon, s3.ChecksumNone, nil},
		{"MD5", nil, s3.ChecksumMD5, map[string]string{"Content-MD5": base64.StdEncoding.EncodeToString(md[:])}},
		{"SHA-256", nil, s3.ChecksumSHA256, map[string]string{"x-amz-checksum-sha256": base64.StdEncoding.EncodeToString(sha[:])}},
		{"SHA-256 to AWS", amazon, s3.ChecksumSHA256, map[string]string{
			"x-amz-checksum-sha256": base64.StdEncoding.EncodeToString(sha[:]),
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := serve(t, answerAll)
			client := clientOf(server.URL)
			if tc.endpoint != nil {
				client = clientOf(server.URL, func(o *awss3.Options) { tc.endpoint(o, server.Listener.Addr().String()) })
			}
			store, err := s3.New(client, "bucket", s3.WithChecksum(tc.give))
			require.NoError(t, err)
			require.NoError(t, wire["put"](t.Context(), store))
			r := server.only(t)
			for _, name := range []string{"Content-MD5", "x-amz-checksum-crc32", "x-amz-checksum-sha256"} {
				require.Equal(t, tc.want[name], r.Header.Get(name), name)
			}
			require.Equal(t, "body", server.body(), "no trailer in the body")
			require.Empty(t, r.Header.Get("x-amz-trailer"))
			require.Empty(t, r.TransferEncoding)
		})
	}
}

// amazon makes the client believe that the server is AWS.
func amazon(o *awss3.Options, server string) {
	o.BaseEndpoint = aws.String("http://s3.us-east-1.amazonaws.com")
	o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenSupported // as config has it
	o.HTTPClient = clientFunc(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Host, r.URL.Host = cmp.Or(r.Host, r.URL.Host), server
		return (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	})
}

func TestBucketsThatCannotCarryATableAreRefused(t *testing.T) {
	for _, tc := range []struct {
		name     string
		bucket   string
		endpoint string
		opt      s3.Option
		want     error
		text     string
	}{
		{"no name", "", "", nil, backends.ErrInvalid, "no name"},
		{"a folder in the name", "bucket/t", "", nil, backends.ErrInvalid, "slash"},
		{"an ARN that is none", "arn:aws", "", nil, backends.ErrInvalid, "ARN"},
		{
			"a Multi-Region Access Point", "arn:aws:s3::123456789012:accesspoint/mfzwi23gnjvgw.mrap", "", nil,
			backends.ErrUnsupported, "two regions",
		},
		{"the endpoint of one", "bucket", "https://accesspoint.s3-global.amazonaws.com", nil, backends.ErrUnsupported, "two regions"},
		{"Google", "bucket", "https://storage.googleapis.com", nil, backends.ErrUnsupported, "ignores If-None-Match"},
		{"Google with a dot", "bucket", "https://storage.googleapis.com.", nil, backends.ErrUnsupported, "ignores If-None-Match"},
		{"Google's virtual hosts", "bucket", "https://x.Storage.googleapis.com:443", nil, backends.ErrUnsupported, "ignores If-None-Match"},
		{"an endpoint that is no URL", "bucket", "localhost:9000", nil, backends.ErrInvalid, "URL"},
		{"SSE-C", "bucket", "", s3.WithEncryption(s3.Encryption{Algorithm: "sse-c"}), backends.ErrUnsupported, "SSE-C"},
		{"encryption of no kind", "bucket", "", s3.WithEncryption(s3.Encryption{Algorithm: "rot13"}), backends.ErrInvalid, "rot13"},
		{"a KMS key without KMS", "bucket", "", s3.WithEncryption(s3.Encryption{KMSKeyID: "k"}), backends.ErrInvalid, "aws:kms"},
		{"MD5 of a directory bucket", "x--use1-az4--x-s3", "", s3.WithChecksum(s3.ChecksumMD5), backends.ErrUnsupported, "SHA-256"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			client := clientOf(tc.endpoint, func(o *awss3.Options) {
				if tc.endpoint == "" {
					o.BaseEndpoint = nil
				}
			})
			var opts []s3.Option
			if tc.opt != nil {
				opts = append(opts, tc.opt)
			}
			_, err := s3.New(client, tc.bucket, opts...)
			failure(t, err, "open", tc.bucket)
			require.ErrorIs(t, err, tc.want)
			require.ErrorContains(t, err, tc.text)
		})
	}
	_, err := s3.New(nil, "bucket")
	require.ErrorIs(t, err, backends.ErrInvalid)
}

func TestAnAccessPointIsABucket(t *testing.T) {
	server := serve(t, answerAll)
	client := clientOf("", func(o *awss3.Options) {
		amazon(o, server.Listener.Addr().String())
		o.BaseEndpoint, o.UsePathStyle, o.EndpointOptions.DisableHTTPS = nil, false, true
		o.Region = "us-west-2"
	})
	for bucket, host := range map[string]string{
		"arn:aws:s3:us-west-2:123456789012:accesspoint/point": "point-123456789012.s3-accesspoint.us-west-2.amazonaws.com",
		"point-abcdef-s3alias":                                "point-abcdef-s3alias.s3.us-west-2.amazonaws.com",
	} {
		store, err := s3.New(client, bucket)
		require.NoError(t, err)
		for op, call := range wire {
			require.NoError(t, call(t.Context(), store), op)
		}
		require.Equal(t, host, server.got()[len(server.got())-1].Host)
	}
}

func TestADirectoryBucketListsInNoOrder(t *testing.T) {
	server := serve(t, answerAll)
	client := clientOf(server.URL, func(o *awss3.Options) { o.DisableS3ExpressSessionAuth = aws.Bool(true) })
	store, err := s3.New(client, "x--use1-az4--x-s3")
	require.NoError(t, err)
	require.Equal(t, backends.Capabilities{Metadata: true}, store.Capabilities())
	_, err = store.List(t.Context(), backends.ListInput{Prefix: "t/", StartAfter: "t/1"})
	failure(t, err, "list", "t/")
	require.ErrorIs(t, err, backends.ErrUnsupported)
	require.Empty(t, server.got())
	_, err = store.List(t.Context(), backends.ListInput{Prefix: "t/", Token: "next", StartAfter: "t/1"})
	require.NoError(t, err)
	require.NoError(t, store.Overwrite(t.Context(), "t/hint", []byte("1")))
	require.Empty(t, server.got()[1].Header.Get("If-None-Match"))

	ordinary := storeOf(t, server)
	require.Equal(t, backends.Capabilities{OrderedList: true, Metadata: true}, ordinary.Capabilities())
}

func TestTheCallersClientIsLeftAsItWas(t *testing.T) {
	server := serve(t, answerAll)
	client := clientOf(server.URL)
	before := client.Options()
	store, err := s3.New(client, "bucket", s3.WithRequesterPays())
	require.NoError(t, err)
	require.NoError(t, wire["put"](t.Context(), store))
	require.NoError(t, store.Close())
	after := client.Options()
	require.Len(t, after.APIOptions, len(before.APIOptions))
	require.Equal(t, before.Retryer, after.Retryer)
	require.Equal(t, before.RequestChecksumCalculation, after.RequestChecksumCalculation)
	_, err = client.HeadObject(t.Context(), &awss3.HeadObjectInput{Bucket: aws.String("bucket"), Key: aws.String("t/1")})
	require.NoError(t, err, "it works after the store was closed")
	require.Empty(t, server.got()[1].Header.Get("x-amz-request-payer"))
}
