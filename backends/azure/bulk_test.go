package azure_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// parts returns the requests in a batch.
func parts(contentType string, body io.Reader) (ids []string, requests []*http.Request) {
	_, params, _ := mime.ParseMediaType(contentType)
	reader := multipart.NewReader(body, params["boundary"])
	for {
		part, err := reader.NextPart()
		if err != nil {
			return ids, requests
		}
		request, err := http.ReadRequest(bufio.NewReader(part))
		if err == nil {
			ids, requests = append(ids, part.Header.Get("Content-ID")), append(requests, request)
		}
	}
}

// batch answers each part with a status and, for an error, a code. A status of 0
// leaves the answer to the part out.
func batch(w http.ResponseWriter, r *http.Request, answer func(part *http.Request) (status int, code string)) {
	var all bytes.Buffer
	answers := multipart.NewWriter(&all)
	ids, requests := parts(r.Header.Get("Content-Type"), r.Body)
	for i, request := range requests {
		status, code := answer(request)
		if status == 0 {
			continue
		}
		part, _ := answers.CreatePart(textproto.MIMEHeader{"Content-Type": {"application/http"}, "Content-ID": {ids[i]}})
		fmt.Fprintf(part, "HTTP/1.1 %d %s\r\nx-ms-request-id: request-7\r\n", status, http.StatusText(status))
		if code != "" {
			fmt.Fprintf(part, "x-ms-error-code: %s\r\n", code)
		}
		_, _ = io.WriteString(part, "Content-Length: 0\r\n\r\n")
	}
	_ = answers.Close()
	mark(w)
	w.Header().Set("Content-Type", "multipart/mixed; boundary="+answers.Boundary())
	w.WriteHeader(202)
	_, _ = w.Write(all.Bytes())
}

// batches is a script that answers each part of a batch.
func batches(answer func(part *http.Request) (int, string)) func(int, http.ResponseWriter, *http.Request) bool {
	return func(_ int, w http.ResponseWriter, r *http.Request) bool {
		batch(w, r, answer)
		return true
	}
}

func TestABulkDeleteIsOneRequestWithAPartForEachKey(t *testing.T) {
	a := newAccount(t, "", nil)
	store := a.store(t)
	for _, key := range []string{"t/1", "t/exp%2Fone.json", "t/a b"} {
		_, err := store.PutIfAbsent(t.Context(), key, nil, backends.PutOptions{})
		require.NoError(t, err)
	}
	before := a.total()
	require.NoError(t, store.BulkDelete(t.Context(), []string{"t/1", "t/exp%2Fone.json", "t/absent"}))
	require.Equal(t, before+1, a.total())
	sent := a.of("BATCH")[0]
	require.True(t, strings.HasPrefix(sent.uri, root+"?"), "of the container: %s", sent.uri)
	_, deletes := parts(sent.header.Get("Content-Type"), strings.NewReader(sent.body))
	var keys []string
	for _, one := range deletes {
		require.Equal(t, "DELETE", one.Method)
		require.Equal(t, "include", one.Header.Get("x-ms-delete-snapshots"))
		keys = append(keys, strings.TrimPrefix(one.URL.Path, root+"/"))
	}
	require.Equal(t, []string{"t/1", "t/exp%2Fone.json", "t/absent"}, keys)
	page, err := store.List(t.Context(), backends.ListInput{Prefix: "t/"})
	require.NoError(t, err)
	require.Equal(t, []string{"t/a b"}, entries(page))
	require.Equal(t, 256, store.BulkLimit())
}

func TestABulkDeleteOfNoKeysSendsNothing(t *testing.T) {
	a := newAccount(t, "", nil)
	require.NoError(t, a.store(t).BulkDelete(t.Context(), nil))
	for _, key := range []string{"", `a\b`, "a.", "a\ufffe"} {
		requireOnly(t, backends.ErrInvalid, a.store(t).BulkDelete(t.Context(), []string{"t/1", key}))
	}
	require.Zero(t, a.total())
}

// The status of the whole is 202 whatever became of the parts.
func TestABulkDeleteSaysWhatBecameOfEachObject(t *testing.T) {
	for _, tc := range []struct {
		status int
		code   string
		want   error
	}{
		{403, "AuthorizationPermissionMismatch", backends.ErrPermission},
		{403, "AuthenticationFailed", backends.ErrUnauthenticated},
		{404, "ContainerNotFound", backends.ErrNoBucket},
		{404, "", none},
		{409, "BlobImmutableDueToPolicy", none},
		{412, "LeaseIdMissing", none},
		{429, "", backends.ErrThrottled},
		{500, "InternalError", none},
		{503, "ServerBusy", none},
	} {
		t.Run(fmt.Sprint(tc.status, " ", tc.code), func(t *testing.T) {
			a := newAccount(t, "BATCH", batches(func(part *http.Request) (int, string) {
				if strings.HasSuffix(part.URL.Path, "/t/2") {
					return tc.status, tc.code
				}
				return 202, ""
			}))
			err := a.store(t).BulkDelete(t.Context(), []string{"t/1", "t/2", "t/3"})
			var partial *backends.PartialDeleteError
			require.ErrorAs(t, err, &partial)
			require.Len(t, partial.Failed, 1, "the others are gone")
			failed := partial.Failed[0]
			require.Equal(t, [...]any{"delete", "t/2", tc.status, tc.code, "request-7"},
				[...]any{failed.Op, failed.Key, failed.Status, failed.Code, failed.RequestID})
			requireOnly(t, tc.want, err)
			require.NotContains(t, texts(err), "topsecret")
		})
	}
}

func TestABatchThatProvesNothingFails(t *testing.T) {
	part := func(id string) string {
		return "--b\r\nContent-Type: application/http\r\n" + id + "\r\nHTTP/1.1 202 Accepted\r\n\r\n\r\n"
	}
	for name, body := range map[string]string{
		"of a proxy":                   "<html>please log in</html>",
		"empty":                        "",
		"one part of two":              part("Content-ID: 0\r\n") + "--b--",
		"an error in place of parts":   "--b\r\n\r\nHTTP/1.1 400 Bad Request\r\n\r\nsig=topsecret%3D\r\n--b--",
		"parts that were not asked of": part("Content-ID: 7\r\n") + part("Content-ID: 8\r\n") + "--b--",
		"parts without a number":       part("") + part("") + "--b--",
		"the same part twice":          part("Content-ID: 0\r\n") + part("Content-ID: 0\r\n") + "--b--",
		"a failed part without number": part("Content-ID: 0\r\n") + "--b\r\n\r\nHTTP/1.1 500 Sorry\r\n\r\n\r\n--b--",
		"cut short":                    part("Content-ID: 0\r\n") + part("Content-ID: 1\r\n")[:20],
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t, "BATCH", func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				mark(w)
				w.Header().Set("Content-Type", "multipart/mixed; boundary=b")
				w.WriteHeader(202)
				_, _ = io.WriteString(w, body)
				return true
			})
			err := a.store(t).BulkDelete(t.Context(), []string{"t/1", "t/2"})
			require.Error(t, err)
			requireOnly(t, none, err)
			require.NotContains(t, texts(err), "topsecret")
			var typed *backends.Error
			require.True(t, errors.As(err, &typed))
		})
	}
}

func TestAPageHasTheTimeOfTheStore(t *testing.T) {
	a := newAccount(t, "LIST", func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Date", written)
		return false
	})
	page, err := a.store(t).List(t.Context(), backends.ListInput{Prefix: "t/"})
	require.NoError(t, err)
	require.Equal(t, written, page.Now.Format("Mon, 02 Jan 2006 15:04:05")+" GMT")
}
