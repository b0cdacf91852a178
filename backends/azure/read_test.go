package azure_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/azure"
)

// A call is one of a store's methods, with its name on the wire.
type call struct {
	op, method string
	run        func(ctx context.Context, s *azure.Store) error
}

// reads are those that may be repeated.
var reads = []call{
	{"get", "GET", func(ctx context.Context, s *azure.Store) error { _, _, err := s.Get(ctx, "t/1"); return err }},
	{"head", "HEAD", func(ctx context.Context, s *azure.Store) error { _, err := s.Head(ctx, "t/1"); return err }},
	{"list", "LIST", func(ctx context.Context, s *azure.Store) error {
		_, err := s.List(ctx, backends.ListInput{Prefix: "t/1"})
		return err
	}},
	{"delete", "DELETE", func(ctx context.Context, s *azure.Store) error { return s.Delete(ctx, "t/1") }},
	{"bulkdelete", "BATCH", func(ctx context.Context, s *azure.Store) error { return s.BulkDelete(ctx, []string{"t/1"}) }},
}

func TestWhatAnAnswerToAReadProves(t *testing.T) {
	for _, tc := range []struct {
		status int
		code   string
		want   error
	}{
		{400, "", none},
		{400, "InvalidQueryParameterValue", backends.ErrInvalid},
		{401, "", backends.ErrUnauthenticated},
		{403, "", backends.ErrPermission},
		{403, "AuthorizationPermissionMismatch", backends.ErrPermission},
		{403, "AuthenticationFailed", backends.ErrUnauthenticated},
		{404, "", none},
		{404, "ContainerNotFound", backends.ErrNoBucket},
		{404, "ResourceNotFound", backends.ErrPermission},
		{408, "", none},
		{409, "", none},
		{409, "BlobArchived", none},
		{409, "BlobAlreadyExists", none},
		{409, "ContainerBeingDeleted", backends.ErrNoBucket},
		{409, "BlobUsesCustomerSpecifiedEncryption", backends.ErrUnsupported},
		{412, "", none},
		{412, "ConditionNotMet", none},
		{429, "", backends.ErrThrottled},
		{500, "", none},
		{500, "BlobNotFound", none},
		{501, "", none},
		{501, "NotImplemented", backends.ErrUnsupported},
		{502, "", none},
		{503, "ServerBusy", none},
		{504, "", none},
	} {
		for _, read := range reads {
			t.Run(fmt.Sprintf("%s %d %s", read.op, tc.status, tc.code), func(t *testing.T) {
				a := newAccount(t, read.method, answer(tc.status, tc.code))
				err := read.run(t.Context(), a.store(t))
				require.Error(t, err)
				requireOnly(t, tc.want, err)
				var typed *backends.Error
				require.ErrorAs(t, err, &typed)
				require.Equal(t, [...]any{read.op, "t/1", tc.status, tc.code, "request-7"},
					[...]any{typed.Op, typed.Key, typed.Status, typed.Code, typed.RequestID})
			})
		}
	}
}

func TestAMissingObjectIsMissing(t *testing.T) {
	store := newAccount(t, "", nil).store(t)
	_, _, err := store.Get(t.Context(), "t/1")
	requireOnly(t, backends.ErrNotExist, err)
	_, err = store.Head(t.Context(), "t/1")
	requireOnly(t, backends.ErrNotExist, err)
	require.NoError(t, store.Delete(t.Context(), "t/1"))

	// Of a listing the answer makes no sense, and must not read as an empty table.
	_, err = newAccount(t, "LIST", answer(404, "BlobNotFound")).store(t).List(t.Context(), backends.ListInput{})
	require.Error(t, err)
	requireOnly(t, none, err)
}

func TestReadsAreRetriedAsTheClientDoes(t *testing.T) {
	for _, read := range reads {
		t.Run(read.op, func(t *testing.T) {
			a := newAccount(t, read.method, func(n int, w http.ResponseWriter, _ *http.Request) bool {
				if n > 2 {
					return false
				}
				fails(w, 503, "ServerBusy")
				return true
			})
			store := a.store(t)
			_, err := store.PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
			require.NoError(t, err)
			require.NoError(t, read.run(t.Context(), store))
			require.Equal(t, 3, a.count(read.method))
		})
	}
}

