package s3_test

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"hash/crc32"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/s3"
)

// deletedOne is the answer to a bulk delete of the key "t/1".
const deletedOne = `<DeleteResult><Deleted><Key>t/1</Key></Deleted></DeleteResult>`

// deleteResult is the answer to a bulk delete with entries.
func deleteResult(entries string) reply {
	return reply{status: 200, body: "<DeleteResult>" + entries + "</DeleteResult>"}
}

// deleteError is the entry of an object that the store refuses to delete.
func deleteError(key, code, message string) string {
	return "<Error><Key>" + key + "</Key><Code>" + code + "</Code><Message>" + message + "</Message></Error>"
}

func TestABulkDeleteIsOneRequestWithAllKeys(t *testing.T) {
	server := serve(t, deleteResult("<Deleted><Key>t/a b</Key></Deleted><Deleted><Key>t/&lt;&amp;%2F</Key></Deleted>"))
	require.NoError(t, storeOf(t, server).BulkDelete(t.Context(), []string{"t/a b", "t/<&%2F"}))
	r := server.only(t)
	require.Equal(t, "POST", r.Method)
	require.True(t, r.URL.Query().Has("delete"))
	var sent struct {
		Quiet  bool
		Object []struct{ Key, VersionId string }
	}
	require.NoError(t, xml.Unmarshal([]byte(server.body()), &sent))
	require.False(t, sent.Quiet, "the answer must name the objects that are gone")
	require.Equal(t, []struct{ Key, VersionId string }{{"t/a b", ""}, {"t/<&%2F", ""}}, sent.Object)
}

func TestABulkDeleteOfNoKeysSendsNothing(t *testing.T) {
	server := serve(t, answerAll)
	require.NoError(t, storeOf(t, server).BulkDelete(t.Context(), nil))
	require.Empty(t, server.got())
}

// XML would turn it into another character, and so delete another object.
func TestABulkDeleteOfAKeyThatXMLCannotHaveSendsNothing(t *testing.T) {
	server := serve(t, answerAll)
	err := storeOf(t, server).BulkDelete(t.Context(), []string{"t/1", "t/\uffff"})
	failure(t, err, "bulkdelete", "t/\uffff")
	require.ErrorIs(t, err, backends.ErrInvalid)
	require.Empty(t, server.got())
}

// The status is 200 whatever became of the objects.
func TestABulkDeleteSaysWhatBecameOfEachObject(t *testing.T) {
	const gone = "<Deleted><Key>t/gone</Key></Deleted>"
	for name, tc := range map[string]struct {
		entry string
		want  error
		code  string
		says  string
	}{
		"denied":       {deleteError("t/1", "AccessDenied", "Access Denied"), backends.ErrPermission, "AccessDenied", "Access Denied"},
		"expired":      {deleteError("t/1", "ExpiredToken", "TOPSECRET"), backends.ErrUnauthenticated, "ExpiredToken", "get new credentials"},
		"throttled":    {deleteError("t/1", "TooManyRequests", "slowly"), backends.ErrThrottled, "TooManyRequests", "slowly"},
		"slow down":    {deleteError("t/1", "SlowDown", "slowly"), unknown, "SlowDown", "slowly"},
		"failed":       {deleteError("t/1", "InternalError", "sorry"), unknown, "InternalError", "sorry"},
		"not a word":   {"", unknown, "", "does not say"},
		"another key":  {"<Deleted><Key>t/10</Key></Deleted>", unknown, "", "does not say"},
		"no key named": {"<Deleted></Deleted>", unknown, "", "does not say"},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, deleteResult(gone+tc.entry))
			err := storeOf(t, server).BulkDelete(t.Context(), []string{"t/gone", "t/1"})
			var partial *backends.PartialDeleteError
			require.ErrorAs(t, err, &partial)
			require.Len(t, partial.Failed, 1, "the other object is gone")
			failed := failure(t, partial, "delete", "t/1")
			require.Equal(t, tc.code, failed.Code)
			require.ErrorContains(t, err, tc.says)
			for _, sentinel := range sentinels {
				require.Equal(t, sentinel == tc.want, errors.Is(err, sentinel), "is %q: %v", sentinel, err)
			}
			require.Len(t, server.got(), 1)
		})
	}
}

