package servers

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	switch os.Getenv("LANCECOMMIT_TEST_ROLE") {
	case "server":
		beServer()
	case "owner":
		beOwner()
	default:
		goleak.VerifyTestMain(StopAfter(m))
	}
}

// beServer is a server that tests can start: it answers what it was told to.
func beServer() {
	fmt.Println("serving on", os.Getenv("ADDRESS"))
	err := http.ListenAndServe(os.Getenv("ADDRESS"), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if os.Getenv("STATUS") == "503" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	fmt.Println(err)
	os.Exit(3)
}

// beOwner starts a server, tells that it is there, and never stops it.
func beOwner() {
	self, _ := os.Executable()
	_, err := startProcess([]string{self}, []string{"LANCECOMMIT_TEST_ROLE=server", "ADDRESS=" + os.Getenv("ADDRESS")}, os.TempDir())
	fmt.Println("started:", err)
	time.Sleep(time.Minute)
}
