package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/bench"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

type doctorJSON struct {
	Safe bool `json:"safe"`
	committer.ProbeReport
}

func TestDoctorCallsADiskSafe(t *testing.T) {
	store := t.TempDir()
	for _, location := range []string{store, "file://" + store} {
		got := call(t, "doctor", location, "--rounds", "5")
		require.Equal(t, exitOK, got.code, got.err)
		lines := strings.Split(strings.TrimSpace(got.out), "\n")
		require.Regexp(t, `^VERDICT +safe: .* enforces create-if-absent$`, lines[0])
		require.Equal(t, "What to do: Tables can be kept here.", lines[len(lines)-1])
		require.Contains(t, got.out, "5 of 5 rounds of 8 creates over 8 connections had one winner")
		require.Empty(t, got.err)
		require.NotContains(t, got.out, "\x1b")
		for _, line := range lines {
			require.LessOrEqual(t, len(line), 160)
		}
		entries, err := os.ReadDir(store)
		require.NoError(t, err)
		require.Empty(t, entries, "the folders of the probe are gone, too")
	}

	report := parse[doctorJSON](t, call(t, "doctor", store, "--json"))
	require.True(t, report.Safe)
	require.Equal(t, committer.ProbeEnforced, report.Verdict)
	require.Equal(t, 20, report.Figures.DecidedRounds)
	require.Equal(t, 8, report.Figures.Connections)
}

func TestDoctorLeavesTablesAlone(t *testing.T) {
	store := t.TempDir()
	table := filepath.Join(store, "t.lance")
	require.NoError(t, os.Mkdir(table, 0o777))
	require.Equal(t, exitOK, call(t, "commit", table, "--manifest", write(t, testmanifest.New(1, "", "mine"))).code)
	before := tree(t, store)
	require.Equal(t, exitOK, call(t, "doctor", store).code)
	require.Equal(t, exitOK, call(t, "doctor", table).code)
	require.Equal(t, before, tree(t, store))
}

func TestDoctorRefusesBadInput(t *testing.T) {
	for args, want := range map[string]int{
		"doctor": exitInvalid, "doctor a b": exitInvalid, "doctor . --rounds 0": exitInvalid, "doctor . --rounds -1": exitInvalid,
		"doctor . --rounds 1001": exitInvalid, "doctor absent": exitNotFound, "doctor ftp://bucket": exitUnsupported,
	} {
		got := call(t, strings.Fields(args)...)
		require.Equal(t, want, got.code, args)
		require.Empty(t, got.out)
	}
}

func TestAFolderThatIsGoneIsNoStoreOutOfReach(t *testing.T) {
	for _, command := range []string{"doctor", "bench"} {
		folder := filepath.Join(t.TempDir(), "gone")
		require.NoError(t, os.Mkdir(folder, 0o777))
		t.Chdir(folder)
		require.NoError(t, os.Remove(folder))
		got := call(t, command, ".")
		require.Equal(t, exitNotFound, got.code, got.err)
		require.Contains(t, got.err, "its folder is gone")
		require.NotContains(t, got.out+got.err, "endpoint")
	}
	for _, there := range []string{"/", t.TempDir()} {
		store, err := file.Open(there)
		require.NoError(t, err)
		require.NoError(t, checkThere(store))
		if there != "/" {
			require.NoError(t, os.Remove(there))
			require.ErrorIs(t, checkThere(store), backends.ErrNoBucket)
		}
		require.NoError(t, store.Close())
	}
}

func TestEachVerdictHasItsExitCode(t *testing.T) {
	for verdict, want := range map[committer.ProbeVerdict]int{
		committer.ProbeIgnored: exitUnsupported, committer.ProbeInverted: exitUnsupported, committer.ProbeRacy: exitUnsupported,
		committer.ProbeRepeated: exitUnsupported, committer.ProbeStaleReads: exitUnsupported,
		committer.ProbeWrongListing: exitUnsupported, committer.ProbeUnsupported: exitUnsupported,
		committer.ProbeUnauthenticated: exitPermission, committer.ProbeClockSkew: exitPermission,
		committer.ProbeDenied: exitPermission, committer.ProbeNoBucket: exitNotFound, committer.ProbeInvalid: exitInvalid,
		committer.ProbeThrottled: exitUnavailable, committer.ProbeDisk: exitUnavailable, committer.ProbeUnreachable: exitUnavailable, committer.ProbeUnstable: exitUnavailable,
	} {
		require.Equal(t, want, exitCode(&probeError{verdict}), verdict)
	}
}