func TestAnAbsentObjectIsNoErrorToABulkDelete(t *testing.T) {
	for _, code := range []string{"NoSuchKey", "NoSuchVersion"} {
		server := serve(t, deleteResult(deleteError("t/1", code, "no key")))
		require.NoError(t, storeOf(t, server).BulkDelete(t.Context(), []string{"t/1"}), code)
	}
}

func TestABulkDeleteThatProvesNothingFails(t *testing.T) {
	for name, p := range map[string]reply{
		"200 without a body":            {status: 200},
		"200 of a proxy":                {status: 200, body: html},
		"200 with an error in the body": s3Error(200, "InternalError", "sorry"),
		"an answer that is cut":         {status: 200, body: deletedOne[:40]},
	} {
		store, err := s3.New(clientOf(serve(t, p).URL, once), "bucket")
		require.NoError(t, err)
		require.Error(t, store.BulkDelete(t.Context(), []string{"t/1"}), name)
	}
}

func TestAServerWithoutBulkDeletesIsUnsupported(t *testing.T) {
	for _, p := range []reply{s3Error(501, "NotImplemented", "no"), s3Error(405, "MethodNotAllowed", "no")} {
		store, err := s3.New(clientOf(serve(t, p).URL, once), "bucket")
		require.NoError(t, err)
		err = store.BulkDelete(t.Context(), []string{"t/1"})
		failure(t, err, "bulkdelete", "t/1")
		require.ErrorIs(t, err, backends.ErrUnsupported)
		require.ErrorContains(t, err, "DeleteObjects")
	}
}

func TestABulkDeleteIsRetriedAsTheClientDoes(t *testing.T) {
	server := serve(t, s3Error(503, "SlowDown", "slowly"), deleteResult("<Deleted><Key>t/1</Key></Deleted>"))
	require.NoError(t, storeOf(t, server).BulkDelete(t.Context(), []string{"t/1"}))
	require.Len(t, server.got(), 2)
}

func TestABulkDeleteAlwaysHasTheChecksumThatTheProtocolRequires(t *testing.T) {
	sums := map[string]func(body []byte) []byte{
		"Content-Md5":           func(body []byte) []byte { sum := md5.Sum(body); return sum[:] },
		"X-Amz-Checksum-Sha256": func(body []byte) []byte { sum := sha256.Sum256(body); return sum[:] },
		"X-Amz-Checksum-Crc32":  func(body []byte) []byte { return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body)) },
	}
	for _, tc := range []struct {
		name     string
		bucket   string
		endpoint func(o *awss3.Options, server string)
		give     s3.Checksum
		want     string
	}{
		{"MD5 to a server of somebody else", "bucket", nil, s3.ChecksumAuto, "Content-Md5"},
		{"MD5 when none is asked for", "bucket", nil, s3.ChecksumNone, "Content-Md5"},
		{"MD5", "bucket", nil, s3.ChecksumMD5, "Content-Md5"},
		{"SHA-256", "bucket", nil, s3.ChecksumSHA256, "X-Amz-Checksum-Sha256"},
		{"the SDK's to AWS", "bucket", amazon, s3.ChecksumAuto, "X-Amz-Checksum-Crc32"},
		{"the SDK's to AWS when none is asked for", "bucket", amazon, s3.ChecksumNone, "X-Amz-Checksum-Crc32"},
		{"MD5 to AWS", "bucket", amazon, s3.ChecksumMD5, "Content-Md5"},
		{"SHA-256 to AWS", "bucket", amazon, s3.ChecksumSHA256, "X-Amz-Checksum-Sha256"},
		{"no MD5 to a directory bucket", "x--use1-az4--x-s3", nil, s3.ChecksumAuto, "X-Amz-Checksum-Crc32"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := serve(t, answerAll)
			client := clientOf(server.URL, func(o *awss3.Options) {
				o.DisableS3ExpressSessionAuth = aws.Bool(true)
				if tc.endpoint != nil {
					tc.endpoint(o, server.Listener.Addr().String())
				}
			})
			store, err := s3.New(client, tc.bucket, s3.WithChecksum(tc.give))
			require.NoError(t, err)
			require.NoError(t, store.BulkDelete(t.Context(), []string{"t/1"}))
			for name, sum := range sums {
				want := ""
				if name == tc.want {
					want = base64.StdEncoding.EncodeToString(sum([]byte(server.body())))
				}
				require.Equal(t, want, server.only(t).Header.Get(name), name)
			}
			require.Equal(t, 1000, store.BulkLimit())
		})
	}
}