func TestABrokenAnswerIsNoContent(t *testing.T) {
	const own = "HTTP/1.1 200 OK\r\nx-ms-version: 2026-12-06\r\nx-ms-blob-type: BlockBlob\r\n"
	const etag = "ETag: \"1\"\r\n"
	for name, raw := range map[string]string{
		"content cut short":         own + etag + "Content-Length: 100\r\n\r\nhalf",
		"content of a false length": own + etag + "Content-Length: 9000000000000000000\r\n\r\nhalf",
		"a part of the content":     strings.Replace(own, "200 OK", "206 Partial Content", 1) + etag + "Content-Range: bytes 0-3/7\r\nContent-Length: 4\r\n\r\ncont",
		"chunks cut short":          own + etag + "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
		"an error under a 200":      own + "Content-Length: 43\r\n\r\n<Error><Code>InternalError</Code>...</Error>",
		"a page of a captive proxy": own + "Content-Length: 26\r\n\r\n<html>please log in</html>",
		"nothing under a 200":       own + "Content-Length: 0\r\n\r\n",
		"a listing cut short": own + "Content-Length: 500\r\n\r\n" +
			"<EnumerationResults><Blobs><Blob><Name>t/1</Name></Blob>",
	} {
		for _, read := range reads[:3] {
			if read.op == "head" {
				if name != "an error under a 200" {
					continue // it has no content that could be cut
				}
				raw, _, _ = strings.Cut(raw, "<")
			}
			t.Run(name+" to "+read.op, func(t *testing.T) {
				a := newAccount(t, read.method, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
					conn, _, err := w.(http.Hijacker).Hijack()
					if err == nil {
						_, _ = io.WriteString(conn, raw)
						_ = conn.Close()
					}
					return true
				})
				err := read.run(t.Context(), a.store(t))
				require.Error(t, err)
				requireOnly(t, none, err)
			})
		}
	}
}

func TestAReadEndsWithItsContext(t *testing.T) {
	for _, read := range reads {
		t.Run(read.op, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			release := make(chan struct{})
			a := newAccount(t, read.method, func(int, http.ResponseWriter, *http.Request) bool {
				cancel()
				<-release
				return true
			})
			err := read.run(ctx, a.store(t))
			close(release)
			require.ErrorIs(t, err, context.Canceled)
			requireOnly(t, none, err)
		})
	}
}

func TestTheContentOfAnObjectEndsWithTheContext(t *testing.T) {
	// A transport may tell the cause of the end in place of the end.
	ctx, cancel := context.WithCancelCause(t.Context())
	release := make(chan struct{})
	a := newAccount(t, "GET", func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		mark(w)
		w.Header().Set("x-ms-blob-type", "BlockBlob")
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		time.AfterFunc(10*time.Millisecond, func() { cancel(errors.New("somebody left")) })
		<-release
		return true
	})
	_, _, err := a.store(t).Get(ctx, "t/1")
	close(release)
	require.ErrorIs(t, err, context.Canceled)
}

func TestTheSameObjectHasTheSameAttributesEverywhere(t *testing.T) {
	store := newAccount(t, "", nil).store(t)
	put, err := store.PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{Metadata: "note"})
	require.NoError(t, err)
	body, got, err := store.Get(t.Context(), "t/1")
	require.NoError(t, err)
	require.Equal(t, "content", string(body))
	head, err := store.Head(t.Context(), "t/1")
	require.NoError(t, err)
	page, err := store.List(t.Context(), backends.ListInput{Prefix: "t/"})
	require.NoError(t, err)

	require.Equal(t, got, head)
	require.Equal(t, "note", head.Metadata, "though the store answers with the name in another case")
	head.Metadata = ""
	require.Equal(t, put, head)
	head.VersionID = ""
	require.Equal(t, []backends.Object{{Key: "t/1", Attrs: head}}, page.Objects)
}

