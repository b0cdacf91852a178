package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
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
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/bench"
)

// The JSON of bench, field by field as its help has it.
type (
	benchJSON struct {
		Store      string                        `json:"store"`
		Bytes      int                           `json:"manifest_bytes"`
		Operations map[string]benchOperationJSON `json:"operations"`
		Contention []benchContentionJSON         `json:"contention"`
		Costs      struct {
			Read    string          `json:"prices_read"`
			Writers int             `json:"contended_writers"`
			Stores  []benchCostJSON `json:"stores"`
		} `json:"costs"`
		Folder  string   `json:"folder"`
		Left    []string `json:"left"`
		Objects int      `json:"objects"`
		Elapsed int64    `json:"elapsed_ns"`
	}
	benchTimesJSON struct {
		N    int   `json:"n"`
		P50  int64 `json:"p50_ns"`
		P99  int64 `json:"p99_ns"`
		Mean int64 `json:"mean_ns"`
	}
	benchRequestsJSON struct {
		Put  float64 `json:"put"`
		Head float64 `json:"head"`
		List float64 `json:"list"`
		Get  float64 `json:"get"`
		Hint float64 `json:"hint"`
	}
	benchOperationJSON struct {
		benchTimesJSON
		Requests benchRequestsJSON `json:"requests"`
		Ratio    *float64          `json:"ratio"`
		Failed   int               `json:"failed"`
	}
	benchContentionJSON struct {
		benchTimesJSON
		Writers     int               `json:"writers"`
		Form        string            `json:"form"`
		Commits     int               `json:"commits"`
		PerSecond   float64           `json:"commits_per_second"`
		SerialLimit float64           `json:"serial_limit_per_second"`
		Requests    benchRequestsJSON `json:"requests_per_commit"`
		Slowest     *float64          `json:"slowest_share"`
		CutOff      int               `json:"cut_off"`
		Failed      int               `json:"failed"`
	}
	benchCostJSON struct {
		Store            string  `json:"store"`
		Class            string  `json:"class"`
		Region           string  `json:"region"`
		Source           string  `json:"source"`
		Put              float64 `json:"put_usd_per_million"`
		Head             float64 `json:"head_usd_per_million"`
		List             float64 `json:"list_usd_per_million"`
		Get              float64 `json:"get_usd_per_million"`
		Commits          float64 `json:"usd_per_million_commits"`
		ContendedCommits float64 `json:"usd_per_million_contended_commits"`
		ColdLookups      float64 `json:"usd_per_million_cold_lookups"`
		WarmLookups      float64 `json:"usd_per_million_warm_lookups"`
	}
)

// briefly are the flags of a benchmark that ends soon.
var briefly = []string{"--for", "1s", "--max-objects", "1000", "--writers", "1,4"}

func TestBenchMeasuresADisk(t *testing.T) {
	store := t.TempDir()
	chart := filepath.Join(t.TempDir(), "chart.svg")
	got := call(t, append([]string{"bench", store, "--svg", chart}, briefly...)...)
	require.Equal(t, exitOK, got.code, got.err)
	require.Empty(t, got.err)
	require.NotContains(t, got.out, "\x1b")
	for _, line := range []string{
		`REQUEST +N +P50 +P99 +MEAN +RATIO +REQUESTS`, `PUT if absent +\d+ `, `commit +\d+ .* x PUT +1 PUT, 1 hint`,
		`LIST of a first page +\d+ `, `latest, cold +\d+ .* x LIST +1 LIST`, `HEAD of an absent name +\d+ `, `latest, warm +\d+ .* x HEAD +1 HEAD`,
		`WRITERS +PUT/S +TURNS/S +P50 +P99 +PUTS +RACE/S +P50 +P99 +PUTS +HEADS +LISTS +GETS +SLOWEST`, `1 +[\d.]+ `, `4 +[\d.]+ `,
		`US\$ FOR A MILLION +S3 +GCS +AZURE`, `commits, one writer +5.00 +5.00 +5.00`, `commits, 4 with a handle each +\d`,
		`lookups of the latest, cold +5.00 +5.00 +5.00`, `lookups of the latest, warm +0.40 +0.40 +0.40`,
		`List prices of October 2026, requests only: S3 Standard \(us-east-1\); GCS .*; Azure .*\(East US\)\.`,
		`.*: \d+ objects, manifests of 538 bytes, [\d.]+ s; nothing is left`, `Chart: .*chart.svg`,
	} {
		require.Regexp(t, `(?m)^`+line, got.out)
	}
	lines := strings.Split(got.out, "\n")
	require.Less(t, len(lines), 36, "one screen")
	entries, err := os.ReadDir(store)
	require.NoError(t, err)
	require.Empty(t, entries, "the folders of the benchmark are gone, too")
	requireChart(t, chart)
}

