package s3_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// A proxy, a gateway or a firewall can refuse the answer as well as the request,
// when the object is there already.
func TestWhatIsNotTheStoresOwnAnswerProvesNothingOfACreate(t *testing.T) {
	for name, body := range map[string]string{
		"no body":                        "",
		"a page":                         html,
		"a page that is no XML":          "<html><br>Blocked",
		"a page with a code":             "<html><Code>PreconditionFailed</Code><Message>taken</Message></html>",
		"XML of a gateway":               "<Response><Message>AccessDenied</Message></Response>",
		"JSON of a gateway":              `{"Code":"AccessDenied"}`,
		"an error in XML without a code": "<Error><Message>No.</Message></Error>",
		"an error in XML that is cut":    "<Error><Code>AccessDenied</Code>",
	} {
		t.Run(name, func(t *testing.T) {
			status := 0
			server := serve(t, reply{act: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("x-amz-request-id", "REQ") // a proxy that passes headers on
				w.WriteHeader(status)
				_, _ = w.Write([]byte(body))
			}})
			store := storeOf(t, server)
			for status = 400; status <= 504; status++ {
				_, err := put(t.Context(), store)
				failed := failure(t, err, "put", "t/1")
				requireOnly(t, err, unknown)
				require.Equal(t, status, failed.Status)
				require.Empty(t, failed.Code)
				require.ErrorContains(t, err, "something between here and the store may have answered")
			}
			require.Len(t, server.got(), 105)
		})
	}
}

func TestWhatIsTheStoresOwnAnswerRefusesACreate(t *testing.T) {
	want := map[int]error{
		400: backends.ErrInvalid, 401: backends.ErrUnauthenticated, 403: backends.ErrPermission,
		429: backends.ErrThrottled, 501: backends.ErrUnsupported,
	}
	for name, body := range map[string]string{
		"a code": "<Error><Code>SomethingNew</Code><Message>no</Message></Error>",
		"no more than a code": "<?xml version=\"1.0\"?><Error xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">" +
			"<Code>SomethingNew</Code></Error>",
	} {
		t.Run(name, func(t *testing.T) {
			status := 0
			server := serve(t, reply{act: func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				_, _ = w.Write([]byte(body))
			}})
			store := storeOf(t, server)
			for status = 400; status <= 504; status++ {
				_, err := put(t.Context(), store)
				require.Equal(t, "SomethingNew", failure(t, err, "put", "t/1").Code)
				requireOnly(t, err, want[status])
				require.NotContains(t, err.Error(), "something between")
			}
		})
	}
}

// Only the name counts, though it can be the words of the status.
func TestACodeInTheWordsOfTheStatusIsTheStoresOwn(t *testing.T) {
	for status, want := range map[int]error{403: backends.ErrPermission, 412: backends.ErrExists} {
		text := http.StatusText(status)
		code := map[int]string{403: "Forbidden", 412: "PreconditionFailed"}[status]
		_, err := put(t.Context(), storeOf(t, serve(t, s3Error(status, code, text))))
		requireOnly(t, err, want)
	}
}

