package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/integration/fixtures"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

func formatVersion(v uint64) string { return strconv.FormatUint(v, 10) }

func TestCommitPublishesWhatLanceDBStaged(t *testing.T) {
	for _, fixture := range []fixtures.Table{fixtures.V1(), fixtures.V2(), fixtures.Branch()} {
		table := layFixture(t, fixture)
		for _, chain := range fixture.Chains() {
			next := staged(t, fixture, chain)
			for range 2 {
				got := parse[versionJSON](t, call(t, "commit", table, "--branch", chain.Branch, "--manifest", next, "--json"))
				require.Equal(t, chain.Next.Number, got.Version)
				require.FileExists(t, filepath.Join(filepath.Dir(table), chain.Final()))
			}
			rival := write(t, testmanifest.New(chain.Next.Number, chain.Branch, "mine"))
			got := call(t, "commit", table, "--branch", chain.Branch, "--manifest", rival)
			require.Equal(t, exitConflict, got.code)
			require.Contains(t, got.err, fmt.Sprintf("the latest version is %d", chain.Next.Number))
			want, err := os.ReadFile(next)
			require.NoError(t, err)
			there, err := os.ReadFile(filepath.Join(filepath.Dir(table), chain.Final()))
			require.NoError(t, err)
			require.Equal(t, want, there, "the first bytes stay")
		}
	}
}

func TestCommitReadsAManifestFromStandardInput(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	got := callWith(t, testmanifest.New(3, "", "mine"), "commit", table, "--manifest", "-", "--version", "3")
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, "version 3 is committed")
}

func TestCommitRefusesWhatIsNoManifestOfTheVersion(t *testing.T) {
	valid := testmanifest.New(3, "", "mine")
	beyond := append([]byte(nil), valid...)
	beyond[len(beyond)-15] = 1
	for name, body := range map[string][]byte{
		"empty":                   nil,
		"truncated":               valid[:len(valid)-5],
		"wrong magic":             append(valid[:len(valid)-1:len(valid)-1], 'X'),
		"position beyond the end": beyond,
		"100 MB of zeros":         make([]byte, 100<<20),
		"another version inside":  testmanifest.New(4, "", "mine"),
		"another branch inside":   testmanifest.New(3, "exp/one", "mine"),
	} {
		t.Run(name, func(t *testing.T) {
			table := layFixture(t, fixtures.V2())
			file := write(t, body)
			for _, args := range [][]string{
				{"commit", table, "--manifest", file, "--version", "3"},
				{"commit", table, "--manifest", file},
			} {
				if name == "another version inside" && len(args) == 4 {
					continue // then that version is asked for, and is not the next
				}
				got := call(t, args...)
				require.Equal(t, exitInvalid, got.code, got.err)
				require.Contains(t, got.err, "the latest version is 2")
			}
			require.Equal(t, 2, finals(t, table), "nothing is written")
			require.FileExists(t, file)
		})
	}
}

func TestCommitSaysTheLatestVersionWhenItRefusesANumber(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	for version, want := range map[string]int{
		"0": exitInvalid, "-1": exitInvalid, "9223372036854775808": exitInvalid, "18446744073709551616": exitInvalid,
		"three": exitInvalid, "4": exitConflict, "2": exitConflict, "1": exitConflict,
	} {
		number, _ := strconv.ParseUint(version, 10, 64)
		got := call(t, "commit", table, "--manifest", write(t, testmanifest.New(number, "", "mine")), "--version", version)
		require.Equal(t, want, got.code, got.err)
		require.Contains(t, got.err, "the latest version is 2", version)
	}
	require.Equal(t, 2, finals(t, table))
}

// A fullDisk takes no output.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestACommitThatCannotBePrintedIsStillACommit(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	var stderr bytes.Buffer
	args := []string{"commit", table, "--manifest", write(t, testmanifest.New(3, "", "mine"))}
	require.Equal(t, exitOK, run(t.Context(), args, streams{nil, fullDisk{}, &stderr}))
	require.Contains(t, stderr.String(), "version 3 is committed")
	require.Equal(t, 3, finals(t, table))
}

// A gone reader has closed its end of a pipe.
type goneReader struct{}

func (goneReader) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "pipe", Err: syscall.EPIPE}
}

func TestAReaderThatHasSeenEnoughIsNoErrorAndABrokenStoreIs(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	for _, args := range [][]string{{"versions", table}, {"versions", table, "--json"}, {"show", table}} {
		require.Equal(t, exitOK, run(t.Context(), args, streams{nil, goneReader{}, io.Discard}))
	}
	fromStore := fmt.Errorf("list: %w", syscall.EPIPE)
	require.False(t, (&output{}).left(fromStore))
	require.False(t, (&output{broken: &os.PathError{Err: syscall.EPIPE}}).left(fromStore))
}

func TestATableWithoutVersionsIsTheSameToEveryForm(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.lance")
	require.NoError(t, os.MkdirAll(filepath.Join(empty, "_versions"), 0o777))
	latest := call(t, "latest", empty)
	require.Equal(t, exitNotFound, latest.code)
	listed := call(t, "versions", empty)
	require.Equal(t, exitNotFound, listed.code)
	require.Equal(t, latest.err, listed.err)
	asJSON := call(t, "latest", empty, "--json")
	listedAsJSON := call(t, "versions", empty, "--json")
	require.Equal(t, asJSON, listedAsJSON)
}

func TestASignalEndsTheWaitForAManifest(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	silent, writer := io.Pipe()
	defer writer.Close()                           // ends the reading
	ctx, cancel := context.WithCancel(t.Context()) // as a signal does
	defer time.AfterFunc(50*time.Millisecond, cancel).Stop()
	var stderr bytes.Buffer
	require.Equal(t, exitOther, run(ctx, []string{"commit", table, "--manifest", "-"}, streams{silent, io.Discard, &stderr}))
	require.Contains(t, stderr.String(), "nothing was written")
}