func TestASignalEndsTheDoctorInGoodOrder(t *testing.T) {
	store := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, stderr bytes.Buffer
	require.Equal(t, exitOther, run(ctx, []string{"doctor", store}, streams{nil, &out, &stderr}))
	require.Contains(t, out.String(), "not judged (unfinished)")
	require.Contains(t, stderr.String(), "it did not end")
	require.Contains(t, stderr.String(), "lancecommit: interrupted: cleaning up in "+store+"/_lancecommit_probe/")
	require.Contains(t, stderr.String(), "another interrupt leaves it there")
	require.Empty(t, tree(t, store))

	stderr.Reset()
	require.Equal(t, exitOther, run(ctx, []string{"doctor", store, "--json"}, streams{nil, io.Discard, &stderr}))
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	require.Len(t, lines, 2)
	for _, line := range lines {
		require.True(t, json.Valid([]byte(line)), line)
	}
	require.Contains(t, lines[0], "/_lancecommit_probe/")
}

func TestACommandThatEndsByItselfSaysNothingOfInterrupts(t *testing.T) {
	got := call(t, "doctor", t.TempDir(), "--rounds", "1")
	require.Equal(t, exitOK, got.code)
	require.Empty(t, got.err)
}

func TestWhatHasTheNameOfTheFolderStays(t *testing.T) {
	for command, name := range map[string]string{"doctor": committer.ProbeFolder, "bench": bench.Folder} {
		args := map[string][]string{"doctor": {"--rounds", "1"}, "bench": briefly}[command]
		for _, tc := range []struct {
			what string
			lay  func(store, at string) error
			code int
			says string
		}{
			{"a file", func(_, at string) error { return os.WriteFile(at, []byte("mine"), 0o666) }, exitUnavailable, "not a directory"},
			{"an empty file", func(_, at string) error { return os.WriteFile(at, nil, 0o666) }, exitUnavailable, "not a directory"},
			{"a symlink to a folder", func(store, at string) error {
				return errors.Join(os.Mkdir(filepath.Join(store, "real"), 0o777), os.Symlink("real", at))
			}, exitOK, ""},
			{"a symlink to nothing", func(_, at string) error { return os.Symlink("a/b", at) }, exitInvalid, "is a symlink that leads nowhere"},
		} {
			t.Run(command+", "+tc.what, func(t *testing.T) {
				store := t.TempDir()
				require.NoError(t, tc.lay(store, filepath.Join(store, name)))
				before := names(t, store)
				got := call(t, append([]string{command, store}, args...)...)
				if command == "doctor" || tc.code != exitUnavailable {
					require.Equal(t, tc.code, got.code, got.out+got.err)
				}
				require.Contains(t, strings.Join(strings.Fields(got.out+got.err), " "), tc.says)
				require.Equal(t, before, names(t, store))
			})
		}
	}
}

// names are the kinds and names of all that is below a folder.
func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		all = append(all, entry.Type().String()+" "+path)
		return err
	}))
	return all
}

func TestDoctorSaysWhatMayBeLeft(t *testing.T) {
	for count, want := range []string{"(nothing is left in it)", "(1 object may be left in it)", "(2 objects may be left in it)"} {
		rows := probeRows("db", committer.ProbeReport{
			Left: []string{"a", "b"}[:count], Findings: []committer.ProbeFinding{{Level: committer.ProbeOK}},
		})
		require.Contains(t, rows[len(rows)-1][1], want)
	}
	rows := probeRows("db", committer.ProbeReport{Findings: []committer.ProbeFinding{{Level: committer.ProbeOK}, {Name: "delete-ignored"}}})
	require.Contains(t, rows[0][1], "but deletes nothing")
}

