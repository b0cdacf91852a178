package file

import (
	"os"
	"testing"
)

// asNobody runs f unless this is the superuser, who passes over modes.
func asNobody(t *testing.T, f func()) {
	if os.Getuid() == 0 {
		t.Skip("the superuser may do everything; run this as another user")
	}
	f()
}
