//go:build linux || darwin

package file

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// BenchmarkPutIfAbsent sets a create of 600 bytes beside the bare system calls
// that make one safe.
func BenchmarkPutIfAbsent(b *testing.B) {
	body := bytes.Repeat([]byte("m"), 600)
	b.Run("store", func(b *testing.B) {
		s, _ := newStore(b)
		put(b, s, "t/_versions/first", "first")
		for i := 0; b.Loop(); i++ {
			_, err := s.PutIfAbsent(b.Context(), "t/_versions/"+strconv.Itoa(i), body, backends.PutOptions{})
			require.NoError(b, err)
		}
	})
	b.Run("raw", func(b *testing.B) {
		dir := filepath.Join(b.TempDir(), "t", "_versions")
		require.NoError(b, os.MkdirAll(dir, 0o777))
		for i := 0; b.Loop(); i++ {
			require.NoError(b, createRaw(dir, strconv.Itoa(i), body))
		}
	})
}

func createRaw(dir, name string, body []byte) error {
	temp := filepath.Join(dir, ".tmp"+name)
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return write(file, body) },
		file.Sync,
		func() error { return os.Link(temp, filepath.Join(dir, name)) },
		func() error { return os.Remove(temp) },
		file.Close,
		folder.Sync,
		folder.Close,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