func TestDoctorReportsWhatABucketDoes(t *testing.T) {
	const secret = "SECRETSECRETSECRET"
	always := func(status int, code string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			refusal(w, status, code)
			return true
		}
	}
	onPut := func(do func(w http.ResponseWriter, r *http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool { return r.Method == http.MethodPut && do(w, r) }
	}
	for _, tc := range []struct {
		name    string
		refuse  func(w http.ResponseWriter, r *http.Request) bool
		verdict committer.ProbeVerdict
		code    int
		first   string
		last    string
	}{
		{"a good one", func(http.ResponseWriter, *http.Request) bool { return false },
			committer.ProbeEnforced, exitOK, "safe: s3://bucket/db enforces create-if-absent", "What to do: Tables can be kept here."},
		{"the condition is ignored", onPut(func(_ http.ResponseWriter, r *http.Request) bool {
			r.Header.Del("If-None-Match")
			return false
		}), committer.ProbeIgnored, exitUnsupported, "NOT SAFE (ignored): s3://bucket/db", "What to do: Keep no tables here"},
		{"the condition is not implemented", onPut(always(http.StatusNotImplemented, "NotImplemented")),
			committer.ProbeUnsupported, exitUnsupported, "NOT SAFE (unsupported)", "What to do: Keep no tables here"},
		{"no permission to create", onPut(always(http.StatusForbidden, "AccessDenied")),
			committer.ProbeDenied, exitPermission, "not judged (no-permission)", "What to do: Grant these permissions"},
		{"a wrong secret", always(http.StatusForbidden, "SignatureDoesNotMatch"),
			committer.ProbeUnauthenticated, exitPermission, "not judged (unauthenticated)", "What to do: Check the credentials"},
		{"a clock that is off", always(http.StatusForbidden, "RequestTimeTooSkewed"),
			committer.ProbeClockSkew, exitPermission, "not judged (clock-skew)", "What to do: Find out which clock is wrong"},
		{"listings are not implemented", always(http.StatusNotImplemented, "NotImplemented"),
			committer.ProbeUnsupported, exitUnsupported, "NOT SAFE (unsupported)", "What to do: Keep no tables here"},
		{"looks are not implemented", func(w http.ResponseWriter, r *http.Request) bool {
			return r.Method == http.MethodHead && always(http.StatusNotImplemented, "")(w, r)
		}, committer.ProbeUnsupported, exitUnsupported, "NOT SAFE (unsupported)", "What to do: Keep no tables here"},
		{"a proxy has another clock, and the store refuses what is signed with it", func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
			if r.URL.Query().Get("list-type") != "" {
				return false // the first request has the right time, and the next ones that of the first answer
			}
			w.WriteHeader(http.StatusForbidden)
			return true
		}, committer.ProbeClockSkew, exitPermission, "not judged (clock-skew)", "What to do: Find out which clock is wrong"},
		{"no bucket", always(http.StatusNotFound, "NoSuchBucket"),
			committer.ProbeNoBucket, exitNotFound, "not judged (no-bucket)", "What to do: Check the name of the bucket"},
		{"another region", always(http.StatusMovedPermanently, "PermanentRedirect"),
			committer.ProbeInvalid, exitInvalid, "not judged (invalid-request)", "What to do: Check the location, the region"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bucket := &bucketServer{
				refuse: tc.refuse, objects: make(map[string][]byte), headers: make(map[string]http.Header), clients: make(map[string]bool),
			}
			server := httptest.NewServer(bucket)
			defer server.Close()
			args := []string{"doctor", "s3://bucket/db?region=us-east-1", "--rounds", "3"}
			for _, option := range []string{"endpoint=" + server.URL, "allow_http=true", "access_key_id=id", "secret_access_key=" + secret} {
				args = append(args, "--storage-option", option)
			}
			got := call(t, args...)
			require.Equal(t, tc.code, got.code, got.out+got.err)
			lines := strings.Split(strings.TrimSpace(got.out), "\n")
			require.Contains(t, lines[0], tc.first)
			require.Contains(t, lines[len(lines)-1], tc.last)
			require.NotContains(t, got.out, "?region", "a query can hold credentials")
			require.NotContains(t, got.out, "clock of this machine is", "one of two is wrong")
			require.NotContains(t, got.out, "cannot create conditionally")
			if tc.verdict != committer.ProbeDenied {
				require.NotContains(t, got.out, "Grant these permissions")
			}
			if tc.code == exitOK {
				require.GreaterOrEqual(t, len(bucket.clients), 8, "connections")
				require.Empty(t, got.err)
			} else {
				require.Contains(t, got.err, string(tc.verdict))
			}

			asJSON := call(t, append(args, "--json")...)
			require.Equal(t, tc.code, asJSON.code)
			require.Contains(t, asJSON.out, fmt.Sprintf("\"safe\": %t,\n  \"verdict\": %q", tc.code == exitOK, tc.verdict))
			for _, text := range []string{got.out, got.err, asJSON.out, asJSON.err} {
				require.NotContains(t, text, secret)
			}
			require.Empty(t, bucket.objects)
		})
	}
}

func TestDoctorSaysThatNobodyListens(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	got := call(t, "doctor", "s3://bucket", "--storage-option", "endpoint="+server.URL, "--storage-option", "allow_http=true",
		"--storage-option", "access_key_id=id", "--storage-option", "secret_access_key=SECRET")
	require.Equal(t, exitUnavailable, got.code, got.out)
	require.Contains(t, got.out, "not judged (unreachable): s3://bucket")
	require.Contains(t, got.out, "connection refused")
}

func TestDoctorTellsThatAzureRefusesTheClock(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
		w.Header().Set("x-ms-error-code", "AuthenticationFailed")
		w.WriteHeader(http.StatusForbidden)
	}))
	defer server.Close()
	got := call(t, "doctor", "az://container", "--storage-option", "endpoint="+server.URL+"/account", "--storage-option", "allow_http=true",
		"--storage-option", "account_name=account", "--storage-option", "account_key=c2VjcmV0")
	require.Equal(t, exitPermission, got.code, got.out+got.err)
	require.Contains(t, got.out, "not judged (clock-skew)")
}
