package backendtest

import (
	"context"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// keeping has the rules of what a store knows about an object.
var keeping = []rule{
	{"create, Get, Head and List agree on size, ETag and version", func(ctx context.Context, t reporter, s subject) {
		for _, key := range []string{"t/1.manifest", "t/2.manifest"} {
			created := s.put(ctx, t, key, bodyOf(key, 600))
			require.EqualValues(t, 600, created.Size, "size that the create told")
			require.NotEmpty(t, created.ETag, "ETag that the create told")
			got := s.holds(ctx, t, key, bodyOf(key, 600))
			s.agree(t, "create and Get", created, got)
			s.agree(t, "Get and Head", got, s.head(ctx, t, key))
			page, err := s.List(ctx, backends.ListInput{Prefix: key})
			require.NoError(t, err)
			require.Len(t, page.Objects, 1, "objects that start with %q", key)
			s.agree(t, "Get and List", got, page.Objects[0].Attrs)
		}
	}},
	{"the time of an object is when it was written", func(ctx context.Context, t reporter, s subject) {
		s.put(ctx, t, "t/key", []byte("body"))
		head := s.head(ctx, t, "t/key").Modified
		require.False(t, head.IsZero(), "Head must tell a time")
		get := s.holds(ctx, t, "t/key", []byte("body")).Modified
		page, err := s.List(ctx, backends.ListInput{Prefix: "t/key"})
		require.NoError(t, err)
		require.Len(t, page.Objects, 1)
		// Headers of HTTP have whole seconds, listings have parts of them.
		require.WithinDuration(t, head, get, time.Second, "Head and Get")
		require.WithinDuration(t, head, page.Objects[0].Modified, time.Second, "Head and List")
	}},
	{"a store's own time is not before that of the objects that it lists", func(ctx context.Context, t reporter, s subject) {
		s.putAll(ctx, t, "t/1", "t/2")
		for _, limit := range []int{0, 1} {
			for _, page := range s.pages(ctx, t, backends.ListInput{Prefix: "t/", Limit: limit}) {
				for _, o := range page.Objects {
					require.Falsef(t, !page.Now.IsZero() && page.Now.Before(o.Modified.Add(-coarseness)),
						"Now of the page is %v, and %q was written at %v", page.Now, o.Key, o.Modified)
				}
			}
		}
	}},
	{"objects with different bytes have different ETags", func(ctx context.Context, t reporter, s subject) {
		one := s.put(ctx, t, "t/one", []byte("one"))
		two := s.put(ctx, t, "t/two", []byte("two"))
		require.NotEqual(t, one.ETag, two.ETag)
	}},
	{"an object that is created again with other bytes has another ETag", func(ctx context.Context, t reporter, s subject) {
		s.put(ctx, t, "t/key", []byte("first"))
		first := s.head(ctx, t, "t/key")
		require.NoError(t, s.Delete(ctx, "t/key"))
		s.put(ctx, t, "t/key", []byte("second, and longer"))
		require.NotEqual(t, first.ETag, s.head(ctx, t, "t/key").ETag)
	}},
	{"metadata comes back from Get and Head and is in no listing", func(ctx context.Context, t reporter, s subject) {
		for key, metadata := range map[string]string{
			"t/none": "", "t/short": "x", "t/all": printable(),
			"t/longest": strings.Repeat("m", backends.MaxMetadataSize),
		} {
			_, err := s.PutIfAbsent(ctx, key, []byte("body"), backends.PutOptions{Metadata: metadata})
			require.NoErrorf(t, err, "create of %q with %d bytes of metadata", key, len(metadata))
			want := metadata
			if !s.Capabilities().Metadata {
				want = ""
			}
			require.Equal(t, want, s.head(ctx, t, key).Metadata, "metadata from Head of %q", key)
			require.Equal(t, want, s.holds(ctx, t, key, []byte("body")).Metadata, "metadata from Get of %q", key)
		}
		objects, _ := s.listAll(ctx, t, backends.ListInput{Prefix: "t/"})
		for _, o := range objects {
			require.Empty(t, o.Metadata, "metadata of %q in a listing", o.Key)
		}
	}},
	{"a refused create leaves the metadata", func(ctx context.Context, t reporter, s subject) {
		_, err := s.PutIfAbsent(ctx, "t/key", []byte("body"), backends.PutOptions{Metadata: "first"})
		require.NoError(t, err)
		before := s.head(ctx, t, "t/key").Metadata
		s.refuses(ctx, t, "t/key", []byte("body"), backends.PutOptions{Metadata: "second"}, backends.ErrExists)
		require.Equal(t, before, s.head(ctx, t, "t/key").Metadata)
	}},
	{"metadata that some store cannot keep is refused by all", func(ctx context.Context, t reporter, s subject) {
		for _, metadata := range []string{
			strings.Repeat("m", backends.MaxMetadataSize+1), "a space", "line\n", "tab\t", "nul\x00", "ä", "\x7f", "\xff",
		} {
			s.refuses(ctx, t, "t/key", []byte("body"), backends.PutOptions{Metadata: metadata}, backends.ErrInvalid)
			s.lacks(ctx, t, "t/key")
		}
	}},
}

// coarseness is how far the times in headers of HTTP, which have whole seconds,
// can be off, and what a disk's clock lags behind.
const coarseness = 2 * time.Second

func (s subject) agree(t reporter, who string, a, b backends.Attrs) {
	t.Helper()
	require.Equal(t, a.Size, b.Size, "size from %s", who)
	require.Equal(t, a.ETag, b.ETag, "ETag from %s", who)
	if a.VersionID != "" && b.VersionID != "" {
		require.Equal(t, a.VersionID, b.VersionID, "version from %s", who)
	}
}

// printable returns each character that metadata may have.
func printable() string {
	var b strings.Builder
	for c := byte('!'); c <= '~'; c++ {
		b.WriteByte(c)
	}
	return b.String()
}