func TestADeleteTakesTheSnapshotsWithIt(t *testing.T) {
	a := newAccount(t, "", nil)
	require.NoError(t, a.store(t).Delete(t.Context(), "t/1"))
	require.Equal(t, "include", a.of("DELETE")[0].header.Get("x-ms-delete-snapshots"))
}

func TestCredentialsThatTheStoreRefusesAreExplained(t *testing.T) {
	const tooOld = "<AuthenticationErrorDetail>Request date header too old: 'Sun, 29 Nov 2026 10:00:00 GMT'</AuthenticationErrorDetail>"
	const expired = "<AuthenticationErrorDetail>Signature not valid in the specified time frame: Start [a] - Expiry [b] - Current [c]</AuthenticationErrorDetail>"
	for _, tc := range []struct {
		name, method, code, detail, want string
		clock                            time.Duration
	}{
		{"an expired SAS token", "GET", "AuthenticationFailed", expired, "the SAS token has expired", 0},
		{"an old date", "GET", "AuthenticationFailed", tooOld, "clock of this machine", 0},
		{"a clock that is slow", "GET", "AuthenticationFailed", tooOld, "clock of this machine is 2h0m0s behind the store's", 2 * time.Hour},
		{"a clock that is fast", "GET", "AuthenticationFailed", "", "clock of this machine is 30m0s ahead of the store's", -30 * time.Minute},
		{"a clock that is fast, without a body", "HEAD", "AuthenticationFailed", "", "clock of this machine is 30m0s ahead of the store's", -30 * time.Minute},
		{"a wrong key", "GET", "AuthenticationFailed", "", "wrong, or has expired", 0},
		{"no credentials", "GET", "NoAuthenticationInformation", "", "the request had no credentials", 0},
		{"an account that is not public", "GET", "PublicAccessNotPermitted", "", "takes no requests without credentials", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := newAccount(t, tc.method, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Date", time.Now().Add(tc.clock).UTC().Format(http.TimeFormat))
				w.Header().Set("x-ms-error-code", tc.code)
				w.WriteHeader(map[string]int{"PublicAccessNotPermitted": 409, "NoAuthenticationInformation": 401}[tc.code] +
					map[string]int{"AuthenticationFailed": 403}[tc.code])
				_, _ = io.WriteString(w, "<Error><Code>"+tc.code+"</Code>"+tc.detail+"</Error>")
				return true
			})
			store := a.store(t)
			_, _, err := store.Get(t.Context(), "t/1")
			if tc.method == "HEAD" {
				_, err = store.Head(t.Context(), "t/1")
			}
			requireOnly(t, backends.ErrUnauthenticated, err)
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestNothingIsSentForACallThatCannotSucceed(t *testing.T) {
	a := newAccount(t, "", nil)
	store := a.store(t)
	for _, key := range []string{"", "a//b", `a\b`, "a./b", "a.", "a/...", "a\ufffe"} {
		_, err := store.PutIfAbsent(t.Context(), key, nil, backends.PutOptions{})
		requireOnly(t, backends.ErrInvalid, err)
		_, _, err = store.Get(t.Context(), key)
		requireOnly(t, backends.ErrInvalid, err)
		_, err = store.Head(t.Context(), key)
		requireOnly(t, backends.ErrInvalid, err)
		requireOnly(t, backends.ErrInvalid, store.Delete(t.Context(), key))
		if key != "" {
			_, err = store.List(t.Context(), backends.ListInput{Prefix: key})
			requireOnly(t, backends.ErrInvalid, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := store.PutIfAbsent(ended, "t/1", nil, backends.PutOptions{})
	requireOnly(t, backends.ErrNotStored, err)
	for _, read := range reads {
		require.ErrorIs(t, read.run(ended, store), context.Canceled)
	}
	require.Zero(t, a.total())
	require.False(t, errors.Is(err, backends.ErrNotExist))
}