func TestAnAbsentObjectHasTheMarkOfTheStore(t *testing.T) {
	bare := reply{status: 404}
	for _, tc := range []struct {
		name     string
		replies  []reply
		want     error
		requests int
	}{
		{"an id of the request", []reply{bare.with("x-amz-request-id", "REQ")}, backends.ErrNotExist, 1},
		{"an id of the host", []reply{bare.with("x-amz-id-2", "HOST")}, backends.ErrNotExist, 1},
		{"no mark, and the key is absent", []reply{bare, s3Error(404, "NoSuchKey", "no key")}, backends.ErrNotExist, 2},
		{"no mark, and the bucket is absent", []reply{bare, s3Error(404, "NoSuchBucket", "no bucket")}, backends.ErrNoBucket, 2},
		{"no mark, and the credentials are refused", []reply{bare, s3Error(403, "InvalidAccessKeyId", "no")}, backends.ErrUnauthenticated, 2},
		{"no mark, and the object is there", []reply{bare, object}, unknown, 2},
		{"no mark, and a page", []reply{bare, {status: 404, body: html}}, unknown, 2},
		{"no mark, and an error of another kind", []reply{bare, s3Error(400, "SomethingNew", "no")}, unknown, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := serve(t, tc.replies...)
			_, err := storeOf(t, server).Head(t.Context(), "t/1")
			failure(t, err, "head", "t/1")
			requireOnly(t, err, tc.want)
			if tc.want == unknown {
				require.ErrorContains(t, err, "something between here and the store may have answered")
			}
			var asked []string
			for _, r := range server.got() {
				asked = append(asked, fmt.Sprint(r.Method, r.URL.Path, r.Header.Get("Range")))
			}
			require.Equal(t, []string{"HEAD/bucket/t/1", "GET/bucket/t/1bytes=0-0"}[:tc.requests], asked)
		})
	}
}

// What a captive portal or a load balancer answers to everything, with the ETag
// that web servers give their pages.
var portal = reply{status: 200, header: map[string]string{"ETag": `"portal"`, "Content-Length": "4"}}

func TestASuccessHasTheMarkOfTheStoreOrTheSumOfTheBody(t *testing.T) {
	sum := `"841a2d689ad86bd1611447453c22c6fc"` // of "body"
	for _, tc := range []struct {
		name  string
		reply reply
		want  bool
	}{
		{"an id of the request", reply{status: 200}.with("ETag", `"e"`).with("x-amz-request-id", "REQ"), true},
		{"another header of S3", reply{status: 200}.with("ETag", `"e"`).with("x-amz-version-id", "v1"), true},
		{"no mark, and the MD5 of the body", reply{status: 200}.with("ETag", sum), true},
		{"no mark, and another ETag", reply{status: 200}.with("ETag", `"e"`), false},
		{"no mark, and a weak ETag", reply{status: 200}.with("ETag", `W/"e"`), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := put(t.Context(), storeOf(t, serve(t, tc.reply)))
			if tc.want {
				require.NoError(t, err)
				return
			}
			failure(t, err, "put", "t/1")
			requireOnly(t, err, unknown)
			require.ErrorContains(t, err, "something between here and the store may have answered")
		})
	}
}

func TestAnObjectThatIsThereHasTheMarkOfTheStore(t *testing.T) {
	bare := reply{status: 200, header: map[string]string{"ETag": `"e"`, "Content-Length": "4"}}
	listed := reply{status: 200, body: page}
	for _, tc := range []struct {
		name     string
		replies  []reply
		want     bool
		requests int
	}{
		{"an id of the request", []reply{bare.with("x-amz-request-id", "REQ")}, true, 1},
		{"metadata of ours", []reply{bare.with("x-amz-meta-lancecommit", "who=me")}, true, 1},
		{"no mark, and a listing shows it", []reply{bare, listed}, true, 2},
		{"no mark, and a listing shows another ETag", []reply{portal, listed}, false, 2},
		{"no mark, and a listing shows another size", []reply{bare.with("Content-Length", "5"), listed}, false, 2},
		{"no mark, and a listing does not show it", []reply{bare, {status: 200, body: emptyPage}}, false, 2},
		{"no mark, and a page", []reply{bare, {status: 200, body: html}}, false, 2},
		{"no mark, and the listing is refused", []reply{bare, s3Error(403, "AccessDenied", "no")}, false, 2},
		{"no mark and no ETag", []reply{{status: 200}}, false, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := serve(t, tc.replies...)
			attrs, err := storeOf(t, server).Head(t.Context(), "t/1")
			require.Len(t, server.got(), tc.requests)
			if tc.want {
				require.NoError(t, err)
				require.Equal(t, `"e"`, attrs.ETag)
				return
			}
			failure(t, err, "head", "t/1")
			requireOnly(t, err, unknown)
			require.ErrorContains(t, err, "something between here and the store may have answered")
		})
	}
}