// requireChart checks that a file is a chart, and alone in its folder.
func requireChart(t *testing.T, file string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	body, err := os.ReadFile(file)
	require.NoError(t, err)
	var texts []string
	rectangles := 0
	for decoder := xml.NewDecoder(bytes.NewReader(body)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.CharData:
			if text := strings.TrimSpace(string(token)); text != "" {
				texts = append(texts, text)
			}
		case xml.StartElement:
			if token.Name.Local == "rect" || token.Name.Local == "path" {
				rectangles++
			}
		}
	}
	for _, text := range []string{
		"Commits to one Lance table on disk", "writers at the same time", "committed versions a second",
		oneHandleName, handleEachName, serialName, "1", "4", "0",
	} {
		require.Contains(t, texts, text)
	}
	require.Positive(t, rectangles)
	require.Contains(t, string(body), "fill:#FFFFFF", "a background, for those who look at it on black")
	require.Contains(t, string(body), "sans-serif")
}

func TestTheJSONOfBenchIsAsItsHelpSays(t *testing.T) {
	store := t.TempDir()
	got := call(t, append([]string{"bench", "file://" + store, "--json", "--manifest-size", "2000"}, briefly...)...)
	require.Equal(t, exitOK, got.code, got.err)
	var report benchJSON
	decoder := json.NewDecoder(strings.NewReader(got.out))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&report), got.out)
	_, err := decoder.Token()
	require.ErrorIs(t, err, io.EOF, "one object")

	require.Equal(t, "file://"+store, report.Store)
	require.Equal(t, 2000, report.Bytes)
	require.Positive(t, report.Objects)
	require.Positive(t, report.Elapsed)
	require.NotNil(t, report.Left)
	require.Empty(t, report.Left)
	require.Contains(t, report.Folder, bench.Folder+"/")
	require.Len(t, report.Operations, 6)
	for _, name := range []string{"put", "head", "list", "commit", "latest_cold", "latest_warm"} {
		op := report.Operations[name]
		require.Positive(t, op.N, name)
		require.Positive(t, op.P50, name)
		require.GreaterOrEqual(t, op.P99, op.P50, name)
		require.Positive(t, op.Mean, name)
		require.Equal(t, name == "commit" || strings.HasPrefix(name, "latest"), op.Ratio != nil, name)
	}
	require.Equal(t, benchRequestsJSON{Put: 1, Hint: 1}, report.Operations["commit"].Requests)
	require.Len(t, report.Contention, 4)
	for i, c := range report.Contention {
		require.Equal(t, []int{1, 1, 4, 4}[i], c.Writers)
		require.Equal(t, []string{"one_handle", "handle_each"}[i%2], c.Form)
		require.Positive(t, c.Commits)
		require.Positive(t, c.N)
		require.Positive(t, c.PerSecond)
		require.Positive(t, c.SerialLimit)
		require.GreaterOrEqual(t, c.Requests.Put, 1.0)
	}
	require.Equal(t, 4, report.Costs.Writers)
	require.NotEmpty(t, report.Costs.Read)
	require.Len(t, report.Costs.Stores, 3)
	for _, cost := range report.Costs.Stores {
		require.Equal(t, cost.Put, cost.Commits)
		require.GreaterOrEqual(t, cost.ContendedCommits, cost.Commits)
		require.Equal(t, cost.List, cost.ColdLookups)
		require.Equal(t, cost.Head, cost.WarmLookups)
	}

	help := call(t, "bench", "--help").out
	for _, field := range []string{
		"store", "manifest_bytes", "objects", "elapsed_ns", "folder", "left", "latest_cold", "latest_warm", ".p50_ns", ".p99_ns", ".mean_ns",
		".ratio", ".failed", ".requests.", "hint", "one_handle", "handle_each", ".commits_per_second", ".serial_limit_per_second",
		".requests_per_commit.", ".slowest_share", ".cut_off", "costs.prices_read", ".contended_writers", ".class", ".region", ".source",
		"_usd_per_million", ".usd_per_million_", "contended_commits", "cold_lookups", "warm_lookups",
	} {
		require.Contains(t, help, field)
	}
}

