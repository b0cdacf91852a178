package lancedb

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTableTakesTheCallsOfItsAPI(t *testing.T) {
	ctx, db := t.Context(), Start(t)
	at := Location{URI: t.TempDir(), Table: "t"}
	table, err := db.Create(ctx, at, "V2", Row{1, "one"}, Row{2, "two"})
	require.NoError(t, err)

	version, err := table.Append(ctx, Row{3, "three"}, Row{4, "four"})
	require.NoError(t, err)
	require.Equal(t, uint64(2), version)
	version, err = table.Delete(ctx, "id = 1")
	require.NoError(t, err)
	require.Equal(t, uint64(3), version)
	require.NoError(t, table.CreateTag(ctx, "whole", 2))

	rows, err := table.Rows(ctx)
	require.NoError(t, err)
	require.Equal(t, []Row{{2, "two"}, {3, "three"}, {4, "four"}}, rows)
	history, err := table.Versions(ctx)
	require.NoError(t, err)
	require.Equal(t, [][2]int{{1, 2}, {2, 4}, {3, 3}}, versionsAndRows(history))
	require.WithinDuration(t, time.Now(), history[2].Timestamp, time.Hour)
	tags, err := table.Tags(ctx)
	require.NoError(t, err)
	require.Equal(t, uint64(2), tags["whole"].Version)

	branch, err := table.CreateBranch(ctx, "exp/one", 2)
	require.NoError(t, err)
	name, err := branch.Branch(ctx)
	require.NoError(t, err)
	require.Equal(t, "exp/one", name)
	version, err = branch.Append(ctx, Row{9, "nine"})
	require.NoError(t, err)
	require.Equal(t, uint64(3), version, "the branch's first version has the fork's number")
	branches, err := table.Branches(ctx)
	require.NoError(t, err)
	require.Equal(t, uint64(2), branches["exp/one"].ParentVersion)
	require.Positive(t, branches["exp/one"].ManifestSize)

	require.NoError(t, table.Checkout(ctx, 1))
	ids, err := table.IDs(ctx)
	require.NoError(t, err)
	require.Equal(t, []int32{1, 2}, ids)
	version, err = table.Restore(ctx)
	require.NoError(t, err)
	require.Equal(t, uint64(4), version)

	names, err := db.Tables(ctx, at)
	require.NoError(t, err)
	require.Equal(t, []string{"t"}, names)
}

func TestCreateUsesTheNamingSchemeAskedFor(t *testing.T) {
	db, folder := Start(t), t.TempDir()
	for scheme, want := range map[string]string{"V1": "1.manifest", "V2": "18446744073709551614.manifest"} {
		_, err := db.Create(t.Context(), Location{URI: folder, Table: scheme}, scheme, Row{1, "one"})
		require.NoError(t, err)
		require.FileExists(t, filepath.Join(folder, scheme+".lance", "_versions", want))
	}
}

func TestOpenTableStaysAtItsVersionUntilCheckoutLatest(t *testing.T) {
	ctx, db, other := t.Context(), Start(t), Start(t)
	at := Location{URI: t.TempDir(), Table: "t"}
	_, err := db.Create(ctx, at, "V2", Row{1, "one"})
	require.NoError(t, err)
	table, err := db.Open(ctx, at, OpenOptions{})
	require.NoError(t, err)
	writer, err := other.Open(ctx, at, OpenOptions{})
	require.NoError(t, err)
	_, err = writer.Append(ctx, Row{2, "two"})
	require.NoError(t, err)

	count, err := table.CountRows(ctx)
	require.NoError(t, err)
	require.Equal(t, 1, count)
	require.NoError(t, table.CheckoutLatest(ctx))
	count, err = table.CountRows(ctx)
	require.NoError(t, err)
	require.Equal(t, 2, count)
}

func TestTwoProcessesAppendAtOnceAndEveryRowIsThereOnce(t *testing.T) {
	const commits = 50
	ctx := t.Context()
	at := Location{URI: t.TempDir(), Table: "t"}
	writers := []*DB{Start(t), Start(t)}
	_, err := writers[0].Create(ctx, at, "V2", Row{0, "first"})
	require.NoError(t, err)

	appended := make([]Appended, len(writers))
	errs := make([]error, len(writers))
	var all sync.WaitGroup
	for i, db := range writers {
		rows := make([]Row, commits)
		for j := range rows {
			rows[j] = Row{int32(1 + i*commits + j), "row"}
		}
		all.Go(func() {
			table, err := db.Open(ctx, at, OpenOptions{})
			if err != nil {
				errs[i] = err
				return
			}
			appended[i], errs[i] = table.AppendEach(ctx, rows, 50)
		})
	}
	all.Wait()

	committed := []uint64{1}
	for i := range writers {
		require.NoError(t, errs[i])
		require.Len(t, appended[i].Versions, commits)
		committed = append(committed, appended[i].Versions...)
	}
	slices.Sort(committed)
	for i, version := range committed {
		require.Equal(t, uint64(i+1), version, "no version twice and none missing")
	}
	table, err := writers[1].Open(ctx, at, OpenOptions{})
	require.NoError(t, err)
	ids, err := table.IDs(ctx)
	require.NoError(t, err)
	require.Len(t, ids, 2*commits+1)
	require.Len(t, slices.Compact(ids), 2*commits+1)
}

