package all

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

func TestAPathThatIsAMistypedURLIsRefusedWithTheURLThatWasMeant(t *testing.T) {
	for location, meant := range map[string]string{
		"s3:/bucket/t?aws_secret_access_key=SECRET":    "s3://bucket/t?",
		"s3//bucket/t?aws_secret_access_key=SECRET":    "s3://bucket/t?",
		"s3:bucket/t#SECRET":                           "s3://bucket/t?",
		"S3;//bucket/t?SECRET":                         "s3://bucket/t?",
		`s3:\\bucket/t?SECRET`:                         "s3://bucket/t?",
		" s3://bucket/t?token=SECRET":                  "s3://bucket/t?",
		"\ts3://bucket/t?token=SECRET":                 "s3://bucket/t?",
		"\ufeffs3://bucket/t?token=SECRET":             "s3://bucket/t?",
		`"s3://bucket/t?token=SECRET"`:                 "s3://bucket/t?",
		"s3 ://bucket/t?token=SECRET":                  "s3://bucket/t?",
		"s3:/AKIA:SECRET@bucket/t":                     "s3://bucket/t?",
		" s3://AKIA:SEC/RET@bucket/t":                  "s3://bucket/t?",
		"s3:/AKIA:SECRET/t":                            "s3://…?",
		"gs:/bucket/t?SECRET":                          "gs://bucket/t?",
		"az:/box/t?sv=1&sig=SECRET":                    "az://box/t?",
		"azblob//box/t?sig=SECRET":                     "azblob://box/t?",
		"abfss:/box@acct.dfs.core.windows.net?SECRET":  "abfss://acct.dfs.core.windows.net?",
		"file:/data/t?SECRET":                          "file:///data/t?",
		"s3a:/bucket/t?SECRET":                         "write s3://bucket/folder",
		"https:/host/t?SECRET":                         "its endpoint",
		"  gcs://bucket/t?SECRET":                      "write gs://bucket/folder",
		"wasbs//box@acct.blob.core.windows.net?SECRET": "write az://container/folder",
	} {
		_, _, err := Open(t.Context(), location, nil)
		require.ErrorIs(t, err, backends.ErrInvalid, location)
		require.ErrorContains(t, err, meant, location)
		require.NotContains(t, err.Error(), "SECRET", location)
		require.NotContains(t, err.Error(), "RET@", location)
	}
}

func TestAMistypedURLIsShownAsItWasTyped(t *testing.T) {
	for location, shown := range map[string]string{
		"s3:/bucket/t": "s3:/bucket/t", "S3;//bucket/t": "S3;//bucket/t", "s3//bucket/t": "s3//bucket/t", " gs://bucket/t": " gs://bucket/t",
		"https:/host/t": "https:/host/t", "s3:/bucket/t?a=1": "s3:/bucket/t", "s3:/user@bucket/t": "s3:/bucket/t", "s3:/a:b/t": "s3:/…",
	} {
		_, _, err := Open(t.Context(), location, nil)
		var failed *backends.Error
		require.ErrorAs(t, err, &failed)
		require.Equal(t, shown, failed.Key)
	}
}

func TestAQuestionMarkInAFolderIsToldFromAQuery(t *testing.T) {
	const says = "'?' begins the options of a location, and is written %3F in a folder's name"
	for _, location := range []string{
		"s3://bucket/odd/a?b=c.lance", "gs://bucket/a?b=c", "az://box/a?b=c", "s3://bucket/a?b.lance", "s3://bucket/a?b=%zz",
	} {
		_, _, err := Open(t.Context(), location, nil)
		require.ErrorIs(t, err, backends.ErrInvalid)
		require.ErrorContains(t, err, says, location)
	}
	_, _, err := Open(t.Context(), "s3://bucket/t", map[string]string{"bogus": "1"})
	require.ErrorContains(t, err, "the option bogus is not known")
	require.NotContains(t, err.Error(), says, "it is in no query")
	_, _, err = Open(t.Context(), "s3://bucket/t?regon=r", nil)
	require.ErrorContains(t, err, "did you mean region?")
	require.NotContains(t, err.Error(), says, "an option was meant")
}