func TestBenchRefusesBadInput(t *testing.T) {
	store := t.TempDir()
	for args, want := range map[string]int{
		"bench": exitInvalid, "bench a b": exitInvalid, "bench absent": exitNotFound, "bench ftp://bucket": exitUnsupported,
		"bench . --for 0": exitInvalid, "bench . --for 500ms": exitInvalid, "bench . --for 2h": exitInvalid, "bench . --for soon": exitInvalid,
		"bench . --writers 0": exitInvalid, "bench . --writers 1,1": exitInvalid, "bench . --writers 1,2000": exitInvalid, "bench . --writers many": exitInvalid,
		"bench . --max-objects 10": exitInvalid, "bench . --max-objects 10000000": exitInvalid,
		"bench . --manifest-size 100": exitInvalid, "bench . --manifest-size -1": exitInvalid,
		"bench . --manifest-size 10000000 --max-objects 20000": exitInvalid, "bench . --manifest-size 100000000000": exitInvalid,
		"bench . --svg absent/chart.svg": exitInvalid, "bench . --svg .": exitInvalid, "bench . --svg /dev/null": exitInvalid,
	} {
		t.Chdir(store)
		got := call(t, strings.Fields(args)...)
		require.Equal(t, want, got.code, "%s: %s", args, got.err)
		require.Empty(t, got.out)
		require.Empty(t, tree(t, store), args)
	}
}

func TestBenchReplacesAChart(t *testing.T) {
	chart := filepath.Join(t.TempDir(), "chart.svg")
	require.NoError(t, os.WriteFile(chart, []byte("an old one"), 0o666))

	got := call(t, append([]string{"bench", filepath.Join(t.TempDir(), "absent"), "--svg", chart}, briefly...)...)
	require.Equal(t, exitNotFound, got.code)
	body, err := os.ReadFile(chart)
	require.NoError(t, err)
	require.Equal(t, "an old one", string(body), "not for a benchmark that failed")

	require.Equal(t, exitOK, call(t, append([]string{"bench", t.TempDir(), "--svg", chart}, briefly...)...).code)
	requireChart(t, chart)
}

func TestASignalEndsTheBenchmarkInGoodOrder(t *testing.T) {
	for _, after := range []time.Duration{0, 700 * time.Millisecond} {
		store := t.TempDir()
		chart := filepath.Join(t.TempDir(), "chart.svg")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(after, cancel)
		var out, stderr bytes.Buffer
		require.Equal(t, exitOther, run(ctx, []string{"bench", store, "--svg", chart}, streams{nil, &out, &stderr}))
		require.Empty(t, out.String(), "nothing half true")
		require.Contains(t, stderr.String(), "it did not end")
		require.Empty(t, tree(t, store))
		require.Empty(t, tree(t, filepath.Dir(chart)))
		if after > 0 {
			require.Contains(t, stderr.String(), "lancecommit: interrupted: cleaning up in "+store+"/_lancecommit_bench/")
		}
	}
}

func TestTheFolderOfABenchmarkIsTakenFromItsFirstKey(t *testing.T) {
	for key, want := range map[string]string{
		"_lancecommit_bench/abc/put/0":                           "_lancecommit_bench/abc/",
		"some/db/_lancecommit_bench/abc/t.lance/_versions/1":     "some/db/_lancecommit_bench/abc/",
		"_lancecommit_bench/old/_lancecommit_bench/abc/put/0001": "_lancecommit_bench/old/_lancecommit_bench/abc/",
	} {
		require.Equal(t, want, benchFolderOf(key))
	}
}