func TestAppendEachStartsAgainFromTheLatestVersionAfterAConflict(t *testing.T) {
	ctx, db := t.Context(), Start(t)
	at := Location{URI: t.TempDir(), Table: "t"}
	other, err := db.Create(ctx, at, "V2", Row{1, "one"})
	require.NoError(t, err)
	_, err = other.Append(ctx, Row{2, "two"})
	require.NoError(t, err)
	table, err := db.Open(ctx, at, OpenOptions{})
	require.NoError(t, err)
	// A restore is what LanceDB never appends on top of by itself.
	require.NoError(t, other.Checkout(ctx, 1))
	_, err = other.Restore(ctx)
	require.NoError(t, err)

	_, err = table.AppendEach(ctx, []Row{{3, "three"}}, 1)
	require.ErrorContains(t, err, "after 0 rows")
	appended, err := table.AppendEach(ctx, []Row{{3, "three"}, {4, "four"}}, 2)
	require.NoError(t, err)
	require.Equal(t, Appended{Versions: []uint64{4, 5}, Conflicts: 1}, appended)
}

func TestStorageOptionsReachLanceDB(t *testing.T) {
	asked := make(chan *http.Request, 100)
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("prefix") == "path/t.lance/_versions/" {
			asked <- r
		}
		w.Header().Set("ETag", `"1"`)
		io.WriteString(w, `<ListBucketResult><Name>bucket</Name><KeyCount>0</KeyCount><IsTruncated>false</IsTruncated></ListBucketResult>`)
	}))
	defer endpoint.Close()

	_, err := Start(t).Open(t.Context(), onEndpoint(endpoint.URL), OpenOptions{})
	var refusal *Error
	require.ErrorAs(t, err, &refusal)
	require.NotEmpty(t, asked)
	request := <-asked
	require.Equal(t, "/bucket", request.URL.Path)
	require.Contains(t, request.Header.Get("Authorization"), "Credential=name/")
}

func TestRefusalIsAnErrorWithLanceDBsWordsAndTheProcessGoesOn(t *testing.T) {
	ctx, db, folder := t.Context(), Start(t), t.TempDir()
	_, err := db.Open(ctx, Location{URI: folder, Table: "none"}, OpenOptions{})
	var refusal *Error
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, "open", refusal.Call)
	require.Contains(t, refusal.Text, "was not found")
	require.NotErrorIs(t, err, ErrStopped)

	_, err = db.Create(ctx, Location{URI: folder, Table: "some"}, "V2", Row{1, "one"})
	require.NoError(t, err)
}

func TestCallWhoseTimeIsUpEndsTheProcess(t *testing.T) {
	url, _ := hangingEndpoint(t)
	db := Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := db.Open(ctx, onEndpoint(url), OpenOptions{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorIs(t, err, ErrStopped)

	_, err = db.Tables(t.Context(), Location{URI: t.TempDir()})
	require.ErrorIs(t, err, ErrStopped, "later calls do not hang")
}

func TestProcessEndsByItselfWhenItsInputEndsEvenInTheMiddleOfACall(t *testing.T) {
	url, asked := hangingEndpoint(t)
	db := Start(t)
	opened := make(chan error, 1)
	go func() {
		_, err := db.Open(t.Context(), onEndpoint(url), OpenOptions{})
		opened <- err
	}()
	<-asked
	require.NoError(t, db.stdin.Close())
	select {
	case <-db.ended:
	case <-time.After(time.Minute):
		t.Fatal("the process goes on")
	}
	require.NoError(t, db.waitErr)
	require.ErrorIs(t, <-opened, ErrStopped)
}

func TestProcessThatCannotLoadLanceDBTellsWhy(t *testing.T) {
	folder := Require(t)
	_, err := start(Command(t.Context(), filepath.Join(filepath.Dir(folder), "absent"), "lancedb/driver.mjs"), "")
	require.ErrorIs(t, err, ErrStopped)
	require.ErrorContains(t, err, filepath.Join(filepath.Dir(folder), "absent"))
}

func TestWorkingDirectoryIsWhatRelativeURIsAreRelativeTo(t *testing.T) {
	folder := t.TempDir()
	_, err := StartIn(t, folder).Create(t.Context(), Location{URI: "database", Table: "t"}, "V2", Row{1, "one"})
	require.NoError(t, err)
	_, err = os.Stat(filepath.Join(folder, "database", "t.lance"))
	require.NoError(t, err)
}

// hangingEndpoint takes requests, tells of each, and answers none.
func hangingEndpoint(t *testing.T) (url string, asked <-chan struct{}) {
	requests, over := make(chan struct{}, 100), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		requests <- struct{}{}
		<-over
	}))
	t.Cleanup(func() {
		close(over)
		server.Close()
	})
	return server.URL, requests
}

// onEndpoint is a table on an S3 store at url.
func onEndpoint(url string) Location {
	return Location{URI: "s3://bucket/path", Table: "t", StorageOptions: map[string]string{
		"aws_endpoint": url, "allow_http": "true", "aws_region": "us-east-1",
		"aws_access_key_id": "name", "aws_secret_access_key": "secret",
	}}
}

func versionsAndRows(history []VersionInfo) (pairs [][2]int) {
	for _, info := range history {
		pairs = append(pairs, [2]int{int(info.Version), info.Rows})
	}
	return pairs
}
