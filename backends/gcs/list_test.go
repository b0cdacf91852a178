package gcs_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// page gives one page of a listing.
func page(w http.ResponseWriter, token string, prefixes []string, keys ...string) {
	var items []any
	for i, key := range keys {
		items = append(items, resource(key, 4, int64(i+1), "who=me"))
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"nextPageToken": token, "prefixes": prefixes, "items": items})
}

func keysOf(page backends.Page) []string {
	keys := make([]string, 0, len(page.Objects))
	for _, o := range page.Objects {
		keys = append(keys, o.Key)
	}
	return keys
}

func TestAPageIsOneRequestHoweverShort(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, r request) {
		query := r.URL.Query()
		require.Equal(t, "t/", query.Get("prefix"))
		require.Equal(t, "/", query.Get("delimiter"))
		require.Equal(t, "8", query.Get("maxResults"))
		switch query.Get("pageToken") {
		case "":
			page(w, "two", []string{"t/d/"}, "t/a")
		case "two":
			page(w, "three", nil, "t/e")
		case "three":
			page(w, "", nil)
		}
	})
	store := wi.store(t)
	in := backends.ListInput{Prefix: "t/", Limit: 8}
	first, err := store.List(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, []string{"t/a"}, keysOf(first))
	require.Equal(t, []string{"t/d/"}, first.Prefixes)
	require.NotEmpty(t, first.Token)
	require.Len(t, lines(wi.take()), 1)

	in.Token = first.Token
	second, err := store.List(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, []string{"t/e"}, keysOf(second))
	require.Len(t, lines(wi.take()), 1)

	in.Token = second.Token
	third, err := store.List(t.Context(), in)
	require.NoError(t, err)
	require.Empty(t, keysOf(third))
	require.Empty(t, third.Token)
	require.Len(t, lines(wi.take()), 1)
}

func TestAnEntryHasItsAttributesButNoMetadata(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, _ request) { page(w, "", nil, "t/a") })
	got, err := wi.store(t).List(t.Context(), backends.ListInput{Prefix: "t/"})
	require.NoError(t, err)
	require.Len(t, got.Objects, 1)
	require.EqualValues(t, 4, got.Objects[0].Size)
	require.Equal(t, "1", got.Objects[0].ETag)
	require.Equal(t, "1", got.Objects[0].VersionID)
	require.False(t, got.Objects[0].Modified.IsZero())
	require.Empty(t, got.Objects[0].Metadata)
	require.Empty(t, wi.take()[0].URL.Query().Get("maxResults"))
}

func TestStartAfterLeavesOutTheKeyAndNothingElse(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, r request) {
		require.Equal(t, "t/a", r.URL.Query().Get("startOffset"))
		page(w, "", nil, "t/a", "t/a\x01", "t/a ", "t/b")
	})
	got, err := wi.store(t).List(t.Context(), backends.ListInput{Prefix: "t/", StartAfter: "t/a"})
	require.NoError(t, err)
	require.Equal(t, []string{"t/a\x01", "t/a ", "t/b"}, keysOf(got))
}

// An emulator counts the objects of a page alone.
func TestAPageThatIsTooLongIsCut(t *testing.T) {
	wi := newWire(t, func(w http.ResponseWriter, r request) {
		switch r.URL.Query().Get("startOffset") {
		case "":
			page(w, "t/c", []string{"t/b/", "t/d/"}, "t/a")
		case "t/a\x00":
			page(w, "", []string{"t/b/", "t/d/"}, "t/c")
		case "t/b0":
			page(w, "", []string{"t/d/"}, "t/c")
		case "t/c\x00":
			page(w, "", []string{"t/d/"})
		default:
			require.Fail(t, "unexpected", r.URL.Query().Get("startOffset"))
		}
	})
	store := wi.store(t)
	in := backends.ListInput{Prefix: "t/", Limit: 1}
	var entries []string
	for {
		got, err := store.List(t.Context(), in)
		require.NoError(t, err)
		require.LessOrEqual(t, len(got.Objects)+len(got.Prefixes), 1)
		entries = append(append(entries, keysOf(got)...), got.Prefixes...)
		if got.Token == "" {
			break
		}
		in.Token = got.Token
	}
	require.Equal(t, []string{"t/a", "t/b/", "t/c", "t/d/"}, entries)
}

func TestATokenOfNoListingIsInvalid(t *testing.T) {
	wi := newWire(t, func(http.ResponseWriter, request) {})
	_, err := wi.store(t).List(t.Context(), backends.ListInput{Token: "garbage"})
	require.ErrorIs(t, err, backends.ErrInvalid)
	require.Empty(t, lines(wi.take()))
}
