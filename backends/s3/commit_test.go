package s3_test

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/backends/s3"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

// A bucket serves a store in memory by the protocol of S3, as far as commits use
// it. What happens to the PUTs is scripted, the last step for ever.
type bucket struct {
	*memory.Store
	steps []step
	puts  atomic.Int32
}

// A step keeps the object or not, and answers; a zero reply is the true one.
type step struct {
	keeps bool
	reply reply
}

func (b *bucket) answer(w http.ResponseWriter, r *http.Request) {
	key := strings.TrimPrefix(r.URL.Path, "/bucket/")
	switch {
	case r.Method == http.MethodPut:
		b.put(w, r, key)
	case r.URL.Query().Has("list-type"):
		b.list(w, r)
	default:
		body, attrs, err := b.Get(r.Context(), key)
		if errors.Is(err, backends.ErrNotExist) {
			send(w, r, s3Error(404, "NoSuchKey", "The specified key does not exist."))
			return
		}
		send(w, r, reply{status: 200, body: string(body), header: map[string]string{
			"ETag": attrs.ETag, "x-amz-meta-lancecommit": attrs.Metadata, "Content-Length": strconv.Itoa(len(body)),
			"Last-Modified": attrs.Modified.Format(http.TimeFormat),
		}})
	}
}

func (b *bucket) put(w http.ResponseWriter, r *http.Request, key string) {
	now := b.steps[min(int(b.puts.Add(1)), len(b.steps))-1]
	body, err := io.ReadAll(r.Body)
	truth := s3Error(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
	if err == nil && now.keeps {
		attrs, err := b.PutIfAbsent(r.Context(), key, body,
			backends.PutOptions{Metadata: r.Header.Get("x-amz-meta-lancecommit")})
		if err == nil {
			truth = reply{status: 200, header: map[string]string{"ETag": attrs.ETag}}
		}
	}
	if now.reply.status != 0 || now.reply.act != nil {
		truth = now.reply
	}
	send(w, r, truth)
}

func (b *bucket) list(w http.ResponseWriter, r *http.Request) {
	type contents struct {
		Key          string
		ETag         string
		Size         int64
		LastModified time.Time
	}
	answer := struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		Name                  string
		IsTruncated           bool
		NextContinuationToken string `xml:",omitempty"`
		Contents              []contents
	}{Name: "bucket"}
	query := r.URL.Query()
	limit, _ := strconv.Atoi(query.Get("max-keys"))
	page, _ := b.List(r.Context(), backends.ListInput{
		Prefix: query.Get("prefix"), StartAfter: query.Get("start-after"), Token: query.Get("continuation-token"), Limit: limit,
	})
	for _, o := range page.Objects {
		answer.Contents = append(answer.Contents, contents{o.Key, o.ETag, o.Size, o.Modified})
	}
	answer.NextContinuationToken, answer.IsTruncated = page.Token, page.Token != ""
	body, _ := xml.Marshal(answer)
	send(w, r, reply{status: 200, body: string(body)})
}

func send(w http.ResponseWriter, r *http.Request, p reply) {
	if p.act != nil {
		p.act(w, r)
		return
	}
	for name, value := range p.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(p.status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, p.body)
	}
}

const root = "db/t.lance"

