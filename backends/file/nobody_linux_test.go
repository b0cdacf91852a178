package file

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// asNobody runs f without the superuser's right to pass over modes.
func asNobody(t *testing.T, f func()) {
	if os.Getuid() != 0 {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The thread keeps the identity, so it ends with the goroutine.
		runtime.LockOSThread()
		const nobody = 65534
		require.NoError(t, unix.Setfsgid(nobody))
		require.NoError(t, unix.Setfsuid(nobody))
		f()
	}()
	<-done
}