func TestBenchReportsWhatABucketDoes(t *testing.T) {
	const secret = "SECRETSECRETSECRET"
	on := func(method string, do func(w http.ResponseWriter, r *http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool { return r.Method == method && do(w, r) }
	}
	always := func(status int, code string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			refusal(w, status, code)
			return true
		}
	}
	for _, tc := range []struct {
		name     string
		refuse   func(w http.ResponseWriter, r *http.Request) bool
		code     int
		says     string
		measured bool
	}{
		{"a good one", func(http.ResponseWriter, *http.Request) bool { return false }, exitOK, "", true},
		{"the condition is ignored", on(http.MethodPut, func(_ http.ResponseWriter, r *http.Request) bool {
			r.Header.Del("If-None-Match")
			return false
		}), exitUnsupported, "'lancecommit doctor' tells more", false},
		{"the condition is not implemented", on(http.MethodPut, always(http.StatusNotImplemented, "NotImplemented")),
			exitUnsupported, "said by the store", false},
		{"no permission to create", on(http.MethodPut, always(http.StatusForbidden, "AccessDenied")), exitPermission, "the first create", false},
		{"a wrong secret", always(http.StatusForbidden, "SignatureDoesNotMatch"), exitPermission, "the first create", false},
		{"no bucket", always(http.StatusNotFound, "NoSuchBucket"), exitNotFound, "the first create", false},
		{"no permission to delete", on(http.MethodDelete, always(http.StatusForbidden, "AccessDenied")),
			exitPermission, "could not be removed, or may be there still (db/" + bench.Folder + "/", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bucket := &bucketServer{
				refuse: tc.refuse, objects: make(map[string][]byte), headers: make(map[string]http.Header), clients: make(map[string]bool),
			}
			server := httptest.NewServer(bucket)
			defer server.Close()
			args := append([]string{"bench", "s3://bucket/db?region=us-east-1"}, briefly...)
			for _, option := range []string{"endpoint=" + server.URL, "allow_http=true", "access_key_id=id", "secret_access_key=" + secret} {
				args = append(args, "--storage-option", option)
			}
			got := call(t, args...)
			require.Equal(t, tc.code, got.code, got.out+got.err)
			require.Contains(t, got.err, tc.says)
			require.NotContains(t, got.out+got.err, secret)
			require.NotContains(t, got.out, "?region", "a query can hold credentials")
			require.Equal(t, tc.measured, strings.Contains(got.out, "PUT if absent"))
			if tc.code == exitOK {
				require.GreaterOrEqual(t, len(bucket.clients), 4, "connections")
				require.Contains(t, got.out, "s3://bucket/db: ")
				require.Regexp(t, `commit +\d+ .* x PUT +1 PUT\n`, got.out)
				require.Empty(t, got.err)
			}
			if tc.code == exitPermission && tc.measured {
				require.Contains(t, got.out, "objects may be left in db/"+bench.Folder)
				return
			}
			require.Empty(t, bucket.objects)
			require.NotContains(t, got.out+got.err, bench.ErrLeft.Error(), "what was refused is not left")
		})
	}
}

func TestACommitOfTheBenchmarkIsNoCommitOfAWriter(t *testing.T) {
	for _, tc := range []struct {
		err  error
		code int
	}{
		{committer.ErrUnknownOutcome, exitUnavailable}, {committer.ErrStaleCommit, exitUnavailable}, {committer.ErrConflict, exitUnavailable},
		{backends.ErrNotDurable, exitUnavailable}, {committer.ErrInconsistentStore, exitUnsupported}, {fs.ErrPermission, exitPermission},
		{context.DeadlineExceeded, exitUnavailable}, {backends.ErrThrottled, exitUnavailable}, {backends.ErrNoBucket, exitNotFound},
	} {
		err := measureError(fmt.Errorf("bench: %w", tc.err))
		require.Equal(t, tc.code, exitCode(err), tc.err)
		require.ErrorContains(t, err, tc.err.Error())
	}
}

func TestTheTextOfABenchmark(t *testing.T) {
	share := 0.5
	report := bench.Report{Contention: []bench.Contention{
		{Writers: 2, Form: bench.OneHandle, SerialLimit: 90, PerSecond: 250.4},
		{Writers: 2, Form: bench.HandleEach, SerialLimit: 110, PerSecond: 25.04, Slowest: &share, Requests: bench.Requests{Put: 1, Head: 2, List: 3, Get: 4}},
		{Writers: 4, Form: bench.OneHandle},
		{Writers: 4, Form: bench.HandleEach},
	}}
	rows := contentionRows(report)
	require.Len(t, rows, 3)
	require.Equal(t, []string{"2", "100", "250", "0 µs", "0 µs", "0.00", "25.0", "0 µs", "0 µs", "1.00", "2.00", "3.00", "4.00", "0.50"}, rows[1])
	require.Equal(t, "-", rows[2][len(rows[2])-1], "there were too few commits to say")

	require.Equal(t, "1 PUT, 0.5 HEAD, 2 LIST, 3 GET, 1 hint", requestText(bench.Requests{Put: 1, Head: 0.5, List: 2, Get: 3, Hint: 1}))
	for took, want := range map[time.Duration]string{
		412 * time.Microsecond: "412 µs", 3140 * time.Microsecond: "3.14 ms", 31400 * time.Microsecond: "31.4 ms",
		2 * time.Second: "2000 ms", 31 * time.Second: "31.0 s",
	} {
		require.Equal(t, want, shortTime(took))
	}
	report.Operations.Put.Failed, report.Contention[1].Failed, report.Left = 1, 2, []string{"a", "b"}
	notes := benchNotes("s3://bucket", report, "")
	require.Contains(t, notes, "2 objects may be left in")
	require.Contains(t, notes, "3 calls failed and are not in the times.")
	require.NotContains(t, notes, "Chart")
}