func TestACommitIsWhatTheBucketHolds(t *testing.T) {
	internal := s3Error(500, "InternalError", "We encountered an internal error. Please try again.")
	lost := reply{act: hangUp}
	kept := func(p reply) step { return step{keeps: true, reply: p} }
	refused := func(p reply) step { return step{reply: p} }
	goes := step{keeps: true}
	for _, tc := range []struct {
		name  string
		rival bool
		steps []step
		want  error
		puts  int32
	}{
		{"it goes through", false, []step{goes}, nil, 1},
		{"kept, and answered by a 500", false, []step{kept(internal), goes}, nil, 1},
		{"kept, and answered by a 500 without a body", false, []step{kept(reply{status: 500}), goes}, nil, 1},
		{"kept, and the connection is dropped", false, []step{kept(lost), goes}, nil, 1},
		{"kept, and answered by 503 SlowDown", false, []step{kept(s3Error(503, "SlowDown", "slowly")), goes}, nil, 1},
		{"kept, and its answer blocked by a firewall", false, []step{kept(reply{status: 403, body: html}), goes}, nil, 1},
		{"kept, and answered by an error under a 200", false, []step{kept(s3Error(200, "InternalError", "sorry")), goes}, nil, 1},
		{"kept, and refused as our own by something that retries", false, []step{kept(reply{status: 412}), goes}, nil, 1},
		{"a 500, then it goes through", false, []step{refused(internal), goes}, nil, 2},
		{"a conflict, then it goes through", false, []step{refused(s3Error(409, "ConditionalRequestConflict", "again")), goes}, nil, 2},
		{"aborted, then it goes through", false, []step{refused(s3Error(409, "OperationAborted", "again")), goes}, nil, 2},
		{"throttled, then it goes through", false, []step{refused(s3Error(429, "TooManyRequests", "slowly")), goes}, nil, 2},
		{"a rival has it", true, []step{goes}, committer.ErrConflict, 1},
		{"throttled while a rival has it", true, []step{refused(reply{status: 429})}, committer.ErrConflict, 1},
		{"the condition is not implemented", false, []step{refused(s3Error(501, "NotImplemented", "no"))}, backends.ErrUnsupported, 1},
		{"denied", false, []step{refused(s3Error(403, "AccessDenied", "no"))}, backends.ErrPermission, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := &bucket{Store: memory.New(memory.Options{}), steps: tc.steps}
			b.Inject(naming.Versions(root)+naming.V2.Final(1), testmanifest.New(1, "", "laid"))
			if tc.rival {
				for i, s := range b.steps { // the rival is there before the PUT is answered
					answer := s.reply
					b.steps[i] = step{reply: reply{act: func(w http.ResponseWriter, r *http.Request) {
						b.Inject(naming.Versions(root)+naming.V2.Final(2), testmanifest.New(2, "", "rival"))
						if answer.status == 0 {
							answer = s3Error(412, "PreconditionFailed", "taken")
						}
						send(w, r, answer)
					}}}
				}
			}
			server := serve(t)
			server.Config.Handler = http.HandlerFunc(b.answer)
			store, err := s3.New(clientOf(server.URL), "bucket")
			require.NoError(t, err)
			table := committer.NewTable(store, root, committer.WithRetry(committer.RetryPolicy{MinPause: time.Millisecond}))
			v, err := table.Commit(t.Context(), 2, testmanifest.New(2, "", "mine"))
			require.Equal(t, tc.puts, b.puts.Load(), "PUTs")
			if tc.want != nil {
				require.ErrorIs(t, err, tc.want)
				return
			}
			require.NoError(t, err)
			require.EqualValues(t, 2, v.Number)
			body, _, err := b.Get(t.Context(), v.Key)
			require.NoError(t, err)
			require.Equal(t, testmanifest.New(2, "", "mine"), body)
		})
	}
}

// A store that cannot be read is never taken for a new table.
func TestARefusedListingIsNoNewTable(t *testing.T) {
	for name, p := range map[string]reply{
		"403": s3Error(403, "AccessDenied", "no"), "no bucket": s3Error(404, "NoSuchBucket", "no"),
		"an error under a 200": s3Error(200, "InternalError", "sorry"), "nothing under a 200": {status: 200},
		"404 of a proxy": {status: 404, body: html},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, p)
			table := committer.NewTable(storeOf(t, server), root,
				committer.WithRetry(committer.RetryPolicy{MinPause: time.Millisecond, MaxElapsed: 200 * time.Millisecond}))
			_, err := table.Commit(t.Context(), 1, testmanifest.New(1, "", "mine"))
			require.Error(t, err)
			for _, r := range server.got() {
				require.Equal(t, http.MethodGet, r.Method, "nothing is written")
			}
		})
	}
}
