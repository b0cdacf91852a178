package naming_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/naming"
)

func TestRootsAreKeptAsTheyAreOrRefused(t *testing.T) {
	for root, want := range map[string]string{
		"": "", "t.lance": "t.lance", "a/b/t.lance": "a/b/t.lance", "a/b/": "a/b", "a//": "a",
		"a b": "a b", "ä": "ä", "a+b": "a+b", "%41": "%41", "100%": "100%", "#": "#", "?": "?", "[x]": "[x]", "...": "...",
	} {
		got, err := naming.CleanRoot(root)
		require.NoError(t, err, "%q", root)
		require.Equal(t, want, got)
	}
	for _, root := range []string{"/", "//", "/a", "a//b", ".", "..", "a/../b", "./a", "a/.", "a\nb", "a\x00", "a\x7f", "\xff"} {
		_, err := naming.CleanRoot(root)
		require.ErrorIs(t, err, naming.ErrRoot, "%q", root)
	}
}

func TestKeysBelowARoot(t *testing.T) {
	require.Equal(t, "_versions/", naming.Versions(""))
	require.Equal(t, "a/t.lance/_versions/", naming.Versions("a/t.lance"))
	require.Equal(t, "a/_transactions/", naming.Transactions("a"))
	require.Equal(t, "a/_refs/tags/", naming.Tags("a"))
	require.Equal(t, "_refs/branches/", naming.Branches(""))
}

func TestBranchesLiveBelowTheTable(t *testing.T) {
	for _, main := range []string{"", "main"} {
		require.Equal(t, "t.lance", naming.BranchRoot("t.lance", main))
	}
	require.Equal(t, "t.lance/tree/exp/one", naming.BranchRoot("t.lance", "exp/one"))
	require.Equal(t, "tree/one", naming.BranchRoot("", "one"))

	require.Equal(t, []string{"t/_refs/branches/one.json"}, naming.BranchRefs("t", "one"))
	require.Equal(t, []string{"t/_refs/branches/exp%2Fone.json", "t/_refs/branches/exp/one.json"},
		naming.BranchRefs("t", "exp/one"))
	require.Equal(t, []string{"t/_refs/branches/%C3%A4.json"}, naming.BranchRefs("t", "ä"))
	require.Equal(t, []string{"t/_refs/branches/%E6%97%A5%2Fx.json", "t/_refs/branches/%E6%97%A5/x.json"},
		naming.BranchRefs("t", "日/x"))
	require.Equal(t, []string{"t/_refs/branches/A.b-c_d.json"}, naming.BranchRefs("t", "A.b-c_d"))
}

func TestBranchNames(t *testing.T) {
	for _, name := range []string{"", "main", "one", "exp/one", "a.b-c_d", "v1.2", "ä/β", "x²", "हि", "Ⅷ", "Main", "main/x"} {
		require.NoError(t, naming.CheckBranch(name), "%q", name)
	}
	for _, name := range []string{
		"/a", "a/", "a//b", "..", "a..b", "a/../b", ".", "a/./b", `a\b`, "a b", "a:b", "a\x00b", "\xff", "x.lock", "a/x.lock",
		"_versions", "a/_versions", "_refs/a", "a/_transactions/b", "data", "tree", "a%2Fb", "$",
	} {
		require.ErrorIs(t, naming.CheckBranch(name), naming.ErrBranch, "%q", name)
	}
}
