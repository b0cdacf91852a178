package all

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

func TestAFolderThatLanceWouldReadAsAnotherIsRefused(t *testing.T) {
	for folder, says := range map[string]string{
		"a\tb": "control character", "a\nb": "control character", "a\rb": "control character", "a\x01b": "control character",
		"a\x7fb": "control character", "a\u0085b": "control character", "\tb": "control character",
		"a ": "white space", "a\t": "white space", "a\n": "white space", "a/b ": "white space", "a/ ": "white space",
		"a/%2e%2e/b": `"%2e%2e"`, "a/%2E%2e/b": `"%2E%2e"`, "a/.%2e/b": `".%2e"`, "a/%2e./b": `"%2e."`, "a/%2e/b": `"%2e"`, "%2e%2e": `"%2e%2e"`,
		"a/../b": `part ".."`, "a/./b": `part "."`, "a//b": "part",
		"a\xffb": "not UTF-8",
	} {
		for _, location := range []string{"s3://bucket/" + folder, "gs://bucket/" + folder, "az://box/" + folder} {
			_, _, err := Open(t.Context(), location, map[string]string{"anonymous": "true"})
			require.ErrorIs(t, err, backends.ErrInvalid, "%q", location)
			require.ErrorContains(t, err, says, "%q", location)
		}
		if says == "part" { // prefix= loses slashes at its ends only
			continue
		}
		_, _, err := Open(t.Context(), "gs://bucket/t", map[string]string{"prefix": "x/" + folder + "/"})
		if folder != "a " && folder != "a/b " && folder != "a/ " { // not at the end any more
			require.ErrorIs(t, err, backends.ErrInvalid, "%q", folder)
		}
		_, _, err = Open(t.Context(), "gs://bucket", map[string]string{"prefix": "x/" + folder})
		require.ErrorIs(t, err, backends.ErrInvalid, "%q", folder)
	}
	for _, location := range []string{"s3:// bucket/t", "s3://buc\tket/t", "s3://bucket ", "s3://bucket/t?region=r ", "file:///data/t "} {
		_, _, err := Open(t.Context(), location, nil)
		require.ErrorIs(t, err, backends.ErrInvalid, "%q", location)
		require.Regexp(t, "white space|control character", err.Error(), "%q", location)
	}
}

// The keys are those that LanceDB 0.31 writes to.
func TestTheKeyOfAFolderIsLances(t *testing.T) {
	for folder, key := range map[string]string{
		" a":           "%20a",
		"a b":          "a%20b",
		"a^b":          "a^b",
		"ä/\U0001f600": "%C3%A4/%F0%9F%98%80",
		"x\u00a0":      "x%C2%A0",
		"a\"b<c>d`e":   "a%22b%3Cc%3Ed%60e",
		"{a}|b[c]":     "%7Ba%7D|b[c]",
		"!$&'()*+,-.":  "!$&'()*+,-.",
		":;=@_~":       ":;=@_~",
		"a%2Fb%5E":     "a%2Fb%5E",
		"a%2e%2eb":     "a%2e%2eb",
		"a..b/..c":     "a..b/..c",
		"%":            "%",
		"%20":          "%20",
	} {
		require.Equal(t, key, at(t, "s3://bucket/"+folder, nil).key)
	}
}

func TestPrefixAndKeyMeanTheSameBesideALocation(t *testing.T) {
	for _, cloud := range []string{"s3", "gs", "az"} {
		for _, tc := range []struct{ location, prefix, key string }{
			{"://bucket/t.lance", "db", "db/t.lance"},
			{"://bucket", "/db/x y/", "db/x%20y"},
			{"://bucket/t.lance?prefix=db", "db", "db/t.lance"},
			{"://bucket/t.lance", "", "t.lance"},
		} {
			require.Equal(t, tc.key, at(t, cloud+tc.location, env{"prefix": tc.prefix}).key)
			require.Equal(t, tc.key, at(t, cloud+tc.location, env{"PREFIX": tc.prefix}).key)
		}
		_, _, err := Open(t.Context(), cloud+"://bucket/t?prefix=a", env{"prefix": "b"})
		require.ErrorContains(t, err, "the option prefix is given twice")
		_, _, err = Open(t.Context(), cloud+"://bucket/t", env{"key": "SECRET"})
		require.ErrorContains(t, err, "one object")
		require.NotContains(t, err.Error(), "SECRET")
	}
	for _, name := range []string{"prefix", "key"} {
		_, _, err := Open(t.Context(), t.TempDir(), env{name: "a"})
		require.ErrorContains(t, err, "takes no options; leave out the option "+name)
	}
}

func TestAnARNInALocationIsAnsweredWithWhatToWrite(t *testing.T) {
	for location, tc := range map[string]struct {
		is   error
		says string
	}{
		"s3://arn:aws:s3::123456789012:accesspoint/m.mrap/t":            {backends.ErrUnsupported, "Multi-Region Access Point"},
		"s3://arn:aws:s3::123456789012:accesspoint:m.mrap/t":            {backends.ErrUnsupported, "Multi-Region Access Point"},
		"s3://arn:aws:s3:eu-west-1:123456789012:accesspoint/mine/t":     {backends.ErrInvalid, "-s3alias"},
		"s3://arn:aws:s3:eu-west-1:123456789012:accesspoint:mine/t?a=b": {backends.ErrInvalid, "s3.New"},
	} {
		_, _, err := Open(t.Context(), location, nil)
		require.ErrorIs(t, err, tc.is, location)
		require.ErrorContains(t, err, tc.says, location)
		require.NotContains(t, err.Error(), "credentials are given")
	}
}