func TestContentHasTheMarkOfTheStoreOrItsSum(t *testing.T) {
	for _, tc := range []struct {
		name string
		etag string
		mark bool
		want bool
	}{
		{"a mark", `"e"`, true, true},
		{"no mark, and its MD5", `"841a2d689ad86bd1611447453c22c6fc"`, false, true},
		{"no mark, and another ETag", `"e"`, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			answer := reply{status: 200, body: "body"}.with("ETag", tc.etag)
			if tc.mark {
				answer = answer.with("x-amz-id-2", "HOST")
			}
			body, _, err := storeOf(t, serve(t, answer)).Get(t.Context(), "t/1")
			if tc.want {
				require.NoError(t, err)
				require.Equal(t, "body", string(body))
				return
			}
			failure(t, err, "get", "t/1")
			requireOnly(t, err, unknown)
		})
	}
}

const emptyPage = `<ListBucketResult><Name>bucket</Name><Prefix>t/1</Prefix><IsTruncated>false</IsTruncated></ListBucketResult>`

func TestADeleteHasTheMarkOfTheStoreOrTheObjectIsGone(t *testing.T) {
	bare, gone := reply{status: 204}, reply{status: 404}.with("x-amz-request-id", "REQ")
	for _, tc := range []struct {
		name     string
		replies  []reply
		want     bool
		requests int
	}{
		{"an id of the request", []reply{bare.with("x-amz-request-id", "REQ")}, true, 1},
		{"no mark, and the object is gone", []reply{bare, gone}, true, 2},
		{"no mark, and the object is there", []reply{bare, object}, false, 2},
		{"no mark, and the same answer to all", []reply{{status: 200, header: map[string]string{"ETag": `"portal"`}}}, false, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := serve(t, tc.replies...)
			err := storeOf(t, server).Delete(t.Context(), "t/1")
			require.Len(t, server.got(), tc.requests)
			if tc.want {
				require.NoError(t, err)
				return
			}
			failure(t, err, "delete", "t/1")
			requireOnly(t, err, unknown)
		})
	}
}

// A proxy or another server than AWS may say anything.
func TestAServerThatRepeatsTheRequestLeaksNoCredentials(t *testing.T) {
	const form = `<Error><Key>t/1</Key><Code>%s</Code><Message>%s</Message></Error>`
	for name, say := range map[string]func(w http.ResponseWriter, sent string) string{
		"as a code":    func(_ http.ResponseWriter, sent string) string { return fmt.Sprintf(form, sent, "no") },
		"as a message": func(_ http.ResponseWriter, sent string) string { return fmt.Sprintf(form, "AccessDenied", sent) },
		"as the id of the request": func(w http.ResponseWriter, sent string) string {
			w.Header().Set("x-amz-request-id", sent)
			return fmt.Sprintf(form, "AccessDenied", "no")
		},
		"as the region": func(w http.ResponseWriter, sent string) string {
			w.Header().Set("x-amz-bucket-region", sent)
			return fmt.Sprintf(form, "PermanentRedirect", "no")
		},
	} {
		t.Run(name, func(t *testing.T) {
			answer := reply{act: func(w http.ResponseWriter, r *http.Request) {
				said := say(w, r.Header.Get("Authorization")+" and "+r.Header.Get("X-Amz-Security-Token"))
				if r.URL.Query().Has("delete") {
					_, _ = io.WriteString(w, "<DeleteResult>"+said+"</DeleteResult>")
					return
				}
				w.WriteHeader(http.StatusForbidden)
				_, _ = io.WriteString(w, said)
			}}
			store := storeOf(t, serve(t, answer))
			for op, request := range wire {
				err := request(t.Context(), store)
				require.Error(t, err, op)
				var failed *backends.Error
				require.ErrorAs(t, err, &failed)
				for _, secret := range secrets {
					require.NotContains(t, err.Error()+failed.Code+failed.RequestID, secret, op)
				}
			}
		})
	}
}
