package gcs_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

// A bucket serves a store in memory by the protocol of Google Cloud Storage, as
// far as commits use it. What happens to the uploads is scripted, the last step
// for ever.
type bucket struct {
	*memory.Store
	steps []step
	puts  int
}

// A step keeps the object or not, and answers; without an answer it is the true
// one.
type step struct {
	keeps  bool
	answer func(w http.ResponseWriter)
}

func (b *bucket) serve(t testing.TB) func(w http.ResponseWriter, r request) {
	return func(w http.ResponseWriter, r request) {
		switch name, ok := strings.CutPrefix(r.URL.Path, "/storage/v1/b/bucket/o/"); {
		case r.Method == http.MethodPost:
			b.put(t, w, r)
		case r.URL.Path == "/storage/v1/b/bucket/o":
			b.list(w, r)
		case ok:
			attrs, err := b.Head(r.Context(), name)
			if errors.Is(err, backends.ErrNotExist) {
				answer(w, 404, "notFound", "No such object: bucket/"+name)
				return
			}
			describe(w, name, int(attrs.Size), generationOf(attrs), attrs.Metadata)
		default:
			body, attrs, err := b.Get(r.Context(), strings.TrimPrefix(r.URL.Path, "/bucket/"))
			if err != nil {
				answerXML(w, 404, "NoSuchKey", "The specified key does not exist.")
				return
			}
			w.Header().Set("X-Goog-Generation", strconv.FormatInt(generationOf(attrs), 10))
			w.Header().Set("X-Goog-Meta-Lancecommit", attrs.Metadata)
			w.Header().Set("Last-Modified", attrs.Modified.Format(http.TimeFormat))
			_, _ = w.Write(body)
		}
	}
}

func (b *bucket) put(t testing.TB, w http.ResponseWriter, r request) {
	b.puts++
	now := b.steps[min(b.puts, len(b.steps))-1]
	name := r.URL.Query().Get("name")
	object, body := r.parts(t)
	truth := jsonError(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
	if now.keeps {
		metadata, _ := object["metadata"].(map[string]any)
		text, _ := metadata["lancecommit"].(string)
		attrs, err := b.PutIfAbsent(r.Context(), name, body, backends.PutOptions{Metadata: text})
		if err == nil {
			truth = func(w http.ResponseWriter) { describe(w, name, len(body), generationOf(attrs), text) }
		}
	}
	if now.answer != nil {
		truth = now.answer
	}
	truth(w)
}

func (b *bucket) list(w http.ResponseWriter, r request) {
	query := r.URL.Query()
	limit, _ := strconv.Atoi(query.Get("maxResults"))
	got, _ := b.List(r.Context(), backends.ListInput{
		Prefix: query.Get("prefix"), Token: query.Get("pageToken"), Limit: limit,
	})
	var items []any
	for _, o := range got.Objects {
		items = append(items, resource(o.Key, int(o.Size), generationOf(o.Attrs), ""))
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"nextPageToken": got.Token, "prefixes": got.Prefixes, "items": items})
}

func generationOf(attrs backends.Attrs) int64 {
	generation, _ := strconv.ParseInt(attrs.ETag, 16, 64)
	return generation
}

const root = "db/t.lance"

func TestACommitIsWhatTheBucketHolds(t *testing.T) {
	internal := jsonError(500, "backendError", "Backend Error")
	unavailable := jsonError(503, "backendError", "Backend Error")
	for _, tc := range []struct {
		name  string
		steps []step
		puts  int
	}{
		{"it was kept and answered", []step{{keeps: true}}, 1},
		{"it was kept and the answer is 500", []step{{keeps: true, answer: internal}}, 1},
		{"it was kept and the answer is 503", []step{{keeps: true, answer: unavailable}}, 1},
		{"it was kept and the connection broke", []step{{keeps: true, answer: drop}}, 1},
		{"it was kept and the answer says 200 and nothing else", []step{{keeps: true, answer: plain(200, "{}", false)}}, 1},
		{"it was not kept and the answer is 503, then it is", []step{{answer: unavailable}, {keeps: true}}, 2},
		{"it was refused for its rate, then it is kept", []step{
			{answer: jsonError(429, "rateLimitExceeded", "slow down")}, {keeps: true},
		}, 2},
		{"the first was lost, the second kept with its answer lost", []step{{answer: drop}, {keeps: true, answer: drop}}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := &bucket{Store: memory.New(memory.Options{}), steps: tc.steps}
			wi := newWire(t, b.serve(t))
			table := committer.NewTable(wi.store(t), root)
			manifest := testmanifest.New(1, "", "mine")
			got, err := table.Commit(t.Context(), 1, manifest)
			require.NoError(t, err)
			require.Equal(t, tc.puts, b.puts, "uploads")
			body, attrs, err := b.Get(t.Context(), got.Key)
			require.NoError(t, err)
			require.Equal(t, manifest, body)
			require.Equal(t, strconv.FormatInt(generationOf(attrs), 10), got.ETag)
		})
	}
}

func TestACommitOfATakenVersionNamesTheOther(t *testing.T) {
	b := &bucket{Store: memory.New(memory.Options{}), steps: []step{{keeps: true}}}
	wi := newWire(t, b.serve(t))
	ours, theirs := committer.NewTable(wi.store(t), root), committer.NewTable(wi.store(t), root)
	_, err := ours.Commit(t.Context(), 1, testmanifest.New(1, "", "ours"))
	require.NoError(t, err)
	_, err = theirs.Commit(t.Context(), 2, testmanifest.New(2, "", "theirs"))
	require.NoError(t, err)
	_, err = ours.Commit(t.Context(), 2, testmanifest.New(2, "", "ours"))
	require.ErrorIs(t, err, committer.ErrConflict)
}

func TestACommitIsOneListingAndOneUpload(t *testing.T) {
	b := &bucket{Store: memory.New(memory.Options{}), steps: []step{{keeps: true}}}
	wi := newWire(t, b.serve(t))
	table := committer.NewTable(wi.store(t), root)
	for version, want := range [][]string{
		{"GET /storage/v1/b/bucket/o", "POST /upload/storage/v1/b/bucket/o"},
		{"POST /upload/storage/v1/b/bucket/o"},
	} {
		_, err := table.Commit(t.Context(), uint64(version+1), testmanifest.New(uint64(version+1), "", "x"))
		require.NoError(t, err)
		require.Equal(t, want, lines(wi.take()), "version %d", version+1)
	}
}

func TestARefusedListingIsNoEmptyTable(t *testing.T) {
	for _, tc := range []struct {
		status int
		want   error
	}{{403, backends.ErrPermission}, {404, backends.ErrNoBucket}, {401, backends.ErrUnauthenticated}} {
		wi := newWire(t, func(w http.ResponseWriter, r request) {
			_, _ = io.Copy(io.Discard, r.Body)
			answer(w, tc.status, "x", "no")
		})
		_, err := committer.NewTable(wi.store(t), root).Commit(t.Context(), 1, testmanifest.New(1, "", "x"))
		require.ErrorIs(t, err, tc.want)
		for _, line := range lines(wi.take()) {
			require.NotContains(t, line, "POST")
		}
	}
}
