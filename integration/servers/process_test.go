package servers

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAServerIsReadyWhenItAnswersAndGoneWhenStopped(t *testing.T) {
	at, p := startTestServer(t, "200")
	require.NoError(t, waitReady(t.Context(), p, "http://"+at.String(), time.Minute))
	require.NoError(t, p.endedError())
	p.stop()
	require.ErrorIs(t, p.endedError(), errEnded)
	require.False(t, listens(at))
}

func TestAServerThatDiesBeforeItIsReadyShowsItsOutput(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	at := address{"127.0.0.1", taken.Addr().(*net.TCPAddr).Port}
	p := startTestServerAt(t, at, "200")
	err = waitReady(t.Context(), p, "http://"+at.String(), time.Minute)
	require.ErrorIs(t, err, errEnded)
	require.ErrorContains(t, err, "exit status 3")
	require.ErrorContains(t, err, "address already in use")
}

func TestAServerThatIsNeverReadyIsGivenUpWithItsLastAnswer(t *testing.T) {
	at, p := startTestServer(t, "503")
	require.Eventually(t, func() bool { return listens(at) }, time.Minute, 10*time.Millisecond)
	err := waitReady(t.Context(), p, "http://"+at.String(), time.Second)
	require.ErrorContains(t, err, "not ready after 1s")
	require.ErrorContains(t, err, "503")
	require.ErrorContains(t, err, "serving on")
}

func TestAServerSeesNothingOfTheEnvironmentOfTheTests(t *testing.T) {
	t.Setenv("MINIO_REGION", "elsewhere")
	p, err := startProcess([]string{"env"}, []string{"OWN=1"}, t.TempDir())
	require.NoError(t, err)
	<-p.ended
	require.Contains(t, string(p.output.Bytes()), "OWN=1")
	require.NotContains(t, string(p.output.Bytes()), "MINIO_REGION")
}

func TestAProgramThatIsNotThereIsAnError(t *testing.T) {
	_, err := startProcess([]string{"/no/such/program"}, nil, t.TempDir())
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAServerEndsWithAKilledTestBinary(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a process with its parent")
	}
	at, err := freeAddress()
	require.NoError(t, err)
	owner := exec.Command(self(t))
	owner.Env = append(os.Environ(), "LANCECOMMIT_TEST_ROLE=owner", "ADDRESS="+at.String())
	stdout, err := owner.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, owner.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "started: <nil>\n", line)
	require.Eventually(t, func() bool { return listens(at) }, time.Minute, 10*time.Millisecond)

	require.NoError(t, owner.Process.Kill())
	owner.Wait()
	require.Eventually(t, func() bool { return !listens(at) }, time.Minute, 10*time.Millisecond)
}

func TestAServersPortIsNoneThatTheSystemGivesToOthers(t *testing.T) {
	for range 20 {
		ours, err := freeAddress()
		require.NoError(t, err)
		others, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		require.NoError(t, others.Close())
		require.Less(t, ours.port, others.Addr().(*net.TCPAddr).Port)
	}
}

func TestTheEndOfTheOutputIsKept(t *testing.T) {
	var kept lastBytes
	for range 3 {
		kept.Write(make([]byte, lastBytesLimit-1))
	}
	kept.Write([]byte("end"))
	require.Len(t, kept.Bytes(), lastBytesLimit)
	require.Equal(t, "\x00end", string(kept.Bytes()[lastBytesLimit-4:]))
}

func startTestServer(t *testing.T, status string) (address, *process) {
	t.Helper()
	at, err := freeAddress()
	require.NoError(t, err)
	return at, startTestServerAt(t, at, status)
}

func startTestServerAt(t *testing.T, at address, status string) *process {
	t.Helper()
	p, err := startProcess([]string{self(t)}, []string{"LANCECOMMIT_TEST_ROLE=server", "ADDRESS=" + at.String(), "STATUS=" + status}, t.TempDir())
	require.NoError(t, err)
	t.Cleanup(p.stop)
	return p
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return path
}

func listens(at address) bool {
	connection, err := net.Dial("tcp", at.String())
	if err == nil {
		connection.Close()
	}
	return err == nil
}