func TestWhatMayBeACredentialIsCutOutOfEveryError(t *testing.T) {
	for _, location := range []string{
		// A path in the end, since nothing looks like a scheme.
		"bucket/t?aws_secret_access_key=SECRET", "bucket/t#token=SECRET", "bucket/t?aws_token%3DSECRET", "./s3:/bucket/t?token=SECRET", "s:/AKIA:SECRET@bucket/t",
		filepath.Join(t.TempDir(), "t?sig=SECRET"), t.TempDir() + "/t#sig=SECRET", "file:///absent%3Fa=SECRET", "file:///absent%23a=SECRET",
		"nul\x00?a=SECRET", "./s3:/bucket/t?SECRET", "3://bucket/t#SECRET", "3://bucket/t?SECRET",
		// A value in place of a name, or of another option's.
		"s3://bucket/t&aws_secret_access_key=SECRET", "s3://bucket/t;secret_access_key=SECRET", "az://box/t%3Fsig=SECRET",
		"s3://bucket/t%3faws_session_token=SECRET", "s3:/bucket/t&token=SECRET", "abfss://box:SECRET@acct.dfs.core.windows.net/t",
		"s3://bucket/t?key=SECRET", "s3://bucket/t?SECRET", "s3://bucket/t?token:SECRET", "s3://bucket/t?token%3DSECRET=",
		"s3://bucket/t?SECRET/x+y=1", "s3://bucket/t?SECRET/x=1&SECRET/x=2", "s3://bucket/t#SECRET", "s3://bucket/t#?SECRET",
		"gs://bucket/t?access_id=SECRET", "az://box/t?protocol=SECRET", "az://box/t?domain=SECRET/&account_name=acct",
		"s3://bucket/t?timeout=SECRET", "s3://bucket/t?request_checksum_calculation=SECRET", "s3://bucket/t?role=SECRET",
		"ftp://bucket/t?SECRET", "s3+ddb://bucket/t?ddbTableName=SECRET", "s3://bucket/t?region=r ", "s3://arn:SECRET/t?SECRET",
	} {
		_, _, err := Open(t.Context(), location, nil)
		require.Error(t, err, location)
		require.NotContains(t, err.Error(), "SECRET", location)
		require.NotContains(t, err.Error(), "secret=", location)
		require.NotContains(t, err.Error(), "secret/", location)
	}
	_, _, err := Open(t.Context(), t.TempDir(), map[string]string{"SECRET/x": "1"})
	require.ErrorIs(t, err, backends.ErrInvalid)
	require.NotContains(t, err.Error(), "secret/")
}

func TestAnErrorAboutAPathIsStillWhatItWas(t *testing.T) {
	dir := t.TempDir()
	_, _, err := Open(t.Context(), dir+"/a?b=c", nil)
	require.ErrorIs(t, err, backends.ErrNoBucket)
	var failed *backends.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, dir+"/a?…", failed.Key)
}

func TestAPathWithNothingToHideIsShownWhole(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"absent", "me@home", "a?b", "a#b", "what?", "#1", "a?b#c/d e?", "a?b/t.lance"} {
		for _, location := range []string{dir + "/" + name, "file://" + dir + "/" + url.PathEscape(name)} {
			_, _, err := Open(t.Context(), location, nil)
			require.ErrorIs(t, err, backends.ErrNoBucket)
			var failed *backends.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, dir+"/"+name, failed.Key)
			require.ErrorContains(t, err, name)
		}
		_, _, err := Open(t.Context(), dir+"/"+name, map[string]string{"aws_region": "r"})
		require.ErrorContains(t, err, name)
	}
}

func TestFoldersWithOddNamesStillOpen(t *testing.T) {
	t.Chdir(t.TempDir())
	for folder, location := range map[string]string{
		"a?b": "a?b", "a#b": "a#b", "q?key=1": "q?key=1", "s3": "s3", "s3/t": "s3/t", "gs.lance": "gs.lance", " x": " x", "x ": "x ",
		"s3:": "./s3:", "az:/t": "./az:/t", "az": "./az//", "a:b@c": "a:b@c", "%2e%2e": "%2e%2e", "x\ty": "x\ty", "data:s3": "data:s3",
	} {
		require.NoError(t, os.MkdirAll(folder, 0o777))
		store, key, err := Open(t.Context(), location, nil)
		require.NoError(t, err, location)
		require.Empty(t, key)
		_, err = store.PutIfAbsent(t.Context(), "seen", nil, backends.PutOptions{})
		require.NoError(t, err)
		require.NoError(t, store.Close())
		require.FileExists(t, filepath.Join(folder, "seen"), location)
	}
}

func TestAParameterWithoutAValueIsNotRepeated(t *testing.T) {
	for _, query := range []string{"topsecret", "region=r&topsecret", "TOPSECRET&"} {
		_, _, err := Open(t.Context(), "s3://bucket/t?"+query, nil)
		require.ErrorIs(t, err, backends.ErrInvalid)
		require.ErrorContains(t, err, "NAME=VALUE")
		require.NotContains(t, err.Error(), "topsecret")
	}
}
