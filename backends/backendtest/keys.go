package backendtest

import (
	"context"
	"errors"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// badKeys are what CheckKey refuses.
var badKeys = []string{
	"", "/", "/a", "a/", "a//b", ".", "..", "./a", "../a", "a/.", "a/..", "a/./b", "a/../b", "a/../../b",
	"nul\x00", "line\nfeed", "tab\t", "del\x7f", "next\u0085line", "latin\xff", strings.Repeat("k", 1025),
}

// badPrefixes are what CheckPrefix refuses.
var badPrefixes = []string{"/", "/a", "a//", "a//b", ".", "./", "../", "../a", "a/../", "a/./b", "nul\x00", "latin\xff"}

// oddKeys are parts of keys that some client or URL mangles.
var oddKeys = []string{
	"with space", "ä", "a+b", "%41", "%2F", "100%", "#", "a#b", "?", "a?b=c", "[x]", `"quoted"`, "'quoted'", "&", "a&b",
	"..x", "...x", "x..y", "-", "_", "~", "a=b", "a;b", "a,b", "a:b", "a@b", "$x", "!", "(x)", "{x}", "*", "a|b", "a^b",
	"`x`", "<x>", "日本語", "🦀", strings.Repeat("k", 200), strings.Repeat("ä", 100),
}

// oddestKeys are refused by stores that would mangle them.
var oddestKeys = []string{`a\b`, "ends in dot.", "ends in space ", " starts with space", "e\u0301", "\u00a0", "\u2028"}

// naming has the rules of keys.
var naming = []rule{
	{"a malformed key is invalid to every method", func(ctx context.Context, t reporter, s subject) {
		for _, key := range badKeys {
			s.refuses(ctx, t, key, []byte("body"), backends.PutOptions{}, backends.ErrInvalid)
			_, _, err := s.Get(ctx, key)
			wantError(t, err, "get", key, backends.ErrInvalid)
			_, err = s.Head(ctx, key)
			wantError(t, err, "head", key, backends.ErrInvalid)
			err = s.Delete(ctx, key)
			wantError(t, err, "delete", key, backends.ErrInvalid)
		}
		for _, prefix := range badPrefixes {
			_, err := s.List(ctx, in(prefix))
			wantError(t, err, "list", prefix, backends.ErrInvalid)
		}
		objects, prefixes := s.listAll(ctx, t, in(""))
		require.Empty(t, objects, "what malformed keys left")
		require.Empty(t, prefixes, "what malformed keys left")
	}},
	{"an odd key is stored as it is", func(ctx context.Context, t reporter, s subject) {
		for _, part := range oddKeys {
			s.put(ctx, t, oddKey(part), []byte(part))
		}
		for _, part := range oddKeys {
			s.holds(ctx, t, oddKey(part), []byte(part))
			s.refuses(ctx, t, oddKey(part), nil, backends.PutOptions{}, backends.ErrExists)
			s.listedAlone(ctx, t, part)
		}
		_, prefixes := s.listAll(ctx, t, in("odd/"))
		var want []string
		for _, part := range oddKeys {
			want = append(want, "odd/"+part+"/")
		}
		require.ElementsMatch(t, want, prefixes)
	}},
	{"the oddest keys are stored as they are or refused", func(ctx context.Context, t reporter, s subject) {
		for _, part := range oddestKeys {
			_, err := s.PutIfAbsent(ctx, oddKey(part), []byte(part), backends.PutOptions{})
			if err != nil {
				require.Truef(t, errors.Is(err, backends.ErrInvalid) || errors.Is(err, backends.ErrUnsupported),
					"a store that would mangle %q must refuse it with ErrInvalid or ErrUnsupported: %v", part, err)
				continue
			}
			s.holds(ctx, t, oddKey(part), []byte(part))
			s.listedAlone(ctx, t, part)
		}
	}},
	{"a key of 1,024 bytes is stored", func(ctx context.Context, t reporter, s subject) {
		key := strings.Repeat(strings.Repeat("k", 200)+"/", 5) + strings.Repeat("k", 19)
		require.Len(t, key, 1024)
		s.put(ctx, t, key, []byte("body"))
		s.holds(ctx, t, key, []byte("body"))
		objects, _ := s.listAll(ctx, t, in(key[:1005]))
		require.Equal(t, []string{key}, keysOf(objects))
	}},
	{"keys that differ a little are different", func(ctx context.Context, t reporter, s subject) {
		keys := []string{"t/a b", "t/a+b", "t/a%20b", "t/a%2Bb", "t/a%2520b", "t/ab", "t/a_b", "t/a-b"}
		s.putAll(ctx, t, keys...)
		for _, key := range keys {
			s.holds(ctx, t, key, []byte(key))
		}
		objects, _ := s.listAll(ctx, t, in("t/"))
		require.ElementsMatch(t, keys, keysOf(objects))
	}},
}

// oddKey has the part as a folder and as a name.
func oddKey(part string) string { return "odd/" + part + "/" + part }

func (s subject) listedAlone(ctx context.Context, t reporter, part string) {
	t.Helper()
	objects, _ := s.listAll(ctx, t, in("odd/"+part+"/"))
	require.Equal(t, []string{oddKey(part)}, keysOf(objects), "listing of the folder %q", part)
	objects, _ = s.listAll(ctx, t, in(oddKey(part)))
	require.Equal(t, []string{oddKey(part)}, keysOf(objects), "listing of the whole key")
}
