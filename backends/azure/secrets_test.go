package azure_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// texts returns all that a program could print of an error.
func texts(err error) string {
	var b strings.Builder
	var walk func(error)
	walk = func(err error) {
		if err == nil {
			return
		}
		fmt.Fprintf(&b, "%v\n%+v\n", err, err)
		var typed *backends.Error
		if errors.As(err, &typed) {
			fmt.Fprintf(&b, "%#v\n", *typed)
		}
		switch wrapped := err.(type) {
		case interface{ Unwrap() error }:
			walk(wrapped.Unwrap())
		case interface{ Unwrap() []error }:
			for _, each := range wrapped.Unwrap() {
				walk(each)
			}
		}
	}
	walk(err)
	return b.String()
}

func TestNoErrorHasACredential(t *testing.T) {
	for name, script := range map[string]func(int, http.ResponseWriter, *http.Request) bool{
		"a dropped connection": drop,
		"an answer that repeats the signature": func(_ int, w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(403)
			_, _ = io.WriteString(w, "<Error><Code>AuthenticationFailed</Code><AuthenticationErrorDetail>The MAC signature "+
				"found in the HTTP request 'topsecret=' is not the same as any computed signature.</AuthenticationErrorDetail></Error>")
			return true
		},
		"an answer that repeats the URL": func(_ int, w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, "<Error><Code>InvalidUri</Code><Message>"+r.RequestURI+"</Message></Error>")
			return true
		},
		"a code that repeats the URL": func(_ int, w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("x-ms-error-code", r.RequestURI)
			w.WriteHeader(400)
			return true
		},
		"an id of the request that repeats the URL": func(_ int, w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("x-ms-request-id", r.RequestURI)
			w.WriteHeader(403)
			return true
		},
		"a redirect to a broken URL": func(_ int, w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Location", "http://other host/?"+r.URL.RawQuery)
			w.WriteHeader(307)
			return true
		},
		"a redirect in a circle": func(_ int, w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Location", r.RequestURI)
			w.WriteHeader(307)
			return true
		},
		"another protocol": func(_ int, w http.ResponseWriter, r *http.Request) bool {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, "HTTP/9 "+r.RequestURI+"\r\n\r\n")
				_ = conn.Close()
			}
			return true
		},
	} {
		for _, method := range []string{"PUT", "GET", "LIST", "BATCH"} {
			t.Run(name+" to "+method, func(t *testing.T) {
				a := newAccount(t, method, script)
				store := a.store(t)
				_, putErr := store.PutIfAbsent(t.Context(), "t/1", []byte("content"), backends.PutOptions{})
				_, _, getErr := store.Get(t.Context(), "t/1")
				_, listErr := store.List(t.Context(), backends.ListInput{})
				bulkErr := store.BulkDelete(t.Context(), []string{"t/1"})
				failed := map[string]error{"PUT": putErr, "GET": getErr, "LIST": listErr, "BATCH": bulkErr}[method]
				require.Error(t, failed)
				require.NotContains(t, texts(failed), "topsecret")
				require.NotContains(t, texts(failed), "se=2030")
				if method == "PUT" && !strings.Contains(name, "repeats") {
					requireOnly(t, none, failed)
				}
			})
		}
	}
}