func TestAVersionThatIsEmptyIsNotNoVersion(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	got := call(t, "commit", table, "--manifest", write(t, testmanifest.New(3, "", "mine")), "--version", "")
	require.Equal(t, exitInvalid, got.code)
}

func TestProcessesThatRaceForVersionsHaveOneWinnerEach(t *testing.T) {
	const processes = 4
	versions := 100
	if os.Getenv("CI") != "" {
		versions = 400
	}
	command := filepath.Join(t.TempDir(), "lancecommit")
	out, err := exec.Command("go", "build", "-o", command, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	table := filepath.Join(t.TempDir(), "t.lance")
	require.NoError(t, os.Mkdir(table, 0o777))
	var codes [processes][]int
	var racers sync.WaitGroup
	for p := range processes {
		racers.Go(func() {
			file := filepath.Join(t.TempDir(), "next.manifest")
			codes[p] = make([]int, versions+1)
			for v := 1; v <= versions; v++ {
				if err := os.WriteFile(file, testmanifest.New(uint64(v), "", fmt.Sprint(p)), 0o666); err != nil {
					t.Error(err)
				}
				cmd := exec.Command(command, "commit", table, "--manifest", file)
				out, _ := cmd.CombinedOutput()
				codes[p][v] = cmd.ProcessState.ExitCode()
				if code := codes[p][v]; code != exitOK && code != exitConflict {
					t.Errorf("version %d: exit code %d: %s", v, code, out)
				}
			}
		})
	}
	racers.Wait()
	for v := 1; v <= versions; v++ {
		winner := -1
		for p := range processes {
			if codes[p][v] == exitOK {
				require.Equal(t, -1, winner, "version %d has two winners", v)
				winner = p
			}
		}
		require.NotEqual(t, -1, winner, "version %d has no winner", v)
		got := call(t, "show", table, formatVersion(uint64(v)))
		require.Equal(t, exitOK, got.code, got.err)
	}
	require.Equal(t, versions, finals(t, table))
	require.Equal(t, "", leftovers(t, table))
}

// leftovers are the names in _versions/ that are neither versions nor the hint.
func leftovers(t *testing.T, table string) (names string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(table, "_versions"))
	require.NoError(t, err)
	for _, entry := range entries {
		if name := entry.Name(); name[0] == '.' {
			names += name + " "
		}
	}
	return names
}

// An endless reader never ends, as /dev/zero.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func TestMoreThanThereMayBeIsRefused(t *testing.T) {
	a := &app{streams: streams{in: endless{}}}
	_, err := a.read(t.Context(), "manifest", "-", 3<<20)
	require.ErrorIs(t, err, committer.ErrInvalid)
	require.ErrorContains(t, err, "the manifest is larger than 3 MiB")
	for size := range 4 {
		for limit := range 4 {
			a.in = bytes.NewReader(make([]byte, size))
			body, err := a.read(t.Context(), "manifest", "-", int64(limit))
			require.Equal(t, size > limit, err != nil)
			require.True(t, err != nil || len(body) == size)
		}
	}
	body := bytes.Repeat([]byte("0123456"), 1<<19)
	read, err := a.read(t.Context(), "manifest", write(t, body), maxManifest)
	require.NoError(t, err)
	require.True(t, bytes.Equal(body, read))

	// A file of holes takes no room, and its size says enough.
	hollow := write(t, nil)
	require.NoError(t, os.Truncate(hollow, maxManifest+1))
	got := call(t, "commit", layFixture(t, fixtures.V2()), "--manifest", hollow)
	require.Equal(t, exitInvalid, got.code)
	require.Contains(t, got.err, "the manifest is larger than 1024 MiB")
}

func TestAnUnknownOutcomeSaysToRunTheCommandAgain(t *testing.T) {
	unknown := &committer.UnknownOutcomeError{Version: 7, Key: "t/7", Cause: syscall.ECONNRESET}
	err := forCommands(fmt.Errorf("commit version 7: %w", unknown))
	require.EqualError(t, err, "version 7 may or may not be committed (t/7): connection reset by peer; "+
		"keep its files, and run the same command again with the same bytes until it says whether it is")
	require.Equal(t, exitUnknown, exitCode(err))
	require.Equal(t, syscall.EPIPE, forCommands(syscall.EPIPE), "no other error has another text")
	require.NoError(t, forCommands(nil))
}

func TestACommitWhoseOutcomeIsUnknownSaysToRunItAgain(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sent := false // under the lock of the bucket
	bucket := &bucketServer{
		objects: make(map[string][]byte), headers: make(map[string]http.Header), clients: make(map[string]bool),
		refuse: func(w http.ResponseWriter, r *http.Request) bool {
			if sent = sent || r.Method == http.MethodPut; sent {
				cancel()
				refusal(w, http.StatusInternalServerError, "InternalError")
			}
			return sent
		},
	}
	server := httptest.NewServer(bucket)
	defer server.Close()
	args := []string{"commit", "s3://bucket/t", "--manifest", write(t, testmanifest.New(1, "", "mine"))}
	for _, option := range []string{"endpoint=" + server.URL, "allow_http=true", "region=r", "access_key_id=id", "secret_access_key=key"} {
		args = append(args, "--storage-option", option)
	}
	var stderr bytes.Buffer
	require.Equal(t, exitUnknown, run(ctx, args, streams{nil, io.Discard, &stderr}), stderr.String())
	require.Contains(t, stderr.String(), "run the same command again with the same bytes")
	require.NotContains(t, stderr.String(), "resolve")
}
