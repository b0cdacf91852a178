package azure_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// pages is a script that answers a listing with pages, each of its keys and, but
// for the last one, a marker.
func pages(all ...[]string) func(int, http.ResponseWriter, *http.Request) bool {
	return func(n int, w http.ResponseWriter, r *http.Request) bool {
		at := 0
		_, _ = fmt.Sscanf(r.URL.Query().Get("marker"), "2!page.%d", &at)
		var b strings.Builder
		b.WriteString("<EnumerationResults><Blobs>")
		for _, key := range all[at] {
			kind := "Blob"
			if strings.HasSuffix(key, "/") {
				kind = "BlobPrefix"
			}
			fmt.Fprintf(&b, "<%s><Name>", kind)
			_ = xml.EscapeText(&b, []byte(key))
			fmt.Fprintf(&b, "</Name></%s>", kind)
		}
		b.WriteString("</Blobs><NextMarker>")
		if at+1 < len(all) {
			fmt.Fprintf(&b, "2!page.%d", at+1)
		}
		b.WriteString("</NextMarker></EnumerationResults>")
		mark(w)
		_, _ = io.WriteString(w, b.String())
		return true
	}
}

// entries returns what a page holds.
func entries(page backends.Page) []string {
	got := []string{}
	for _, o := range page.Objects {
		got = append(got, o.Key)
	}
	return append(got, page.Prefixes...)
}

func TestAPageIsOneRequest(t *testing.T) {
	a := newAccount(t, "LIST", pages([]string{"t/1", "t/2"}, []string{}, []string{"t/3", "t/f/"}))
	store := a.store(t)
	in := backends.ListInput{Prefix: "t/", Limit: 2}
	for n, want := range [][]string{{"t/1", "t/2"}, {}, {"t/3", "t/f/"}} {
		page, err := store.List(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, want, entries(page))
		require.Equal(t, n+1, a.total())
		in.Token = page.Token
	}
	require.Empty(t, in.Token)
	for n, sent := range a.requests {
		query, err := url.ParseQuery(sent.uri[strings.Index(sent.uri, "?")+1:])
		require.NoError(t, err)
		require.Equal(t, "t/", query.Get("prefix"))
		require.Equal(t, "/", query.Get("delimiter"))
		require.Equal(t, "2", query.Get("maxresults"))
		require.Equal(t, [...]string{"", "2!page.1", "2!page.2"}[n], query.Get("marker"))
	}
}

func TestALimitIsWhatTheStoreTakes(t *testing.T) {
	for limit, want := range map[int]string{0: "", 8: "8", 5000: "5000", 1 << 40: "5000"} {
		a := newAccount(t, "", nil)
		_, err := a.store(t).List(t.Context(), backends.ListInput{Prefix: "t/", Limit: limit})
		require.NoError(t, err)
		query, err := url.ParseQuery(a.requests[0].uri[strings.Index(a.requests[0].uri, "?")+1:])
		require.NoError(t, err)
		require.Equal(t, want, query.Get("maxresults"))
	}
}

func TestStartAfterCostsOneRequestAPage(t *testing.T) {
	a := newAccount(t, "LIST", pages([]string{"t/1", "t/2"}, []string{"t/3", "t/4", "t/a/"}, []string{"t/5", "t/f/"}))
	store := a.store(t)
	in := backends.ListInput{Prefix: "t/", StartAfter: "t/3"}
	for n, want := range [][]string{{}, {"t/4", "t/a/"}, {"t/5", "t/f/"}} {
		page, err := store.List(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, want, entries(page), "page %d", n+1)
		require.Equal(t, n+1, a.total())
		in = backends.ListInput{Prefix: "t/", Token: page.Token, StartAfter: "t/9"} // ignored beside a token
	}
	require.Empty(t, in.Token)
}

func TestATokenOfAnotherStoreIsInvalid(t *testing.T) {
	a := newAccount(t, "", nil)
	for _, token := range []string{"x", ".", "!.marker", "marker"} {
		_, err := a.store(t).List(t.Context(), backends.ListInput{Token: token})
		requireOnly(t, backends.ErrInvalid, err)
	}
	require.Zero(t, a.total())
}

func TestAKeyIsOnTheWireAsItIs(t *testing.T) {
	for _, part := range []string{
		"plain", "with space", "ä", "日本語", "a+b", "%41", "exp%2Fone.json", "100%", "#", "a?b=c", "[x]", "&", "a&b", `"q"`, "'", "..x",
		"a;b", "a:b", "a@b", "$x", "!", "(x)", "*", "a|b", "a^b", "`", "<x>", "~", "a=b", "a,b", " lead", "trail ",
	} {
		t.Run(part, func(t *testing.T) {
			a := newAccount(t, "", nil)
			store := a.store(t)
			key := part + "/_versions/" + part
			_, err := store.PutIfAbsent(t.Context(), key, []byte("content"), backends.PutOptions{})
			require.NoError(t, err)
			_, _, err = store.Get(t.Context(), key)
			require.NoError(t, err)
			_, err = store.Head(t.Context(), key)
			require.NoError(t, err)
			page, err := store.List(t.Context(), backends.ListInput{Prefix: part + "/_versions/"})
			require.NoError(t, err)
			require.Equal(t, []string{key}, entries(page))
			require.NoError(t, store.Delete(t.Context(), key))

			for _, sent := range a.requests {
				u, err := url.ParseRequestURI(sent.uri)
				require.NoError(t, err)
				if sent.method == "LIST" {
					require.Equal(t, root, u.Path)
					require.Equal(t, part+"/_versions/", u.Query().Get("prefix"))
					continue
				}
				require.Equal(t, root+"/"+key, u.Path, "%s %s", sent.method, sent.uri)
				require.Equal(t, "topsecret=", u.Query().Get("sig"), "the client's own query stays")
			}
		})
	}
}
