package all_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/all"
)

func TestPathsAndFileURLsAreFoldersOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b%41#ä")
	require.NoError(t, os.Mkdir(dir, 0o777))
	t.Chdir(dir)
	for _, location := range []string{
		dir, dir + "/", ".", "./", "file://" + filepath.Dir(dir) + "/a%20b%2541%23%C3%A4",
		"file://localhost" + filepath.Dir(dir) + "/a%20b%2541%23ä",
	} {
		store, key, err := all.Open(t.Context(), location, nil)
		require.NoError(t, err, location)
		require.Empty(t, key)
		_, err = store.PutIfAbsent(t.Context(), "seen", nil, backends.PutOptions{})
		require.NoError(t, err)
		require.NoError(t, store.Close())
		require.NoError(t, os.Remove(filepath.Join(dir, "seen")), "it is the folder that was meant")
	}
}

func TestLocationsThatCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	for location, want := range map[string]error{
		"":                            backends.ErrInvalid,
		filepath.Join(dir, "absent"):  backends.ErrNoBucket,
		"file://" + dir + "/absent":   backends.ErrNoBucket,
		"file://host/a":               backends.ErrInvalid,
		"file://":                     backends.ErrInvalid,
		"file://" + dir + "?prefix=a": backends.ErrInvalid,
		"file://" + dir + "#a":        backends.ErrInvalid,
		"file:///%zz":                 backends.ErrInvalid,
		"ftp://bucket/t.lance":        backends.ErrUnsupported,
		"s3+ddb://bucket/t.lance":     backends.ErrUnsupported,
	} {
		_, _, err := all.Open(t.Context(), location, nil)
		require.ErrorIs(t, err, want, location)
	}
}

func TestErrorsShowNoCredential(t *testing.T) {
	for _, location := range []string{
		"s3://AKIA:SECRET@bucket/t.lance", "s3://bucket/t.lance?secret=SECRET", "file://user:SECRET@host/a", "file:///a?sig=SECRET",
		"s3://SECRET@bucket", "file:///%zz?SECRET", "s3://AKIA:SECRET/SECRET@bucket/a", "s3://AKIA:SECRET/a",
	} {
		_, _, err := all.Open(t.Context(), location, nil)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "SECRET", location)
	}
}
